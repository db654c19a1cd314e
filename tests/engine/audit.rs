//! The flags (RFC 3986 section 7, and what normalization did): for each a URI that has it and one that almost
//! has it, always with the whole set.

use std::collections::BTreeSet;

use arrow::array::AsArray;
use arrow::datatypes::Int32Type;
use urimill::audit::{FLAGS, Flags};
use urimill::batch::{Column, Columns, Normalizer, Options};
use urimill::explain::{self, explain};
use urimill::{Level, Spec};

/// The names of a record's flags at the default level, with repair; the code of what stays a reject.
fn flags(text: &str, spec: Spec) -> String {
    let columns = Columns::new([Column::Flags]);
    let mut normalizer = Normalizer::new(Options { columns, spec, repair: true, ..Options::default() });
    let (batch, tally) = normalizer.text(text.as_bytes()).expect("a table");
    assert_eq!(tally.rows, 1, "{text} is one record");
    if let Some((code, ..)) = tally.by_code().next() {
        return format!("a reject: {code}");
    }
    let names: Vec<_> = Flags(batch.column(0).as_primitive::<Int32Type>().value(0)).names().collect();
    names.join(" ")
}

const TABLE: &[(&str, &str, &str)] = &[
    ("http://example.com/", "", "nothing to see"),
    // has_userinfo
    ("http://u@h/", "has_userinfo", "7.5"),
    ("http://@h/", "has_userinfo", "3.2.1: empty, but there"),
    ("http://h/u@h", "", "7.5: an @ in the path"),
    ("http://h?u@h", "", "7.5: an @ in the query"),
    // has_password
    ("http://u:p@h/", "has_userinfo has_password", "7.5"),
    ("http://:p@h/", "has_userinfo has_password", "7.5: without a name"),
    ("http://u::@h/", "has_userinfo has_password", "7.5: a colon is a password too"),
    ("http://u:@h/", "has_userinfo", "7.5: an empty password is none"),
    ("http://u%3Ap@h/", "has_userinfo encoded_delimiter", "7.5: an encoded colon divides nothing"),
    // deceptive_userinfo
    ("http://www.bank.example@h/", "has_userinfo deceptive_userinfo", "7.6"),
    (
        "ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm",
        "has_userinfo deceptive_userinfo private_address",
        "7.6: the RFC's example",
    ),
    ("http://192.0.2.7@h/", "has_userinfo deceptive_userinfo", "7.6: an address"),
    (
        "http://bank.example:443@h/",
        "has_userinfo has_password deceptive_userinfo",
        "7.6: with what looks like a port",
    ),
    ("http://www@h/", "has_userinfo", "7.6: one label"),
    ("http://.com@h/", "has_userinfo", "7.6: no name before the top label"),
    ("http://v1.2@h/", "has_userinfo", "7.6: a number is no top label"),
    ("http://j.d@h/", "has_userinfo", "7.6: nor is one letter"),
    ("http://192.0.2.256@h/", "has_userinfo", "7.6: no address"),
    ("http://u:bank.example@h/", "has_userinfo has_password", "7.6: a password is not read as the host"),
    // host_not_utf8
    ("http://%FF/", "non_ascii_host host_not_utf8", "3.2.2"),
    ("http://b%FCcher.de/", "non_ascii_host host_not_utf8", "3.2.2"),
    ("http://b%fccher.de/", "case_changed non_ascii_host host_not_utf8", "3.2.2"),
    ("http://b%C3%BCcher.de/", "non_ascii_host", "3.2.2: UTF-8"),
    ("http://b%C3%BC%BC.de/", "non_ascii_host host_not_utf8", "3.2.2: a byte too many"),
    ("http://b%C3/", "non_ascii_host host_not_utf8", "3.2.2: a byte too few"),
    ("http://%C0%AF/", "non_ascii_host host_not_utf8", "3.2.2: overlong, so no UTF-8"),
    ("http://%ED%A0%80/", "non_ascii_host host_not_utf8", "3.2.2: half of a surrogate pair"),
    ("http://%2541/", "", "3.2.2: ASCII"),
    ("http://u%FF@h/%FF?%FF#%FF", "has_userinfo", "3.2.2: of the host alone"),
    ("x://%FF/", "non_ascii_host host_not_utf8", "3.2.2: whatever the scheme"),
    ("//%FF/", "non_ascii_host host_not_utf8", "3.2.2: a reference"),
    // rare_ipv4
    ("http://2130706433/", "rare_ipv4 private_address", "7.4: what it means counts"),
    ("http://127.1/", "rare_ipv4 private_address", "7.4"),
    ("http://12.1/", "rare_ipv4", "7.4"),
    ("http://0177.0.0.1/", "rare_ipv4 private_address", "7.4: octal"),
    ("http://012.1/", "rare_ipv4 private_address", "7.4: octal"),
    ("http://08.0.0.1/", "rare_ipv4", "7.4: no octal, and so nobody's"),
    ("http://0x7f.0.0.1/", "rare_ipv4 private_address", "7.4: hexadecimal"),
    ("http://0/", "rare_ipv4 private_address", "7.4: unspecified"),
    ("http://4294967296/", "rare_ipv4", "7.4: too large to mean one"),
    ("http://1.0xFf/", "rare_ipv4 case_changed", "7.4: the flags are those of the normal form"),
    ("http://256.1.1.1/", "rare_ipv4", "7.4: some platforms take the overflow"),
    ("http://192.0.2.1./", "rare_ipv4", "7.4: a trailing dot"),
    ("http://192.0.2.1/", "", "7.4: an IPv4address"),
    ("http://1.2.3.4.5/", "", "7.4: five parts"),
    ("http://0xfg/", "", "7.4: no hexadecimal number"),
    ("http://1a.2/", "", "7.4: no number"),
    ("http://1..2/", "", "7.4: an empty part"),
    // encoded_nul
    ("http://h/%00", "encoded_nul", "7.3"),
    ("http://h/?%00", "encoded_nul", "7.3"),
    ("http://h/%0", "repaired", "7.3: %250 is no NUL"),
    ("http://h/%2500", "", "7.3: decoded once only"),
    ("http://h/%01", "", "7.3"),
    ("http://h/%00/..", "dot_segments_removed", "7.3: of the normal form"),
    ("ftp://h/%00/..", "dot_segments_removed", "7.3: of the normal form"),
    // encoded_delimiter
    ("http://h/a%2Fb", "encoded_delimiter", "7.2"),
    ("http://h/%3f", "encoded_delimiter case_changed", "7.2"),
    ("http://h/%0D%0A", "encoded_delimiter", "7.2: line ends"),
    ("http://h/%0A", "encoded_delimiter", "7.2"),
    ("http://h%2Fa/", "encoded_delimiter", "7.2: in a host"),
    ("http://h/%2F/../b", "dot_segments_removed", "7.2: of the normal form"),
    ("http://h/#%23", "encoded_delimiter", "7.2: in a fragment"),
    ("http://h/[", "encoded_delimiter repaired", "7.2: of the text as repaired"),
    ("http://h/%26%3D", "", "7.2: sub-delims"),
    ("http://h/%252F", "", "7.2: decoded once only"),
    ("http://h/%09", "", "7.2: a tab ends no line"),
    // port_well_known_mismatch
    ("http://h:25/", "port_well_known_mismatch", "7.2: mail"),
    ("https://h:80/", "port_well_known_mismatch", "7.2"),
    ("http://h:0443/", "port_well_known_mismatch", "7.2: leading zeros"),
    ("//h:80/", "port_well_known_mismatch", "7.2: without a scheme every service is another's"),
    ("http://h:8080/", "", "7.2: not below 1024"),
    ("http://h:6379/", "", "7.2: another scheme's, and not below 1024"),
    ("http://h:81/", "", "7.2: nobody's"),
    ("https://h:443/", "port_dropped", "7.2: its own"),
    // port_out_of_range
    ("http://h:65536/", "port_out_of_range", "3.2.3"),
    ("http://h:18446744073709551617/", "port_out_of_range", "3.2.3: does not wrap"),
    ("http://h:65535/", "", "3.2.3"),
    ("http://h:0000065535/", "", "3.2.3: leading zeros"),
    ("http://h:0/", "", "3.2.3: zero fits"),
    // missing_host
    ("http:///a", "missing_host", "3.2.2"),
    ("http:a", "missing_host", "3.2.2: no authority at all"),
    ("http://:8080/", "missing_host", "3.2.2"),
    ("http://u@/", "has_userinfo missing_host", "3.2.2"),
    ("file:///a", "", "3.2.2: file needs none"),
    ("x:///a", "", "3.2.2: nothing is known of x"),
    ("///a", "", "3.2.2: no scheme that requires one"),
    ("mailto:a@b", "", "3.2.2: mailto has no authority"),
    // dot_segments_removed
    ("http://h/a/../b", "dot_segments_removed", "6.2.2.3"),
    ("http://h/.", "dot_segments_removed", "6.2.2.3"),
    ("http://h/%2e%2E/a", "dot_segments_removed percent_decoded", "6.2.2.3: decoding comes first"),
    ("/./a", "dot_segments_removed", "6.2.2.3: of a reference"),
    ("http://h/.a/b./...", "", "6.2.2.3: dots in names"),
    ("http://h/?/../a", "", "6.2.2.3: in a query"),
    ("http://h/#/../a", "", "6.2.2.3: in a fragment"),
    ("../a", "", "6.2.2.3: a relative path needs its base"),
    ("urn:a/../b", "", "6.2.2.3: a rootless path"),
    ("/.//a", "", "3.3: the guard before two slashes"),
    // percent_decoded
    ("http://h/%7Ea", "percent_decoded", "6.2.2.2"),
    ("http://h/?%41#%42", "percent_decoded", "6.2.2.2"),
    ("http://h/%7e", "percent_decoded", "6.2.2.2: digits that are gone have no case"),
    ("http://h/%20", "", "6.2.2.2: not unreserved"),
    ("http://h/%2541", "", "6.2.2.2: decoded once only"),
    // case_changed
    ("HTTP://h/", "case_changed", "6.2.2.1"),
    ("http://H/", "case_changed", "6.2.2.1"),
    ("http://h/%c3%a9", "case_changed", "6.2.2.1"),
    ("mailto:A@B", "case_changed", "6.2.3: a mail domain"),
    ("http://%41/", "percent_decoded case_changed", "6.2.2.1: a letter decoded in a host"),
    ("http://h/A?B#C", "", "6.2.2.1: the rest has its case"),
    ("http://U@h/", "has_userinfo", "6.2.2.1: so has user information"),
    ("mailto:A@b", "", "6.2.3: so has a mailbox"),
    // port_dropped
    ("http://h:80/", "port_dropped", "6.2.3"),
    ("http://h:/", "port_dropped", "6.2.3: an empty port"),
    ("http://h:0080/", "port_dropped", "6.2.3: the same number"),
    ("x://h:/", "port_dropped", "6.2.3: for every scheme"),
    ("ftp://h:21/", "port_dropped", "6.2.3"),
    ("//h:/", "port_dropped", "6.2.3: whatever the base's scheme is"),
    ("//h:80/a", "port_well_known_mismatch", "6.2.3: without a scheme no port is default"),
    // repaired
    ("http://h/a b", "repaired", "2.1"),
    ("<http://h/>", "repaired", "C"),
    ("url:http://h/", "repaired", "C"),
    ("http://h/a%20b", "", "2.1: nothing to mend"),
    // non_ascii_host
    ("http://xn--bcher-kva.example/", "non_ascii_host", "3.2.2: punycode"),
    ("http://www.XN--bcher-kva/", "case_changed non_ascii_host", "3.2.2"),
    ("http://b%C3%BCcher/", "non_ascii_host", "3.2.2: percent-encoded UTF-8"),
    ("http://b\u{fc}cher/", "repaired non_ascii_host", "3987 3.1"),
    ("http://axn--b/", "", "3.2.2: not at the label's beginning"),
    ("http://a%20b/", "", "3.2.2: a space is ASCII"),
    ("http://h/%C3%BC", "", "3.2.2: not in the host"),
    ("http://xn--a@h/", "has_userinfo", "3.2.2: nor is user information"),
    // private_address
    ("http://127.0.0.1/", "private_address", "7.4: loopback"),
    ("http://127.255.255.254/", "private_address", "7.4: loopback is a whole network"),
    ("http://10.1.2.3/", "private_address", "7.4"),
    ("http://172.16.0.1/", "private_address", "7.4"),
    ("http://172.31.255.255/", "private_address", "7.4"),
    ("http://192.168.0.1/", "private_address", "7.4"),
    ("http://169.254.169.254/", "private_address", "7.4: link-local"),
    ("http://0.0.0.0/", "private_address", "7.4: unspecified"),
    ("http://[::1]/", "private_address", "7.4"),
    ("http://[::]/", "private_address", "7.4"),
    ("http://[fe80::1]/", "private_address", "7.4"),
    ("http://[fd00::1]/", "private_address", "7.4: unique local"),
    ("http://[::ffff:10.0.0.1]/", "private_address", "7.4: mapped"),
    ("http://%31%30.0.0.1/", "percent_decoded private_address", "7.4: of the normal form"),
    ("http://128.0.0.1/", "", "7.4"),
    ("http://172.32.0.1/", "", "7.4"),
    ("http://172.15.255.255/", "", "7.4"),
    ("http://192.169.0.1/", "", "7.4"),
    ("http://[2001:db8::1]/", "", "7.4"),
    ("http://[::ffff:192.0.2.1]/", "", "7.4"),
    ("http://[fec0::1]/", "", "7.4: site-local is deprecated (RFC 3879)"),
    ("http://h/127.0.0.1", "", "7.4: in a path"),
    ("http://10.0.0.1.example/", "", "7.4: a name"),
];

