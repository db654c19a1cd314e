//! Templates and traps of URIs that are split already, on one core: the cost of the columns `template` and `trap`
//! beyond the rest of a table. `benches/templates.py` measures how good templates are.

use std::hint::black_box;

use urimill::UriRef;
use urimill::templates::{Parts, write};
use urimill::traps::trap;

use data::Data;

mod data;

fn main() {
    let mut criterion = data::criterion();
    let data = Data::clean();
    let lines = data.lines();
    let all: Vec<Parts<'_>> = lines.iter().filter_map(|line| parts(line)).collect();
    let mut group = data.group(&mut criterion, "templates");
    let mut template = String::new();
    group.bench_function("template", |b| {
        b.iter(|| {
            let one = |parts: &Parts<'_>| {
                template.clear();
                write(parts, &mut template);
                template.len()
            };
            black_box(&all).iter().map(one).sum::<usize>()
        });
    });
    group.bench_function("trap", |b| {
        b.iter(|| black_box(&all).iter().filter(|parts| trap(parts).is_some()).count());
    });
    group.finish();
    criterion.final_summary();
}

fn parts(line: &str) -> Option<Parts<'_>> {
    let uri = UriRef::parse(line).ok()?;
    Some(Parts { scheme: uri.scheme(), authority: uri.authority(), path: uri.path(), query: uri.query() })
}
