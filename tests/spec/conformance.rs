//! docs/CONFORMANCE.md, held against the repository: every requirement has a row, and what a row names is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::shared;

/// The sections of RFC 3986 that may ask something of an implementation, its appendices too.
#[rustfmt::skip]
const RFC3986: &[&str] = &[
    "1", "1.1", "1.1.1", "1.1.2", "1.1.3", "1.2", "1.2.1", "1.2.2", "1.2.3", "1.3",
    "2", "2.1", "2.2", "2.3", "2.4", "2.5",
    "3", "3.1", "3.2", "3.2.1", "3.2.2", "3.2.3", "3.3", "3.4", "3.5",
    "4", "4.1", "4.2", "4.3", "4.4", "4.5",
    "5", "5.1", "5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.2", "5.2.1", "5.2.2", "5.2.3", "5.2.4", "5.3", "5.4",
    "5.4.1", "5.4.2",
    "6", "6.1", "6.2", "6.2.1", "6.2.2", "6.2.2.1", "6.2.2.2", "6.2.2.3", "6.2.3", "6.2.4",
    "7", "7.1", "7.2", "7.3", "7.4", "7.5", "7.6",
    "A", "B", "C", "D.1", "D.2",
];

/// The requirements of RFC 2396: the section, and how many statements it has.
#[rustfmt::skip]
const RFC2396: &[(&str, usize)] = &[
    ("1.3", 2), ("2.2", 3), ("2.3", 1), ("2.4", 1), ("2.4.1", 1), ("2.4.2", 3), ("2.4.3", 3), ("3", 3), ("3.1", 2),
    ("3.2", 2), ("3.2.1", 1), ("3.2.2", 7), ("3.3", 5), ("3.4", 2), ("4", 2), ("4.1", 4), ("4.3", 2), ("6", 3),
];

const PAGE: &str = "docs/CONFORMANCE.md";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).unwrap_or_else(|error| panic!("{PAGE}: {error}"))
}

/// A table under a heading: its rows as cells, without the two lines of its head.
fn table<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, behind) =
        page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no {heading:?}"));
    let part = behind.split("\n## ").next().expect("a first part");
    let lines = part.lines().filter(|line| line.starts_with('|')).skip(2);
    let cells = |line: &'a str| -> Vec<&'a str> {
        let inner = line.strip_prefix('|').and_then(|line| line.trim_end().strip_suffix('|'));
        let inner = inner.unwrap_or_else(|| panic!("{heading}: a bar begins and ends a row: {line}"));
        inner.split(" | ").map(str::trim).collect()
    };
    lines.map(cells).collect()
}

/// The rows of the two tables of requirements, in order.
fn requirements(page: &str) -> Vec<Vec<&str>> {
    [table(page, "RFC 3986"), table(page, "RFC 2396")].concat()
}

/// What stands between backticks; nothing may stand between but commas.
fn names(cell: &str) -> Vec<&str> {
    let parts: Vec<&str> = cell.split('`').collect();
    let between = parts.iter().step_by(2);
    let is_list = parts.len() % 2 == 1 && parts.len() > 1;
    assert!(is_list && between.clone().all(|text| matches!(*text, "" | ", ")), "no list of names: {cell}");
    parts.iter().skip(1).step_by(2).copied().collect()
}

/// The section in front of a requirement's number: `3.2.2` of `3.2.2-4`.
fn section(id: &str) -> &str {
    let parts = id.rsplit_once('-').filter(|(_, number)| number.parse::<usize>().is_ok());
    parts.unwrap_or_else(|| panic!("no section and number: {id}")).0
}

/// Every test of the repository as `target::module::function`, those that are always run and stand at the
/// margin of their file.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![(root().join("tests"), String::new())];
    while let Some((folder, module)) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
            let inner = match name {
                "main" | "mod" => module.clone(),
                name => format!("{module}{name}::"),
            };
            if path.is_dir() {
                folders.push((path, inner));
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = fs::read_to_string(&path).expect("sources are UTF-8");
                found.extend(functions(&source).into_iter().map(|function| format!("{inner}{function}")));
            }
        }
    }
    assert!(found.len() > 100, "only {} tests found: they are read wrongly", found.len());
    found
}

