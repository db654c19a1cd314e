//! Prints each line of standard input, a URI, with its template and with the route that urimill learns from all of
//! them, separated by tabs. `benches/templates.py` measures these routes.
//!
//! ```sh
//! cargo run --release -p urimill --example routes < list.txt
//! ```

use std::error::Error;
use std::io::{self, Read, Write};

use urimill::UriRef;
use urimill::templates::{Learned, Parts, write};

fn main() -> Result<(), Box<dyn Error>> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let template = |line: &str| {
        let mut template = String::new();
        if let Ok(uri) = UriRef::parse(line) {
            let (scheme, authority, path, query) = (uri.scheme(), uri.authority(), uri.path(), uri.query());
            write(&Parts { scheme, authority, path, query }, &mut template);
        }
        template
    };
    let templates: Vec<String> = text.lines().map(template).collect();
    let learned = Learned::new(templates.iter().map(|template| (template, 1)));
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (line, template) in text.lines().zip(&templates) {
        writeln!(out, "{line}\t{template}\t{}", learned.route(template))?;
    }
    Ok(())
}