#[test]
fn the_whole_set_of_each() {
    for &(text, expected, section) in TABLE {
        for spec in [Spec::Rfc3986, Spec::Rfc3986Errata] {
            assert_eq!(flags(text, spec), expected, "{section}: {text} by {spec}");
        }
    }
}

/// What is otherwise by RFC 2396: (text, flags, requirement or section of that RFC). The rest of the table above
/// is the same.
const BY_RFC_2396: &[(&str, &str, &str)] = &[
    ("http://h/%21", "percent_decoded", "2.3: an exclamation mark is unreserved"),
    ("http://1.0xFf/", "rare_ipv4", "3.2.1: a registry's name keeps its case"),
    ("http://010.0.0.1/", "rare_ipv4", "3.2.2: an IPv4address by this grammar, and octal to platforms"),
    ("http://0127.0.0.1/", "rare_ipv4", "3.2.2: which makes it 87.0.0.1"),
    ("http://017700000001/", "rare_ipv4 private_address", "3.2.1: 127.0.0.1 in a registry's name"),
    ("http://127.1:80/", "", "3.2.1: all of the authority is a registry's name, and no number"),
    ("http://u:p@a_b/", "", "3.2.1: all of it"),
    ("http://:8080/", "", "3.2.1: all of it"),
    ("http://u@/", "", "3.2.1: all of it"),
    ("http://h/a/../b", "", "4: dots mean something in relative paths alone"),
    ("http://h/%00/..", "encoded_nul", "4"),
    ("ftp://h/%00/..", "encoded_nul", "4"),
    ("http://h/%2F/../b", "encoded_delimiter", "4"),
    ("http://h/.", "", "4"),
    ("http://h/%2e%2E/a", "percent_decoded", "4"),
    ("/./a", "", "4"),
    ("mailto:A@B", "", "3: an opaque part"),
    ("http://[::1]/", "a reject: host_invalid_char", "3.2.2: no literal IPv6 addresses"),
    ("http://[::]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[fe80::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[fd00::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[::ffff:10.0.0.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2001:db8::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[::ffff:192.0.2.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[fec0::1]/", "a reject: host_invalid_char", "3.2.2"),
];