/// The functions of a source under `#[test]`, but for those that are ignored or depend on a platform.
fn functions(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if line != "#[test]" {
            continue;
        }
        for line in lines.by_ref() {
            if let Some(name) = line.strip_prefix("fn ").and_then(|rest| rest.split('(').next()) {
                found.push(name);
                break;
            }
            if !line.starts_with("#[rustfmt::skip]") {
                break;
            }
        }
    }
    found
}

#[test]
fn the_reader_of_sources_finds_tests_alone() {
    let source = "#[test]\nfn a() {}\nfn b() {}\n#[test]\n#[rustfmt::skip]\nfn c() {}\n#[test]\n#[ignore]\nfn d() {}\n\
                  // #[test]\nfn e() {}\nmod f {\n    #[test]\n    fn g() {}\n}\n#[test]\n#[cfg(unix)]\nfn h() {}\n";
    assert_eq!(functions(source), ["a", "c"]);
}

#[test]
fn every_row_names_what_is_there() {
    let (page, tests) = (page(), tests());
    let mut wrong = Vec::new();
    for row in requirements(&page) {
        let [id, statement, places, shown] = row[..] else { panic!("four cells: {row:?}") };
        if statement.len() < 10 || !statement.ends_with('.') {
            wrong.push(format!("{id}: no sentence: {statement:?}"));
        }
        for place in names(places).iter().filter(|place| !root().join("src").join(place).is_file()) {
            wrong.push(format!("{id}: there is no src/{place}"));
        }
        for test in names(shown).iter().filter(|test| !tests.contains(**test)) {
            wrong.push(format!("{id}: there is no test {test}"));
        }
    }
    assert!(wrong.is_empty(), "{} of what {PAGE} says is wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_section_of_rfc_3986_has_a_row() {
    let page = page();
    let rows = table(&page, "RFC 3986");
    let ids: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let asks: BTreeSet<&str> = ids.iter().map(|id| section(id)).collect();
    let silent = table(&page, "Sections of RFC 3986 that ask nothing of urimill");
    assert!(silent.iter().all(|row| row.len() == 2 && row[1].ends_with('.')), "{silent:?}");
    let silent: Vec<&str> = silent.iter().flat_map(|row| row[0].split(", ")).collect();
    for section in RFC3986 {
        let found = usize::from(asks.contains(section)) + silent.iter().filter(|one| *one == section).count();
        assert_eq!(found, 1, "{section} stands in one of the two tables");
    }
    for section in asks.iter().chain(&silent) {
        assert!(RFC3986.contains(section), "there is no section {section}");
    }
    // In the order of the text, each section's statements numbered from 1.
    let place = |id: &str| RFC3986.iter().position(|one| *one == section(id));
    assert!(ids.is_sorted_by_key(|id| place(id)), "{ids:?}");
    let mut last = ("", 0);
    for id in ids {
        last = (section(id), if section(id) == last.0 { last.1 + 1 } else { 1 });
        assert_eq!(id, format!("{}-{}", last.0, last.1));
    }
}

#[test]
fn every_requirement_of_rfc_2396_has_a_row() {
    let page = page();
    let found: Vec<String> = table(&page, "RFC 2396").iter().map(|row| row[0].to_owned()).collect();
    let numbered = |&(section, count): &(&str, usize)| {
        let section = section.to_owned();
        (1..=count).map(move |number| format!("{section}-{number}"))
    };
    assert_eq!(found, RFC2396.iter().flat_map(numbered).collect::<Vec<_>>());
}

/// The statements are ours: no nine words in a row are those of a specification.
#[test]
fn no_statement_is_copied() {
    let Some(folder) = shared::folder() else { return };
    let words = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| !c.is_alphanumeric());
        parts.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let mut texts = BTreeSet::new();
    for name in ["rfc3986-part3-en.txt", "rfc2396.md", "rfc2396-requirements.md"] {
        let path = folder.join("specs").join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        texts.extend(words(&text).windows(9).map(|nine| nine.join(" ")));
    }
    assert!(texts.len() > 10_000, "only {} runs of words", texts.len());
    let page = page();
    for row in requirements(&page) {
        for nine in words(row[1]).windows(9) {
            assert!(!texts.contains(&nine.join(" ")), "{}: copied: {}", row[0], nine.join(" "));
        }
    }
}
