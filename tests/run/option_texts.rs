//! Files that are made from the table of options and checked in: the keywords of the Python package for type checkers,
//! and the page of options. A test that fails has written the right text beside the file, with `.new` at the end of its
//! name.

use std::collections::BTreeSet;
use std::path::Path;

use urimill::OptionName;
use urimill::run::options::{Choice, Job, Kind, READING, RECORDS, Row, Rule, WRITING};
use urimill::run::{
    Check, Conversion, Dedupe, Edges, Extract, Index, Links, Node, Output, Report, Setting, Settings,
};

/// Compares the text of a file with `expected`.
fn compare(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    if found != expected {
        let new = path.with_added_extension("new");
        std::fs::write(&new, expected).expect("it can be written beside it");
        panic!("{file} is not what the table of options makes: mv {} {file}", new.display());
    }
}

/// The type of the values of an option in Python.
fn python_type(row: &Row) -> String {
    let literal = |choices: fn() -> Vec<Choice>| {
        let names: Vec<_> = choices().iter().map(|choice| format!("{:?}", choice.name)).collect();
        format!("Literal[{}]", names.join(", "))
    };
    match row.kind {
        Kind::Switch => "bool".to_owned(),
        Kind::Path => "Path".to_owned(),
        Kind::Paths => "Path | list[Path]".to_owned(),
        Kind::List | Kind::Names(_) => "Names".to_owned(),
        Kind::Field => "str | int | list[str]".to_owned(),
        Kind::Choice(choices) if row.option == OptionName::Header => format!("bool | {}", literal(choices)),
        Kind::Choice(choices) => literal(choices),
        Kind::Number(..) | Kind::Count(..) => "int".to_owned(),
        Kind::Bytes(..) => "int | str".to_owned(),
        _ => "str".to_owned(),
    }
}

/// A class of the stubs, whose members are the options of `rows` except those that functions name themselves.
fn class<'a>(head: &str, doc: &str, rows: impl Iterator<Item = &'a Row>, named: &[OptionName]) -> String {
    let mut known = BTreeSet::new();
    let mut text = format!("\nclass {head}:\n    \"\"\"{doc}\"\"\"\n\n");
    for row in rows.filter(|row| !row.is_of_program && !named.contains(&row.option)) {
        if !row.is_positional && known.insert(row.option.keyword()) {
            text.push_str(&format!("    {}: {} | None\n", row.option.keyword(), python_type(row)));
        }
    }
    text
}

fn stubs() -> String {
    use OptionName::*;
    let all = |job: Job| job.rows();
    let is_in = |rows: &[Row], row: &Row| rows.iter().any(|other| other.option == row.option);
    let compat = Job::Normalize.row(Compat).into_iter();
    let read = all(Job::Normalize).filter(|row| !is_in(WRITING, row));
    let written = WRITING.iter().filter(|row| row.option != Output);
    let links = all(Job::Links).chain(RECORDS.iter().filter(|row| !is_in(READING, row)));
    let report = [Page, Json, State, Title, Format, Force];
    [
        "\"\"\"The options of runs as keywords, generated from `src/run/options`; a test compares the two.\"\"\"\n\nfrom typing import Literal, TypedDict\n\nfrom ._types import Names, Path\n"
            .to_owned(),
        class("RecordOptions(TypedDict, total=False)", "Options for each record.", RECORDS.iter().chain(compat), &[]),
        class("ReadOptions(TypedDict, total=False)", "Options of :func:`urimill.read`.", read, &[Format]),
        class("ConvertOptions(ReadOptions, total=False)", "Options of :func:`urimill.convert`.", written, &[]),
        class(
            "LinksOptions(TypedDict, total=False)",
            "Options of :func:`urimill.links`.",
            links,
            &[Output, Format, Base, Edges],
        ),
        class("IndexOptions(TypedDict, total=False)", "Options of :func:`urimill.index`.", all(Job::Index), &[Output, Like]),
        class("ReportOptions(TypedDict, total=False)", "Options of :func:`urimill.report`.", all(Job::Report), &report),
    ]
    .concat()
}

