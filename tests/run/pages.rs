//! Pages by the builder: any bytes give rows and accounts that add up, however the source is cut.

use std::fs;

use urimill::run::{
    Conversion, InputFormat, Keep, Links, NormalizeOptions, OnDamage, Output, Stats, TableSchema,
};
use urimill::{ErrorKind, OptionName};
use urimill_testkit::fuzz::PAGES;
use urimill_testkit::random::Random;

/// A page with some bytes changed, left out or repeated.
fn mutated(page: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = page.as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len());
        let end = (at + random.below(20)).min(bytes.len());
        match random.below(4) {
            0 => bytes[at] = b"<>'\"&;=/ \n\r\xff\0"[random.below(13)],
            1 => drop(bytes.drain(at..end)),
            2 => bytes.truncate(at.max(1)),
            _ => {
                let again = bytes[at..end].repeat(1 + random.below(3));
                bytes.splice(at..at, again);
            }
        }
        if bytes.is_empty() {
            bytes.push(b'<');
        }
    }
    bytes
}

#[test]
fn any_bytes_of_pages_give_the_same_rows_however_they_are_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let (input, table) = (folder.path().join("in"), folder.path().join("t.csv"));
    let run = |kind, chunk, threads| -> urimill::Result<(Stats, Vec<u8>)> {
        let stats = Conversion::new()
            .links(Links::new().format(kind).base("http://example.com/a/b"))
            .inputs([&input])
            .on_damage(OnDamage::Keep)
            .chunk(chunk)
            .threads(threads)
            .verify(true)
            .write_to(Output::to(&table).force(true))
            .run()?;
        Ok((stats, fs::read(&table).expect("a table")))
    };
    let mut random = Random(7);
    let (mut links, mut runs) = (0, 0);
    for round in 0..40 {
        for &(page, kind) in PAGES {
            let bytes = mutated(page, &mut random);
            fs::write(&input, &bytes).expect("a file");
            let shown = bytes.escape_ascii();
            match (run(kind, 1 << 20, 1), run(kind, 1, 2)) {
                (Ok((stats, rows)), Ok((again, others))) => {
                    let pages = stats.pages.expect("counts");
                    assert_eq!(Some(pages), again.pages, "{round}: {shown}");
                    assert!(rows == others, "{round}: {shown}");
                    assert_eq!(pages.pages, pages.with_links + pages.without_links + pages.unread, "{shown}");
                    assert!(pages.links <= stats.records, "{shown}");
                    links += pages.links;
                    runs += 1;
                }
                (Err(error), Err(other)) => {
                    assert_eq!(error.to_string(), other.to_string(), "{shown}");
                    assert!(matches!(error.kind(), ErrorKind::Usage | ErrorKind::Data), "{error}: {shown}");
                }
                (one, other) => panic!("{:?} {:?}: {shown}", one.is_ok(), other.is_ok()),
            }
        }
    }
    assert!(runs > 100 && links > 300, "{runs} runs, {links} links");
}

/// Options of records that have no meaning for pages: each is named.
#[test]
fn options_of_records_do_not_go_with_pages() {
    type Row = (fn(Conversion) -> Conversion, OptionName);
    let table: [Row; 6] = [
        (|run| run.format(InputFormat::Csv), OptionName::Format),
        (|run| run.uri_field("a"), OptionName::UriField),
        (|run| run.base_field("a"), OptionName::BaseField),
        (|run| run.keep(Keep::All), OptionName::Keep),
        (|run| run.schema(TableSchema::CcIndex), OptionName::Schema),
        (|run| run.normalize(NormalizeOptions::new().base("http://h/")), OptionName::Base),
    ];
    for (change, option) in table {
        let run = change(Conversion::new().links(Links::new()).write_to(Output::to("t.csv")));
        let error = run.validate().expect_err("it is refused");
        assert_eq!((error.kind(), error.option()), (ErrorKind::Usage, Some(option)), "{error}");
    }
    let run = Conversion::new().links(Links::new().base("a")).write_to(Output::to("t.csv"));
    assert_eq!(run.validate().expect_err("no scheme").kind(), ErrorKind::Usage);
}
