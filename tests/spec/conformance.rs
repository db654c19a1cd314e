//! Checks docs/CONFORMANCE.md against the specifications and the repository: every section, appendix, requirement and
//! erratum has a row, and the tests that a row names exist. The sections are those whose headings are in the
//! specifications.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::shared;

const PAGE: &str = "docs/CONFORMANCE.md";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).unwrap_or_else(|error| panic!("{PAGE}: {error}"))
}

/// The table under a heading: its rows as cells, without the two lines of its head.
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

/// The rows of the tables of requirements, in order.
fn requirements(page: &str) -> Vec<Vec<&str>> {
    [table(page, "RFC 3986"), errata(page), table(page, "RFC 2396")].concat()
}

/// The rows of the errata.
fn errata(page: &str) -> Vec<Vec<&str>> {
    table(page, "Errata of RFC 3986")
}

/// The texts between backticks, which only commas may separate.
fn names(cell: &str) -> Vec<&str> {
    let parts: Vec<&str> = cell.split('`').collect();
    let between = parts.iter().step_by(2);
    let is_list = parts.len() % 2 == 1 && parts.len() > 1;
    assert!(is_list && between.clone().all(|text| matches!(*text, "" | ", ")), "no list of names: {cell}");
    parts.iter().skip(1).step_by(2).copied().collect()
}

/// The section before a requirement's number: `3.2.2` of `3.2.2-4`.
fn section(id: &str) -> &str {
    let parts = id.rsplit_once('-').filter(|(_, number)| number.parse::<usize>().is_ok());
    parts.unwrap_or_else(|| panic!("no section and number: {id}")).0
}

/// Every test of the repository as `target::module::function`: those that always run and start at the margin of their
/// file.
fn tests() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let packages = fs::read_dir(root().join("crates")).expect("the packages");
    let packages = packages.map(|package| package.expect("an entry").path()).chain([root().to_owned()]);
    let folders = packages.map(|package| package.join("tests")).filter(|folder| folder.is_dir());
    let mut folders: Vec<_> = folders.map(|folder| (folder, String::new())).collect();
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