#[test]
fn stubs_of_python_have_the_options() {
    compare("python/urimill/_options.pyi", &stubs());
}

/// A text in lines of Markdown.
fn wrapped(text: &str) -> String {
    let escaped = text.replace('*', "\\*").replace('<', "\\<").replace("__", "\\_\\_");
    let mut lines = vec![String::new()];
    for word in escaped.split(' ') {
        if lines[lines.len() - 1].chars().count() + 1 + word.chars().count() > 120 {
            lines.push(String::new());
        }
        let line = lines.last_mut().expect("there is one");
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    lines.join("\n")
}

/// The values of an option, for people.
fn values(row: &Row) -> String {
    let names = |choices: fn() -> Vec<Choice>| {
        let names: Vec<_> = choices().iter().map(|choice| format!("`{}`", choice.name)).collect();
        names.join(", ")
    };
    match row.kind {
        Kind::Switch => "on or off".to_owned(),
        Kind::Open(_) => "a name of [FORMATS.md](FORMATS.md), or of a file".to_owned(),
        Kind::Choice(choices) | Kind::Choices(choices) => names(choices),
        Kind::Number(least, most) | Kind::Count(least, most) => format!("a number from {least} to {most}"),
        Kind::Bytes(_, _, range) => format!("a number of bytes from {range}"),
        Kind::Path => "a file or directory".to_owned(),
        Kind::Paths => "files or folders".to_owned(),
        Kind::List | Kind::Names(_) => "names, with commas between".to_owned(),
        Kind::Field => "a field by its name or number".to_owned(),
        _ => "a text".to_owned(),
    }
}

fn default(row: &Row) -> Option<String> {
    row.default.map(|default| format!("Default: `{default}`."))
}

/// The requirements of an option on others.
fn rules(row: &Row) -> Vec<String> {
    let rule = |rule: &Rule| {
        let flag = |option: &OptionName| match rule.of {
            "" => format!("`--{}`", option.flag()),
            value => match value.strip_prefix('!') {
                Some(value) => format!("`--{}` other than `{value}`", option.flag()),
                None => format!("`--{} {value}`", option.flag()),
            },
        };
        let others: Vec<_> = rule.others.iter().map(flag).collect();
        let when = rule.when.strip_prefix('!');
        let is_any = rule.when.is_empty();
        let when = when.map_or(format!("As `{}`: ", rule.when), |value| format!("Other than `{value}`: "));
        match (is_any, rule.is_need) {
            (true, true) => format!("Needs {}.", others.join(" or ")),
            (true, false) => format!("Not with {}.", others.join(", ")),
            (false, true) => format!("{when}needs {}.", others.join(" or ")),
            (false, false) => format!("{when}not with {}.", others.join(", ")),
        }
    };
    row.rules.iter().map(rule).collect()
}

fn page() -> String {
    let mut text = "# Options\n\nEvery option of the commands, by its flag, with the method of Rust's builders and the keyword of \
                    Python where they\nhave other names. What differs in a command stands after its name. This page is \
                    made of the table of\noptions (`src/run/options`), which a test compares with it; `urimill help \
                    COMMAND` has the same texts.\nThe [glossary](GLOSSARY.md) explains record, reject, \
                    level, base and other words.\n"
        .to_owned();
    let mut known = BTreeSet::new();
    let rows = Job::ALL.iter().flat_map(|job| job.rows());
    for first in rows.filter(|row| row.is_shown && !row.is_positional) {
        let option = first.option;
        if !known.insert(option.as_str()) {
            continue;
        }
        let jobs: Vec<_> = Job::ALL.iter().filter_map(|job| Some((job.name(), job.row(option)?))).collect();
        let names = jobs.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let flag = option.flag();
        text.push_str(&format!("\n## `--{flag}`\n\n"));
        let mut facts = vec![format!("In {names}. Takes: {}.", values(first))];
        facts.extend(default(first));
        let of_rust =
            (option.as_str() != flag.replace('-', "_")).then(|| format!("`{}` in Rust.", option.as_str()));
        facts.extend(of_rust.filter(|_| !first.is_of_program));
        facts.extend(first.is_of_program.then(|| "In the program alone.".to_owned()));
        let are_common = jobs.iter().all(|(_, row)| !rules(row).is_empty());
        facts.extend(rules(first).into_iter().filter(|_| are_common));
        text.push_str(&format!("{}\n\n{}\n", wrapped(&facts.join(" ")), wrapped(first.help)));
        let mut others: Vec<(Vec<String>, String)> = Vec::new();
        for (name, row) in &jobs {
            let mut words = Vec::new();
            words.extend((values(row) != values(first)).then(|| format!("Takes: {}.", values(row))));
            words.extend(default(row).filter(|_| row.default != first.default));
            words.extend((row.is_required && !first.is_required).then(|| "Required.".to_owned()));
            words.extend(rules(row).into_iter().filter(|_| !are_common || rules(row) != rules(first)));
            words.extend((row.help != first.help).then(|| row.help.to_owned()));
            let (name, words) = (format!("`{name}`"), words.join(" "));
            match others.iter_mut().find(|(_, known)| *known == words) {
                _ if words.is_empty() => {}
                Some((names, _)) => names.push(name),
                None => others.push((vec![name], words)),
            }
        }
        for (names, words) in others {
            text.push_str(&format!("\n{}\n", wrapped(&format!("{}: {words}", names.join(", ")))));
        }
    }
    text
}

#[test]
fn the_page_has_the_options() {
    compare("docs/OPTIONS.md", &page());
}

/// A value that an option takes.
fn a_value(row: &Row) -> String {
    match row.kind {
        Kind::Switch => "true".to_owned(),
        Kind::Choice(choices) | Kind::Choices(choices) => choices()[0].name.to_owned(),
        Kind::Number(least, _) | Kind::Count(least, _) | Kind::Bytes(least, _, _) => least.to_string(),
        Kind::Checked(_) if row.option == OptionName::Encoding => "latin1".to_owned(),
        Kind::Checked(_) if row.option == OptionName::Compression => "snappy".to_owned(),
        Kind::Checked(_) => "http".to_owned(),
        Kind::Paths => concat!(env!("CARGO_MANIFEST_DIR"), "/crates/logs/formats/alb.toml").to_owned(),
        _ => "all".to_owned(),
    }
}

/// Whether a run has an option.
fn takes(mut run: impl Settings, row: &Row) -> bool {
    run.put(&Setting::new(row.option, [a_value(row)]))
        .unwrap_or_else(|error| panic!("{:?}: {error}", row.option))
}

#[test]
fn runs_have_the_options_of_their_rows() {
    let own = [OptionName::By, OptionName::Where, OptionName::Number];
    for &job in Job::ALL {
        for row in job.rows().filter(|row| !row.is_of_program) {
            let output = || Output::stdout();
            let is_taken = match job {
                Job::Normalize => takes(Conversion::new().write_to(output()), row),
                Job::Dedupe => takes(Dedupe::new().write_to(output()), row),
                Job::Check => takes(Check::new(), row),
                Job::Extract => takes(Extract::new(), row),
                Job::Links => {
                    takes(Conversion::new().links(Links::new()).write_to(output()), row)
                        || takes(Edges::new(Node::Host).write_to(output()), row)
                }
                Job::Index => takes(Index::new(), row),
                Job::Top if own.contains(&row.option) => true,
                Job::Report | Job::Top | Job::Stats => takes(Report::new(), row),
                // These are not runs, or have no setters by name.
                _ => true,
            };
            assert!(is_taken, "{}: {:?}", job.name(), row.option);
        }
    }
}

#[test]
fn every_option_has_a_row() {
    let without: Vec<_> =
        OptionName::ALL.iter().filter(|&&option| urimill::run::options::row(option).is_none()).collect();
    assert_eq!(without, [] as [&OptionName; 0]);
}