#[test]
fn the_flags_under_rfc_2396() {
    for &(text, expected, section) in BY_RFC_2396 {
        assert_eq!(flags(text, Spec::Rfc2396), expected, "{section}: {text}");
    }
    for &(text, expected, section) in TABLE {
        if !BY_RFC_2396.iter().any(|row| row.0 == text) {
            assert_eq!(flags(text, Spec::Rfc2396), expected, "{section}: {text} by RFC 2396");
        }
    }
}

/// What a host is made of is the same at every level: alone, in bulk, and as the target of a reference.
#[test]
fn a_host_that_is_no_utf8_is_flagged_at_every_level() {
    for spec in Spec::ALL {
        for level in Level::ALL {
            for (text, is_flagged) in [("http://%41%FC/a", true), ("http://%c3%bC/a", false), ("//%FC", true)]
            {
                let context = format!("{text} at {level} by {spec}");
                let columns = Columns::new([Column::Flags]);
                let options = Options { columns, spec, level, ..Options::default() };
                let bulk = |options: Options, text: &str| {
                    let (batch, _) = Normalizer::new(options).text(text.as_bytes()).expect("a table");
                    Flags(batch.column(0).as_primitive::<Int32Type>().value(0))
                };
                assert_eq!(bulk(options.clone(), text).has(Flags::HOST_NOT_UTF8), is_flagged, "{context}");
                let base = format!("http://h/../{}", if is_flagged { "" } else { "x" });
                let with_base = options.clone().with_base(&base).expect("a base");
                assert_eq!(
                    bulk(with_base, text).has(Flags::HOST_NOT_UTF8),
                    is_flagged,
                    "{context}, resolved"
                );
                if let Ok(of_base) = options.with_base(text) {
                    assert_eq!(
                        bulk(of_base, "b").has(Flags::HOST_NOT_UTF8),
                        is_flagged,
                        "{context}, as a base"
                    );
                }
                let told = explain(text, &explain::Options { spec, level, ..explain::Options::default() });
                let flags = told.reference.expect("a reference").flags;
                assert_eq!(flags.has(Flags::HOST_NOT_UTF8), is_flagged, "{context}, alone");
            }
        }
    }
}