/// The functions of a source under `#[test]`, except for those that are ignored or depend on a platform.
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
    for row in [requirements(&page), table(&page, "The URL Standard")].concat() {
        let [id, statement, places, shown] = row[..] else { panic!("four cells: {row:?}") };
        if statement.len() < 10 || !statement.ends_with('.') {
            wrong.push(format!("{id}: no sentence: {statement:?}"));
        }
        let is_there = |place: &str| {
            ["crates/uri/src", "src", "crates"].iter().any(|below| root().join(below).join(place).is_file())
        };
        for place in names(places).iter().filter(|place| !is_there(place)) {
            wrong.push(format!("{id}: there is no {place} below crates/uri/src, src or crates"));
        }
        for test in names(shown).iter().filter(|test| !tests.contains(**test)) {
            wrong.push(format!("{id}: there is no test {test}"));
        }
    }
    assert!(wrong.is_empty(), "{} of what {PAGE} says is wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A text of the specifications.
fn document(folder: &Path, name: &str) -> String {
    let path = folder.join("specs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// `3.2.2` as numbers; the letters of appendices sort after all numbers.
fn place(section: &str) -> Vec<u32> {
    section.split('.').map(|part| part.parse().unwrap_or_else(|_| 1000 + part.as_bytes()[0] as u32)).collect()
}

/// The section whose heading a line is: `3.2.2.` or, of an appendix, `C.` or `C.1.`. `appendix` is the word before the
/// former. Marks of emphasis and of the page before it are ignored.
fn heading(line: &str, appendix: &str) -> Option<String> {
    let line = line.trim_start_matches(['#', '*', ' ']);
    let line = match line.strip_prefix("<|") {
        Some(mark) => mark.split_once("|>")?.1,
        None => line,
    };
    let (text, is_appendix) = match line.strip_prefix(appendix) {
        Some(rest) => (rest.trim_start(), true),
        None => (line, false),
    };
    let word = text.split([' ', '\u{a0}']).next()?.strip_suffix('.')?;
    let mut parts = word.split('.');
    let first = parts.next()?;
    let is_letter = first.len() == 1 && first.starts_with(|c: char| c.is_ascii_uppercase());
    let is_number = !is_appendix && first.parse::<u32>().is_ok();
    let is_top_of_appendix = is_letter && !word.contains('.');
    let fits = is_number || is_letter && is_top_of_appendix == is_appendix;
    (fits && parts.all(|part| part.parse::<u32>().is_ok())).then(|| word.to_owned())
}

/// The sections of a document in their order. A line that looks like a heading is one if its number follows the one
/// before and the section around it has begun: numbered steps of algorithms and addresses do not.
fn sections(text: &str, appendix: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for section in text.lines().filter_map(|line| heading(line, appendix)) {
        let is_next = found.last().is_none_or(|last| place(last) < place(&section));
        let has_parent =
            section.rsplit_once('.').is_none_or(|(parent, _)| found.iter().any(|one| one == parent));
        if is_next && has_parent {
            found.push(section);
        }
    }
    found
}

/// The sections of RFC 3986. The Russian edition is complete; the English part also has the subsections of the
/// appendices.
fn sections_of_rfc_3986(folder: &Path) -> Vec<String> {
    let mut all = sections(&document(folder, "rfc3986-ru.txt"), "Приложение ");
    let behind = sections(&document(folder, "rfc3986-part3-en.txt"), "Appendix ");
    all.extend(behind);
    all.sort_by_key(|section| place(section));
    all.dedup();
    all
}

#[test]
fn headings_are_told_from_other_lines() {
    let text = "\n1. A\n1.1. B\n1.1.1.  C\n1. step\n## 2. D\n1. step\n#### **2.1. E**\n10.0.0.1. address\n- 3. step\n\
                <|mark|>3. F\n3.1 no dot\nA. step\nAppendix A. G\n# Appendix B. H\n### B.1. I\nC.1. no parent\n";
    let expected = ["1", "1.1", "1.1.1", "2", "2.1", "3", "A", "B", "B.1"];
    assert_eq!(sections(text, "Appendix "), expected);
}

/// Every section is in one of two tables, in the order of the text, and the statements of each are numbered from 1.
fn check_sections(specification: &str, sections: &[String]) {
    let page = page();
    let rows = table(&page, specification);
    let ids: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let asks: BTreeSet<&str> = ids.iter().map(|id| section(id)).collect();
    let silent = table(&page, &format!("Sections of {specification} that ask nothing of urimill"));
    assert!(silent.iter().all(|row| row.len() == 2 && row[1].ends_with('.')), "{silent:?}");
    let silent: Vec<&str> = silent.iter().flat_map(|row| row[0].split(", ")).collect();
    for section in sections {
        let is = |one: &&&str| **one == section.as_str();
        let found = usize::from(asks.contains(section.as_str())) + silent.iter().filter(is).count();
        assert_eq!(found, 1, "{specification}, {section} stands in one of the two tables");
    }
    for section in asks.iter().chain(&silent) {
        assert!(sections.iter().any(|one| one == section), "{specification} has no section {section}");
    }
    assert!(ids.is_sorted_by_key(|id| place(section(id))), "{ids:?}");
    let mut last = ("", 0);
    for id in ids {
        last = (section(id), if section(id) == last.0 { last.1 + 1 } else { 1 });
        assert_eq!(id, format!("{}-{}", last.0, last.1));
    }
}

#[test]
fn every_section_of_rfc_3986_has_a_row() {
    let Some(folder) = shared::folder() else { return };
    let sections = sections_of_rfc_3986(&folder);
    for known in ["1.2.3", "2.2", "3.2.2", "5.2.4", "6.2.2.3", "7.6", "10.2", "A", "B", "C", "D.2"] {
        assert!(sections.iter().any(|section| section == known), "{known} is not found: {sections:?}");
    }
    check_sections("RFC 3986", &sections);
}

#[test]
fn every_section_of_rfc_2396_has_a_row() {
    let Some(folder) = shared::folder() else { return };
    let sections = sections(&document(&folder, "rfc2396.md"), "Appendix ");
    for known in ["1.6", "2.4.3", "3.2.2", "4.3", "5.1.4", "5.2", "7", "9", "A", "C.2", "F", "G.4"] {
        assert!(sections.iter().any(|section| section == known), "{known} is not found: {sections:?}");
    }
    check_sections("RFC 2396", &sections);
}

/// Requirements that have ids of their own keep them.
#[test]
fn every_requirement_of_rfc_2396_has_a_row() {
    let Some(folder) = shared::folder() else { return };
    let (page, requirements) = (page(), document(&folder, "rfc2396-requirements.md"));
    let rows: BTreeSet<&str> = table(&page, "RFC 2396").iter().map(|row| row[0]).collect();
    let ids: Vec<&str> =
        requirements.lines().filter_map(|line| line.strip_prefix("## ")).map(str::trim).collect();
    assert!(ids.len() > 40, "only {} requirements", ids.len());
    for id in ids {
        assert!(rows.contains(id), "RFC 2396, {id} has no row");
    }
}

/// The errata are those that the Russian edition's footnotes name.
#[test]
fn every_erratum_has_a_row() {
    let Some(folder) = shared::folder() else { return };
    let text = document(&folder, "rfc3986-ru.txt");
    let number =
        |rest: &str| -> String { rest.trim_start().chars().take_while(char::is_ascii_digit).collect() };
    let named: BTreeSet<String> = text.split("eid=").skip(1).map(number).collect();
    let page = page();
    let rows: BTreeSet<String> = errata(&page).iter().map(|row| row[0].to_owned()).collect();
    assert!(named.len() >= 5, "{named:?}");
    assert_eq!(rows, named);
}

/// A developer can show for every row that its test fails if the behaviour is broken: `tests/mutants/rows.tsv` has a
/// change of the sources for each.
#[test]
fn every_row_has_a_mutant() {
    let path = root().join("tests/mutants/rows.tsv");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let page = page();
    let mut rows: Vec<(&str, Vec<&str>)> = Vec::new();
    for (prefix, name) in [("3986", "RFC 3986"), ("2396", "RFC 2396"), ("errata", "Errata")] {
        let table = if name == "Errata" { errata(&page) } else { table(&page, name) };
        rows.extend(table.iter().map(|row| (prefix, row.clone())));
    }
    let shown = rows.iter().map(|(prefix, row)| (format!("{prefix}:{}", row[0]), names(row[row.len() - 1])));
    let mut shown: std::collections::BTreeMap<String, Vec<&str>> = shown.collect();
    for line in text.lines().filter(|line| line.starts_with("show\t")) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [_, id, mutant, test] = columns[..] else { panic!("four columns: {line:?}") };
        let tests = shown.remove(id).unwrap_or_else(|| panic!("{id} is no row, or stands twice"));
        assert!(tests.contains(&test), "{id} does not name {test}");
        let is_there = mutant.starts_with("flag:") || text.contains(&format!("M({mutant})"));
        assert!(is_there, "{id}: there is no mutant {mutant}");
    }
    let left: Vec<&String> = shown.keys().collect();
    assert!(left.is_empty(), "rows without a mutant: {left:?}");
}

/// The statements are in urimill's own words: no nine words in a row are those of a specification.
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
