//! The public suffix list: compared with its own tests and a plain implementation of its algorithm; and files that are
//! not lists.

use std::collections::{BTreeSet, HashMap};
use std::fs;

use urimill::domain::SuffixList;

use crate::domain::{domain, with_host};
use crate::shared;

/// The file of the public suffix list among the shared data.
fn list_text() -> Option<String> {
    let path = shared::folder()?.join("suites/psl/public_suffix_list.dat");
    Some(fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// Cases of the list's own tests about top-level domains that it does not have. Its algorithm makes them suffixes by
/// the default rule, which urimill applies only if a list contains it.
const UNLISTED: &[&str] = &["example.example", "b.example.example", "a.b.example.example"];

#[test]
fn tests_of_the_public_suffix_list() {
    let (Some(folder), Some(text)) = (shared::folder(), list_text()) else { return };
    let read = |file: &str| {
        let path = folder.join("suites/psl").join(file);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let mut cases: Vec<[String; 2]> = Vec::new();
    for line in read("tests.txt").lines().filter(|line| !line.starts_with("//") && !line.is_empty()) {
        let (name, domain) = line.split_once(' ').unwrap_or_else(|| panic!("{line}"));
        cases.push([name.into(), domain.into()]);
    }
    for line in read("test_psl.txt").lines() {
        let Some(call) = line.strip_prefix("checkPublicSuffix(").and_then(|call| call.strip_suffix(");"))
        else {
            continue;
        };
        let (name, domain) = call.split_once(", ").unwrap_or_else(|| panic!("{line}"));
        cases.push([name, domain].map(|text| text.trim_matches('\'').into()));
    }
    assert!(cases.len() > 150, "{} cases", cases.len());
    let given = SuffixList::parse(&text, "list").expect("the official list");
    let with_default =
        SuffixList::parse(&format!("*\n{text}"), "list").expect("the official list and a rule");
    for [name, expected] in cases.iter().filter(|[name, _]| name != "null") {
        let uri = with_host(name);
        // The tests expect an answer in the script of the question.
        let ascii = domain(&with_host(expected), &given).map(|domain| domain.ascii().to_owned());
        let expected = ascii.filter(|_| expected != "null");
        let of = |list: &SuffixList| {
            domain(&uri, list).and_then(|domain| domain.private_domain().map(str::to_owned))
        };
        assert_eq!(of(&with_default), expected, "{name}");
        assert_eq!(of(&given.clone().with_prevailing_rule()), expected, "{name}");
        assert_eq!(of(&SuffixList::embedded().with_prevailing_rule()), expected, "{name}");
        let listed = expected.filter(|_| !UNLISTED.contains(&name.as_str()));
        assert_eq!((of(&given), of(&SuffixList::embedded())), (listed.clone(), listed), "{name}");
    }
}

/// The rules of a list from its text, in ASCII; whether each is in the registries' section.
fn rules(text: &str) -> HashMap<String, bool> {
    let (icann, private) = text.split_once("===BEGIN PRIVATE DOMAINS===").expect("two sections");
    let section = |text: &str, is_icann: bool| {
        let lines = text.lines().filter(|line| !line.starts_with("//") && !line.trim().is_empty());
        let rule = |line: &str| idna::domain_to_ascii(line.trim()).unwrap_or_else(|_| panic!("{line}"));
        lines.map(|line| (rule(line), is_icann)).collect::<Vec<_>>()
    };
    section(private, false).into_iter().chain(section(icann, true)).collect()
}

/// The suffix of a name by the algorithm of <https://publicsuffix.org/list/>, word for word: of the rules that match,
/// an exception prevails, else the one with the most labels; an exception loses its leftmost label.
fn suffix<'n>(name: &'n str, rules: &HashMap<String, bool>, sections: &[bool]) -> Option<&'n str> {
    let labels: Vec<&str> = name.split('.').collect();
    let has = |rule: String| rules.get(&rule).is_some_and(|section| sections.contains(section));
    let below = |count: usize| &name[name.len() - labels[labels.len() - count..].join(".").len()..];
    let counts = || (1..=labels.len()).rev();
    if let Some(count) = counts().find(|&count| has(format!("!{}", below(count)))) {
        return Some(below(count - 1));
    }
    let matches =
        |count: usize| has(below(count).to_owned()) || count > 1 && has(format!("*.{}", below(count - 1)));
    counts().find(|&count| matches(count)).map(below)
}

/// Names at, below and next to every rule.
fn names(rules: &HashMap<String, bool>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for rule in rules.keys() {
        let mut name = rule.trim_start_matches('!').trim_start_matches("*.");
        names.extend(["www", "zz.yy", "zz.yy.xx", "com", "ex"].map(|before| format!("{before}.{name}")));
        names.insert(name.to_owned());
        while let Some((_, above)) = name.split_once('.') {
            names.extend([above.to_owned(), format!("zz.{above}")]);
            name = above;
        }
    }
    names
}

#[test]
fn every_rule_of_a_list_that_is_read() {
    let Some(text) = list_text() else { return };
    let (list, rules) = (SuffixList::parse(&text, "list").expect("the official list"), rules(&text));
    let names = names(&rules);
    assert!(names.len() > 50_000, "{} names", names.len());
    for name in &names {
        let uri = format!("http://{name}/");
        let domain = domain(&uri, &list).unwrap_or_else(|| panic!("{name} is a name"));
        assert_eq!(domain.public_suffix(), suffix(name, &rules, &[true]), "{name}");
        assert_eq!(domain.private_suffix(), suffix(name, &rules, &[true, false]), "{name}");
    }
}

/// The embedded list is of another day, with entries added and removed. Its lookup is implemented differently, so
/// everything else must be the same.
#[test]
fn every_rule_of_the_embedded_list() {
    let Some(text) = list_text() else { return };
    let (list, rules) = (SuffixList::embedded(), rules(&text));
    let (mut registries, mut companies) = (BTreeSet::new(), BTreeSet::new());
    for name in names(&rules) {
        let uri = format!("http://{name}/");
        let domain = domain(&uri, &list).unwrap_or_else(|| panic!("{name} is a name"));
        let (public, private) = (suffix(&name, &rules, &[true]), suffix(&name, &rules, &[true, false]));
        if domain.public_suffix() != public {
            registries.extend(public.map(str::to_owned));
        } else if domain.private_suffix() != private {
            companies.extend(private.map(str::to_owned));
        }
    }
    assert_eq!(registries, BTreeSet::from(["helsinki", "juniper"].map(str::to_owned)));
    assert!(companies.len() < 100, "{companies:?}");
}

#[test]
fn a_custom_suffix_list() {
    let list =
        "\u{FEFF}// VERSION: 2026-01-02\n\nintern  // our own\n*.lab.intern\n!desk.lab.intern\nB\u{FC}ro\r\n";
    let list = SuffixList::parse(list, "mine.dat").expect("a list");
    assert_eq!(list.version(), "mine.dat 2026-01-02");
    for (host, registered) in [
        ("www.a.intern", Some("a.intern")),
        ("www.a.b.lab.intern", Some("a.b.lab.intern")),
        ("www.desk.lab.intern", Some("desk.lab.intern")),
        ("www.a.b%C3%BCro", Some("a.xn--bro-hoa")),
        ("www.example.com", None),
    ] {
        let uri = format!("http://{host}/");
        let domain = domain(&uri, &list).unwrap_or_else(|| panic!("{host} is a name"));
        assert_eq!((domain.registered_domain(), domain.private_domain()), (registered, registered), "{host}");
    }
    let unnamed = SuffixList::parse("com\n", "x").expect("a list");
    let (name, hash) = unnamed.version().rsplit_once(' ').expect("a hash");
    assert_eq!((name, hash.len()), ("x XXH3-64", 16));
}

#[test]
fn what_is_no_list() {
    for (text, why) in [
        ("", "it has no rule"),
        ("// nothing\n\n", "it has no rule"),
        ("<!DOCTYPE html>\n", "line 1 is not a rule of a public suffix list: <!DOCTYPE html>"),
        ("com\nhttp://example.com/\n", "line 2 is not a rule of a public suffix list: http://example.com/"),
        ("com\n\na..b\n", "line 3 is not a rule of a public suffix list: a..b"),
        ("com.\n", "line 1 is not a rule of a public suffix list: com."),
        ("a.*.com\n", "line 1 is not a rule of a public suffix list: a.*.com"),
        ("!com\n", "line 1 is not a rule of a public suffix list: !com"),
        ("{\"com\": 1}\n", "line 1 is not a rule of a public suffix list: {\\\"com\\\": 1}"),
        ("\u{1b}[2J\n", "line 1 is not a rule of a public suffix list: \\u{1b}[2J"),
    ] {
        let error = SuffixList::parse(text, "my.dat").expect_err(text).to_string();
        assert_eq!(error, format!("cannot use my.dat as a public suffix list: {why}"));
    }
}

/// The metadata of tables name the crate by a constant, because the crate does not name itself.
#[test]
fn the_embedded_list_names_its_crate() {
    let lock = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock")).expect("a lock file");
    let version = lock.split("name = \"psl\"\nversion = \"").nth(1).and_then(|rest| rest.split('"').next());
    assert_eq!(Some(SuffixList::embedded().version()), version.map(|v| format!("psl {v}")).as_deref());
}