/// Flags that need a base: see `engine::targets`.
const WITH_A_BASE: [&str; 4] =
    ["same_document", "excess_dot_segments", "same_scheme_reference", "unsuitable_base"];

/// The table above has no hole: every flag is there, but those that need a base.
#[test]
fn every_flag_is_seen() {
    let seen: BTreeSet<_> =
        TABLE.iter().flat_map(|row| row.1.split(' ')).filter(|name| !name.is_empty()).collect();
    let all: BTreeSet<_> =
        FLAGS.iter().map(|flag| flag.name).filter(|name| !WITH_A_BASE.contains(name)).collect();
    assert_eq!(seen, all);
}

/// Whoever reads the schema finds the section behind each flag.
#[test]
fn every_flag_names_its_section() {
    for flag in FLAGS {
        let section = flag.meaning.strip_suffix(')').and_then(|meaning| meaning.rsplit_once(" ("));
        let section = section.unwrap_or_else(|| panic!("{}: {}", flag.name, flag.meaning)).1;
        assert!(section.starts_with(|c: char| ('3'..='7').contains(&c)), "{}: {section}", flag.name);
    }
}

/// Numbers that are written to files must never change.
#[test]
fn the_bits_are_for_ever() {
    const NAMES: &[(usize, &str)] = &[
        (0, "has_userinfo"),
        (1, "has_password"),
        (2, "deceptive_userinfo"),
        (3, "rare_ipv4"),
        (4, "encoded_nul"),
        (5, "encoded_delimiter"),
        (6, "port_well_known_mismatch"),
        (7, "port_out_of_range"),
        (8, "missing_host"),
        (9, "same_document"),
        (10, "dot_segments_removed"),
        (11, "percent_decoded"),
        (12, "case_changed"),
        (13, "port_dropped"),
        (14, "repaired"),
        (15, "non_ascii_host"),
        (16, "private_address"),
        (17, "host_not_utf8"),
        (18, "excess_dot_segments"),
        (19, "same_scheme_reference"),
        (20, "unsuitable_base"),
    ];
    for (bit, name) in NAMES {
        let flag = FLAGS.iter().find(|flag| flag.name == *name).unwrap_or_else(|| panic!("no flag {name}"));
        assert_eq!(flag.bit, 1 << bit, "{name}");
    }
    assert!(FLAGS.is_sorted_by_key(|flag| flag.bit), "in the order of the bits");
}
