//! The lines of the grammars that faults name are those of the RFCs, and each fault names the right one.

use urimill::explain::{Found, Options, explain};
use urimill::grammar::abnf::Symbol;
use urimill::{Component, Spec};

use crate::abnf::APPENDIX_A;
use crate::shared;

/// A grammar as lines, with one line for each rule and single spaces.
fn lines(grammar: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in grammar.lines() {
        let line = line.split(';').next().filter(|_| !line.contains("\";\"")).unwrap_or(line);
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.starts_with(' ') {
            true => lines.last_mut().expect("a rule begins before it goes on").push_str(&format!(" {words}")),
            false => lines.push(words),
        }
    }
    lines
}

fn is_in(grammar: &[String], line: &str) -> bool {
    grammar.contains(&line.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[test]
fn the_lines_are_those_of_appendix_a() {
    let grammar = lines(APPENDIX_A);
    for symbol in Symbol::ALL {
        let rule = symbol.rule(Spec::Rfc3986);
        assert!(is_in(&grammar, rule.line), "{symbol:?}: {}", rule.line);
        let is_narrowed = symbol == Symbol::Name;
        assert_eq!(symbol.rule(Spec::Rfc3986Errata) != rule, is_narrowed, "erratum 4942: {symbol:?}");
    }
}

#[test]
fn the_lines_are_those_of_rfc_2396() {
    let Some(folder) = shared::folder() else { return };
    let text = std::fs::read_to_string(folder.join("specs/rfc2396-grammar.txt")).expect("the grammar");
    let grammar: Vec<String> =
        text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for symbol in Symbol::ALL {
        let rule = symbol.rule(Spec::Rfc2396);
        assert!(is_in(&grammar, rule.line), "{symbol:?}: {}", rule.line);
    }
}

/// Text, specification, rule, component, the character there, characters before.
type Row = (&'static [u8], Spec, &'static str, Component, Found, usize);

#[rustfmt::skip]
const FAULTS: &[Row] = &[
    (b"1a:b", Spec::Rfc3986, "scheme", Component::Scheme, Found::Char(':'), 2),
    (b":", Spec::Rfc3986, "scheme", Component::Scheme, Found::Char(':'), 0),
    (b"//a<b@h", Spec::Rfc3986, "userinfo", Component::Userinfo, Found::Char('<'), 3),
    (b"//a b/", Spec::Rfc3986, "reg-name", Component::Host, Found::Char(' '), 3),
    (b"//a@b@c", Spec::Rfc3986, "authority", Component::Host, Found::Char('@'), 5),
    (b"//[::1]x", Spec::Rfc3986, "authority", Component::Host, Found::Char('x'), 7),
    (b"//[::1", Spec::Rfc3986, "IP-literal", Component::Host, Found::End, 6),
    (b"//[v1]", Spec::Rfc3986, "IPvFuture", Component::Host, Found::Char(']'), 5),
    (b"//h:8a/", Spec::Rfc3986, "port", Component::Port, Found::Char('/'), 6),
    ("/é|".as_bytes(), Spec::Rfc3986, "pchar", Component::Path, Found::Char('é'), 1),
    ("/%C3%A9\u{e9}".as_bytes(), Spec::Rfc3986, "pchar", Component::Path, Found::Char('é'), 7),
    (b"?a[", Spec::Rfc3986, "query", Component::Query, Found::Char('['), 2),
    (b"#a#", Spec::Rfc3986, "fragment", Component::Fragment, Found::Char('#'), 2),
    (b"/%4", Spec::Rfc3986, "pct-encoded", Component::Path, Found::End, 3),
    (b"?%4g", Spec::Rfc3986, "pct-encoded", Component::Query, Found::Char('g'), 3),
    (b"/\xffa", Spec::Rfc3986, "pchar", Component::Path, Found::Byte(0xff), 1),
    // Up to the slash it could be user information.
    (b"//a!b/", Spec::Rfc3986Errata, "reg-name", Component::Host, Found::Char('/'), 5),
    (b"x:", Spec::Rfc2396, "absoluteURI", Component::Path, Found::End, 2),
    (b"//[::1]/", Spec::Rfc2396, "reg_name", Component::Host, Found::Char('['), 2),
    (b"/a[", Spec::Rfc2396, "pchar", Component::Path, Found::Char('['), 2),
    (b"x:a[", Spec::Rfc2396, "opaque_part", Component::Path, Found::Char('['), 3),
    (b"?a[", Spec::Rfc2396, "query", Component::Query, Found::Char('['), 2),
    (b"#a#", Spec::Rfc2396, "fragment", Component::Fragment, Found::Char('#'), 2),
    (b"/%4g", Spec::Rfc2396, "escaped", Component::Path, Found::Char('g'), 3),
];

#[test]
fn a_fault_names_its_rule() {
    for (text, spec, rule, component, found, before) in FAULTS {
        let told = explain(*text, &Options::new().spec(*spec));
        let fault = told.fault.unwrap_or_else(|| panic!("{} is valid", text.escape_ascii()));
        let name = fault.rule.expect("a rule").name();
        let shown = text.escape_ascii();
        assert_eq!((name, fault.reject.component), (*rule, *component), "{shown}");
        assert_eq!((fault.found, fault.chars_before), (*found, *before), "{shown}");
    }
}

/// The offset is the first byte that cannot be right; if that byte is not the one to blame, the explanation follows the
/// reading that goes further.
#[test]
fn a_fault_after_its_cause_says_what_could_have_been() {
    let reading = |text: &str| explain(text, &Options::default()).fault.expect(text).until_there;
    assert_eq!(reading("ht_tp://h/"), Some("a path, whose first segment holds no colon"));
    assert_eq!(reading("http://h:8a/"), Some("user information, which an @ would end"));
    assert_eq!(reading("//h:8a"), Some("user information, which an @ would end"));
    assert_eq!(reading("//a b/"), None);
    assert_eq!(reading("ht tp://h/"), None);
}
