//! The flags (RFC 3986 section 7, and normalization): for each a URI that has it and one that almost has it, always
//! with the whole set.

use std::collections::BTreeSet;

use arrow::array::{AsArray, PrimitiveArray, StringArray, StringViewBuilder};
use arrow::datatypes::Int32Type;
use urimill::audit::{FLAGS, Flags};
use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions};
use urimill::explain::{self, explain};
use urimill::simd::Isa;
use urimill::{Level, Spec, UriRef};

use crate::Rng;

/// The names of a record's flags at the default level, with repair; the code if it stays a reject.
fn flags(text: &str, spec: Spec) -> String {
    let columns = Columns::new([Column::Flags]);
    let reading = Reading::Rfc(RfcOptions { spec, repair: true, ..RfcOptions::default() });
    let mut normalizer = Normalizer::new(Options { columns, reading, ..Options::default() });
    let (batch, tally) = normalizer.text(text.as_bytes()).expect("a table");
    assert_eq!(tally.rows, 1, "{text} is one record");
    if let Some((code, ..)) = tally.by_code().next() {
        return format!("a reject: {code}");
    }
    let names: Vec<_> = Flags(batch.column(0).as_primitive::<Int32Type>().value(0)).names().collect();
    names.join(" ")
}

const DECEPTIVE_DELIMITER: &str = "has_userinfo deceptive_userinfo encoded_delimiter";
const DECEPTIVE_PASSWORD: &str = "has_userinfo has_password deceptive_userinfo";
const HOST_NOT_UTF8: &str = "non_ascii_host host_not_utf8";

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
    // host_not_utf8
    ("http://%FF/", "non_ascii_host host_not_utf8", "3.2.2"),
    ("http://b%FCcher.de/", "non_ascii_host host_not_utf8", "3.2.2"),
    ("http://b%fccher.de/", "case_changed non_ascii_host host_not_utf8", "3.2.2"),
    ("http://b%C3%BCcher.de/", "non_ascii_host", "3.2.2: UTF-8"),
    ("http://b%C3%BC%BC.de/", "non_ascii_host host_not_utf8", "3.2.2: a byte too many"),
    ("http://b%C3/", "non_ascii_host host_not_utf8", "3.2.2: a byte too few"),
    ("http://%C0%AF/", "non_ascii_host host_not_utf8 overlong_utf8", "3.2.2: overlong, so no UTF-8"),
    ("http://%ED%A0%80/", "non_ascii_host host_not_utf8", "3.2.2: half of a surrogate pair"),
    ("http://%2541/", "double_encoding", "3.2.2: ASCII"),
    ("http://u%FF@h/%FF?%FF#%FF", "has_userinfo", "3.2.2: of the host alone"),
    ("x://%FF/", "non_ascii_host host_not_utf8", "3.2.2: whatever the scheme"),
    ("//%FF/", "non_ascii_host host_not_utf8", "3.2.2: a reference"),
    ("http://u:bank.example@h/", DECEPTIVE_PASSWORD, "7.6: the password reads as the host"),
    ("http://u:pass@h/", "has_userinfo has_password", "7.6: one label"),
    ("http://bank.example.@h/", "has_userinfo deceptive_userinfo", "7.6: a dot behind the name"),
    ("http://bank.example..@h/", "has_userinfo", "7.6: two of them"),
    (
        "http://bank%2Eexample@h/",
        "has_userinfo deceptive_userinfo percent_decoded",
        "7.6: as it reads decoded",
    ),
    ("http://%2F%2Fbank.example@h/", DECEPTIVE_DELIMITER, "7.6: encoded slashes before it"),
    ("http://bank.example%2Flogin@h/", DECEPTIVE_DELIMITER, "7.6: and behind it"),
    (
        "http://https:%2F%2Fbank.example@h/",
        "has_userinfo has_password deceptive_userinfo encoded_delimiter",
        "7.6: a scheme before the host",
    ),
    (
        "http://https%3A%2F%2Fbank.example%2F@h/",
        DECEPTIVE_DELIMITER,
        "7.6: all delimiters encoded, that behind the scheme too",
    ),
    (
        "http://x%2F%2Fbank.example@h/",
        DECEPTIVE_DELIMITER,
        "7.6: behind two slashes, whatever is before them",
    ),
    ("http://x%2Fbank.example@h/", "has_userinfo encoded_delimiter", "7.6: one slash is a path's"),
    (
        "http://%5C%5Cbank.example@h/",
        "has_userinfo deceptive_userinfo encoded_backslash",
        "7.6: backslashes for slashes",
    ),
    ("http://bank.xn--p1ai@h/", "has_userinfo deceptive_userinfo", "7.6: a top label in punycode"),
    ("http://xn--p1ai@h/", "has_userinfo", "7.6: one label"),
    ("http://bank.%D1%80%D1%84@h/", "has_userinfo deceptive_userinfo", "7.6: a top label in Unicode"),
    ("http://bank%E3%80%82example@h/", "has_userinfo deceptive_userinfo", "7.6: an ideographic full stop"),
    ("http://bank.%FF%FE@h/", "has_userinfo", "7.6: no UTF-8, no name"),
    ("http://localhost@h/", "has_userinfo deceptive_userinfo", "7.6: localhost"),
    (
        "http://LOCALHOST:80@h/",
        "has_userinfo has_password deceptive_userinfo",
        "7.6: in either case, with what looks like a port",
    ),
    ("http://2130706433@h/", "has_userinfo deceptive_userinfo", "7.6: a rare IPv4 form"),
    ("http://127.1@h/", "has_userinfo deceptive_userinfo", "7.6: a rare IPv4 form"),
    ("http://0x7f.1@h/", "has_userinfo deceptive_userinfo", "7.6: a rare IPv4 form"),
    ("http://u:0x7f000001@h/", DECEPTIVE_PASSWORD, "7.6: a rare IPv4 form for a password"),
    ("http://12345@h/", "has_userinfo", "7.6: a number below 2^24 is a user's"),
    ("http://u:20240101@h/", "has_userinfo has_password", "7.6: a number is a password"),
    (
        "http://%5B::1%5D@h/",
        "has_userinfo has_password deceptive_userinfo encoded_delimiter",
        "7.6: in brackets",
    ),
    (
        "ftp://anonymous:joe%40mail.example@h/",
        "has_userinfo has_password encoded_delimiter",
        "7.6: a mail address is the usual password of anonymous FTP",
    ),
    // rare_ipv4
    ("http://2130706433/", "rare_ipv4 private_address", "7.4: what it means counts"),
    ("//2130706433/", "rare_ipv4 private_address", "7.4: the scheme may be one of machines"),
    ("redis://2130706433/", "rare_ipv4 private_address", "7.4"),
    ("ios-app://334256223/", "", "7.4: a key of its scheme"),
    ("ios-app://3342562%32%33/", "percent_decoded", "7.4: on decoded data"),
    ("ios-app://127.1/", "rare_ipv4 private_address", "7.4: more than digits"),
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
    ("http://%31%32%37.0.0.1/", "rare_ipv4 percent_decoded private_address", "7.4: on decoded data"),
    ("http://127%2E0.0.1/", "rare_ipv4 percent_decoded private_address", "7.4: an encoded dot"),
    ("http://%30x7f.1/", "rare_ipv4 percent_decoded private_address", "7.4: both at once"),
    ("http://%38.8.8.8/", "rare_ipv4 percent_decoded", "7.4: a public address"),
    ("http://%2531.0.0.1/", "double_encoding", "7.4: decoded once only"),
    // idna_address
    (
        "http://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/",
        "non_ascii_host private_address idna_address",
        "7.4: full-width digits",
    ),
    (
        "http://%E2%91%A0%E2%91%A1%E2%91%A6.0.0.1/",
        "non_ascii_host private_address idna_address",
        "7.4: circled digits",
    ),
    (
        "http://127%E3%80%820.0.1/",
        "non_ascii_host private_address idna_address",
        "7.4: an ideographic full stop",
    ),
    ("http://127.0.0.1%C2%AD/", "non_ascii_host private_address idna_address", "7.4: what IDNA drops"),
    ("http://%EF%BC%98.8.8.8/", "non_ascii_host idna_address", "7.4: a public address"),
    (
        "http://%EF%BC%90%EF%BD%987f.1/",
        "rare_ipv4 non_ascii_host private_address idna_address",
        "7.4: and that in a rare form",
    ),
    ("http://%EF%BC%91%EF%BC%92%EF%BC%97.example/", "non_ascii_host", "7.4: a name"),
    ("http://%FF127.0.0.1/", HOST_NOT_UTF8, "7.4: no UTF-8, no name"),
    (
        "http://\u{2460}\u{2461}\u{2466}.0.0.1/",
        "repaired private_address idna_address",
        "7.4: of the text as read",
    ),
    ("http://127.0.0.1/\u{e9}", "repaired private_address", "7.4: ASCII in the host as read"),
    (
        "http://\u{e9}@127.0.0.1/",
        "has_userinfo repaired private_address",
        "7.4: nor is the host before the @",
    ),
    ("http://1..2/", "", "7.4: an empty part"),
    // encoded_nul
    ("http://h/%00", "encoded_nul", "7.3"),
    ("http://h/?%00", "encoded_nul", "7.3"),
    ("http://h/%0", "repaired", "7.3: %250 is no NUL"),
    ("http://h/%2500", "double_encoding", "7.3: decoded once only"),
    ("http://h/%01", "", "7.3"),
    ("http://h/%00/..", "encoded_nul dot_segments_removed", "7.3: also where it goes with the dot segments"),
    ("ftp://h/%00/..", "encoded_nul dot_segments_removed", "7.3: also where it goes with the dot segments"),
    // encoded_delimiter
    ("http://h/a%2Fb", "encoded_delimiter", "7.2"),
    ("http://h/%3f", "encoded_delimiter case_changed", "7.2"),
    ("http://h/%0D%0A", "encoded_delimiter", "7.2: line ends"),
    ("http://h/%0A", "encoded_delimiter", "7.2"),
    ("http://h%2Fa/", "encoded_delimiter", "7.2: in a host"),
    (
        "http://h/%2F/../b",
        "encoded_delimiter dot_segments_removed",
        "7.2: also where it goes with the dot segments",
    ),
    ("http://h/#%23", "encoded_delimiter", "7.2: in a fragment"),
    ("http://h/[", "encoded_delimiter repaired", "7.2: of the text as repaired"),
    ("http://h/%26%3D", "", "7.2: sub-delims"),
    ("http://h/%252F", "double_encoding", "7.2: decoded once only"),
    ("http://h/%09", "", "7.2: a tab ends no line"),
    // encoded_backslash
    ("http://h/a%5Cb", "encoded_backslash", "7.3"),
    ("http://h/?%5c", "case_changed encoded_backslash", "7.3: in a query, in either case"),
    ("http://h/%5C/..", "dot_segments_removed encoded_backslash", "7.3: also where it goes"),
    ("http://h%5C@h/", "has_userinfo encoded_backslash", "7.3: in user information"),
    ("http://h/%2F%5B", "encoded_delimiter", "7.3: its neighbours"),
    // overlong_utf8
    ("http://h/%C0%AF", "overlong_utf8", "7.3: a slash in two octets"),
    ("http://h/%C1%9c", "case_changed overlong_utf8", "7.3: a backslash"),
    ("http://h/%C0%80", "overlong_utf8", "7.3: NUL as Java has it"),
    ("http://h/%E0%80%AF", "overlong_utf8", "7.3: in three octets"),
    ("http://h/?%F0%80%80%AF", "overlong_utf8", "7.3: in four, in a query"),
    ("http://h/%F8%80%80%80%AF", "overlong_utf8", "7.3: in five"),
    ("http://h/%FC%80%80%80%80%AF", "overlong_utf8", "7.3: in six"),
    ("http://%C0%AE@h/", "has_userinfo overlong_utf8", "7.3: in user information"),
    ("http://h/%C0%AE%C0%AE/..", "dot_segments_removed overlong_utf8", "7.3: also where it goes"),
    ("http://h/%C3%A9%E0%A4%85%E2%82%AC%F0%9F%98%80", "", "7.3: the shortest forms"),
    ("http://h/%C0/%AF", "", "7.3: octets that are no neighbours"),
    ("http://h/%E0%A0%80%F0%90%80%80", "", "7.3: the first characters that need three and four"),
    ("http://h/%ED%A0%80", "", "7.3: a surrogate is no over-long form"),
    // double_encoding
    ("http://h/%2541", "double_encoding", "2.4: a triplet's triplet"),
    ("http://h/%25%34%31", "percent_decoded double_encoding", "2.4: its digits encoded too"),
    ("http://h/?q=%252e%252E", "double_encoding", "2.4: in a query"),
    ("http://h/%2541/..", "dot_segments_removed double_encoding", "2.4: also where it goes"),
    ("http://h/100%25", "", "2.4: a percent sign"),
    ("http://h/%25zz%254", "", "2.4: no digits behind it"),
    ("http://h/%25/41", "", "2.4: a delimiter behind it"),
    // device_name
    ("http://h/CON", "device_name", "7.3: CON"),
    ("http://h/prn", "device_name", "7.3: PRN, in either case"),
    ("http://h/a/Aux/b", "device_name", "7.3: AUX, in any segment"),
    ("http://h/nul?q", "device_name", "7.3: NUL before a query"),
    ("http://h/com1#f", "device_name", "7.3: COM1 before a fragment"),
    ("http://h/LPT9/", "device_name", "7.3: LPT9"),
    ("http://h/con.txt", "device_name", "7.3: with an extension"),
    ("http://h/con.tar.gz", "device_name", "7.3: with two"),
    ("http://h/aux:x", "device_name", "7.3: with a stream"),
    ("http://h/nul;v=1", "device_name", "7.3: with a parameter"),
    ("http://h/nul%20%20", "device_name", "7.3: spaces behind it"),
    ("http://h/nul%20.txt", "device_name", "7.3: and before the extension"),
    ("http://h/nul%20x", "", "7.3: not within a name"),
    ("http://h/CONIN$", "device_name", "7.3: the console's input"),
    ("http://h/conout$", "device_name", "7.3: and output"),
    ("http://h/clock$", "device_name", "7.3: the clock of DOS"),
    ("http://h/%41UX", "percent_decoded device_name", "7.3: on decoded data"),
    ("http://h/COM%C2%B9", "device_name", "7.3: a superscript digit"),
    ("http://h/a%2Fcon", "encoded_delimiter device_name", "7.3: behind an encoded slash"),
    ("http://h/a%5Ccon", "encoded_backslash device_name", "7.3: behind an encoded backslash"),
    ("http://h/con%00.jpg", "encoded_nul device_name", "7.3: before NUL"),
    ("http://h/con/..", "dot_segments_removed device_name", "7.3: also where it goes"),
    ("file:///C:/aux.h", "device_name", "7.3: a file"),
    ("ftp://h/prn", "device_name", "7.3: of whatever scheme"),
    ("aux.c", "device_name", "7.3: a relative reference"),
    ("a/nul", "device_name", "7.3: a relative reference"),
    ("http://h/com0", "", "7.3: there is no COM0"),
    ("http://h/com10", "", "7.3: nor COM10"),
    ("http://h/com", "", "7.3: no number"),
    ("http://h/contact", "", "7.3: a longer name"),
    ("http://h/xcon", "", "7.3: not at the segment's beginning"),
    ("http://h/a.con", "", "7.3: an extension"),
    ("http://h/%2563on", "double_encoding", "7.3: decoded once only"),
    ("http://con/", "", "7.3: a host"),
    ("http://h/?f=/con", "", "7.3: a query"),
    ("mailto:con", "", "7.3: an address"),
    ("urn:con:1", "", "7.3: no hierarchy"),
    // port_well_known_mismatch
    ("http://h:25/", "port_well_known_mismatch", "7.2: mail"),
    ("https://h:80/", "port_well_known_mismatch", "7.2"),
    ("http://h:0443/", "port_well_known_mismatch", "7.2: leading zeros"),
    ("//h:80/", "port_well_known_mismatch", "7.2: without a scheme every service is another's"),
    ("http://h:8080/", "", "7.2: not below 1024"),
    ("http://h:6379/", "", "7.2: another scheme's, and not below 1024"),
    ("http://h:81/", "", "7.2: nobody's"),
    ("http://h:7/", "port_well_known_mismatch", "7.2: echo"),
    ("http://h:1/", "port_well_known_mismatch", "7.2: IANA has it"),
    ("http://h:445/", "port_well_known_mismatch", "7.2: IANA has it"),
    ("http://h:873/", "port_well_known_mismatch", "7.2: IANA has it"),
    ("http://h:1010/", "port_well_known_mismatch", "7.2: IANA has it"),
    ("http://h:77/", "port_well_known_mismatch", "7.2: browsers block it"),
    ("http://h:0/", "port_well_known_mismatch", "7.2: browsers block it"),
    ("http://h:1023/", "", "7.2: nobody's"),
    ("http://h:1024/", "", "7.2: no well-known port"),
    ("unknown://h:22/", "port_well_known_mismatch", "7.2: no scheme that has it"),
    ("smtp://h:25", "", "7.2: IANA's service of that name"),
    ("SMTP://h:587", "case_changed", "7.2: submission of mail"),
    ("git+ssh://h:22", "", "7.2: a part of a compound"),
    ("svn+ssh://h:22/", "", "7.2: a part of a compound"),
    ("git+https://h:443/", "", "7.2: a part of a compound"),
    ("git+https://h:80/", "port_well_known_mismatch", "7.2: but no other"),
    ("pop3://h:110", "", "7.2: IANA's service of that name"),
    ("pop3s://h:995/", "", "7.2: IANA's service of that name"),
    ("pop://h:995/", "port_well_known_mismatch", "7.2: with TLS it is another service"),
    ("whois://h:43", "", "7.2: nicname by another name"),
    ("ftp://h:20/", "", "7.2: its data's port"),
    ("sftp://h:22/a", "port_dropped", "7.2: its own"),
    ("ssh://h:22", "port_dropped", "7.2: its own"),
    ("ssh://h:23", "port_well_known_mismatch", "7.2: telnet"),
    ("tcp://h:22", "", "7.2: a transport"),
    ("https://h:443/", "port_dropped", "7.2: its own"),
    // port_out_of_range
    ("http://h:65536/", "port_out_of_range", "3.2.3"),
    ("http://h:18446744073709551617/", "port_out_of_range", "3.2.3: does not wrap"),
    ("http://h:65535/", "", "3.2.3"),
    ("http://h:0000065535/", "", "3.2.3: leading zeros"),
    ("http://h:00001024/", "", "3.2.3: leading zeros"),
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
    ("urn:a/../b", "dot_segments_removed", "6.2.2.3: of a rootless path too"),
    ("/.//a", "", "3.3: the guard before two slashes"),
    // percent_decoded
    ("http://h/%7Ea", "percent_decoded", "6.2.2.2"),
    ("http://h/?%41#%42", "percent_decoded", "6.2.2.2"),
    ("http://h/%7e", "percent_decoded", "6.2.2.2: digits that are gone have no case"),
    ("http://h/%20", "", "6.2.2.2: not unreserved"),
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
    ("http://100.64.0.1/", "private_address", "7.4: shared"),
    ("http://100.127.255.255/", "private_address", "7.4: shared"),
    ("http://240.0.0.1/", "private_address", "7.4: reserved"),
    ("http://255.255.255.255/", "private_address", "7.4: broadcast"),
    ("http://0.1.2.3/", "private_address", "7.4: this network"),
    ("http://192.0.0.8/", "private_address", "7.4: for protocols"),
    ("http://198.18.0.1/", "private_address", "7.4: for measurements"),
    ("http://198.19.255.255/", "private_address", "7.4: for measurements"),
    ("http://100.63.255.255/", "", "7.4"),
    ("http://100.128.0.0/", "", "7.4"),
    ("http://198.20.0.0/", "", "7.4"),
    ("http://239.255.255.255/", "", "7.4: multicast"),
    ("http://192.0.2.1:8080/", "", "7.4: documentation"),
    ("http://[::127.0.0.1]/", "private_address", "7.4: IPv4-compatible"),
    ("http://[64:ff9b::7f00:1]/", "private_address", "7.4: NAT64"),
    ("http://[64:ff9b::10.0.0.1]/", "private_address", "7.4: NAT64"),
    ("http://[64:ff9b:1::1]/", "private_address", "7.4: NAT64 for local use"),
    ("http://[2002:7f00:1::]/", "private_address", "7.4: 6to4"),
    ("http://[2002:a9fe:a9fe::1]/", "private_address", "7.4: 6to4"),
    ("http://[2001:0:cb00:7101::80ff:fffe]/", "private_address", "7.4: Teredo, of 127.0.0.1"),
    ("http://[2001:0:a00:1::3fff:fefe]/", "private_address", "7.4: Teredo, its server"),
    ("http://[::ffff:0:192.168.0.1]/", "private_address", "7.4: IPv4-translated"),
    ("http://[2001:db8::5efe:10.0.0.1]/", "private_address", "7.4: ISATAP"),
    ("http://[::192.0.2.1]/", "", "7.4: IPv4-compatible, a public address"),
    ("http://[64:ff9b::192.0.2.1]/", "", "7.4: NAT64"),
    ("http://[2002:cb00:7101::1]/", "", "7.4: 6to4"),
    ("http://[2001:0:cb00:7101::34ff:8efe]/", "", "7.4: Teredo"),
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

/// Differences by RFC 2396: (text, flags, requirement or section of that RFC). The rest of the table above is the same.
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
    ("urn:a/../b", "", "3: an opaque part"),
    ("http://[::1]/", "a reject: host_invalid_char", "3.2.2: no literal IPv6 addresses"),
    ("http://[::]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[fe80::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[fd00::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[::ffff:10.0.0.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2001:db8::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[::ffff:192.0.2.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[fec0::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[::127.0.0.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[64:ff9b::7f00:1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[64:ff9b::10.0.0.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[64:ff9b:1::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2002:7f00:1::]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2002:a9fe:a9fe::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2001:0:cb00:7101::80ff:fffe]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2001:0:a00:1::3fff:fefe]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[::ffff:0:192.168.0.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2001:db8::5efe:10.0.0.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[::192.0.2.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[64:ff9b::192.0.2.1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2002:cb00:7101::1]/", "a reject: host_invalid_char", "3.2.2"),
    ("http://[2001:0:cb00:7101::34ff:8efe]/", "a reject: host_invalid_char", "3.2.2"),
];

#[test]
fn the_flags_under_rfc_2396() {
    for &(text, expected, section) in BY_RFC_2396 {
        assert_eq!(flags(text, Spec::Rfc2396), expected, "{section}: {text}");
    }
    let mut wrong = Vec::new();
    for &(text, expected, section) in TABLE {
        // By RFC 2396, dots have a meaning in relative paths only (4).
        let names = expected.split(' ').filter(|&name| name != "dot_segments_removed");
        let (expected, found) = (names.collect::<Vec<_>>().join(" "), flags(text, Spec::Rfc2396));
        if !BY_RFC_2396.iter().any(|row| row.0 == text) && found != expected {
            wrong.push(format!("{section}: {text} by RFC 2396: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The table above is complete: it has every flag, except those that need a base.
#[test]
fn the_table_covers_every_flag() {
    let rows = TABLE.iter().filter(|row| !row.1.starts_with("a reject"));
    let seen: BTreeSet<_> = rows.flat_map(|row| row.1.split(' ')).filter(|name| !name.is_empty()).collect();
    let all: BTreeSet<_> =
        FLAGS.iter().map(|flag| flag.name).filter(|name| !WITH_A_BASE.contains(name)).collect();
    assert_eq!(seen, all);
}

/// Flags of normalization, which depend on the level.
const CHANGES: Flags = Flags(
    Flags::CASE_CHANGED.0 | Flags::PERCENT_DECODED.0 | Flags::DOT_SEGMENTS_REMOVED.0 | Flags::PORT_DROPPED.0,
);

/// A record's flags in bulk, by one of the kernels.
fn in_bulk(text: &str, spec: Spec, level: Level, isa: Option<Isa>) -> Flags {
    let columns = Columns::new([Column::Flags]);
    let reading = Reading::Rfc(RfcOptions { spec, level, repair: true, ..RfcOptions::default() });
    let options = Options { columns, reading, isa, ..Options::default() };
    let (batch, _) = Normalizer::new(options).text(text.as_bytes()).expect("a table");
    Flags(batch.column(0).as_primitive::<Int32Type>().value(0))
}

/// A record's flags in its explanation.
fn explained(text: &str, spec: Spec, level: Level) -> Flags {
    let options = explain::Options::new().spec(spec).level(level).repair(true);
    explain(text, &options).reference.map_or(Flags::default(), |reference| reference.flags)
}

/// The flags of section 7 are decided before normalization and on decoded data: they do not depend on the level. Single
/// calls and tables agree.
#[test]
fn the_same_at_every_level_and_in_single_calls() {
    for &(text, ..) in TABLE {
        for spec in Spec::ALL {
            let expected = in_bulk(text, spec, Level::Scheme, None).0 & !CHANGES.0;
            for level in Level::ALL {
                let flags = in_bulk(text, spec, level, None);
                assert_eq!(Flags(flags.0 & !CHANGES.0), Flags(expected), "{text} by {spec} at {level}");
                assert_eq!(explained(text, spec, level), flags, "{text} by {spec} at {level}, explained");
            }
        }
    }
}

/// The kind and address of a host are the same at every level: alone, in bulk, and as part of a target.
#[test]
fn a_host_that_is_no_utf8_is_flagged_at_every_level() {
    for spec in Spec::ALL {
        for level in Level::ALL {
            for (text, is_flagged) in [("http://%41%FC/a", true), ("http://%c3%bC/a", false), ("//%FC", true)]
            {
                let context = format!("{text} at {level} by {spec}");
                let columns = Columns::new([Column::Flags]);
                let reading = Reading::Rfc(RfcOptions { spec, level, ..RfcOptions::default() });
                let options = Options { columns, reading, ..Options::default() };
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
                let told = explain(text, &explain::Options::new().spec(spec).level(level));
                let flags = told.reference.expect("a reference").flags;
                assert_eq!(flags.has(Flags::HOST_NOT_UTF8), is_flagged, "{context}, alone");
            }
        }
    }
}

/// Flags that need a base: see `engine::targets`.
const WITH_A_BASE: [&str; 4] =
    ["same_document", "excess_dot_segments", "same_scheme_reference", "unsuitable_base"];

/// Dot segments that resolution removes set a flag, too: (reference, flags, section).
#[test]
fn what_resolution_removes_is_flagged() {
    const ROWS: &[(&str, &str, &str)] = &[
        ("%00/../c", "encoded_nul dot_segments_removed", "7.3"),
        ("/x/%5C/../c", "dot_segments_removed encoded_backslash", "7.3"),
        ("con/../c", "dot_segments_removed device_name", "7.3"),
        ("%2541/../c#f", "dot_segments_removed double_encoding", "2.4"),
        ("../c?%00", "encoded_nul dot_segments_removed", "7.3: what stays is flagged once"),
        ("../con", "dot_segments_removed device_name", "7.3: of the target"),
        ("http://h2/aux", "device_name", "7.3: a target of its own"),
        ("c", "", "7.3: nothing to see"),
    ];
    for base in ["http://h/a/b", "http://h/%7ea/b", "ftp://h/a/b"] {
        for &(text, expected, section) in ROWS {
            let columns = Columns::new([Column::Flags]);
            let reading = Reading::default().at_level(Level::None);
            let options = Options { columns, reading, ..Options::default() };
            let options = options.with_base(base).expect("a base");
            let (batch, _) = Normalizer::new(options).text(text.as_bytes()).expect("a table");
            let flags = Flags(batch.column(0).as_primitive::<Int32Type>().value(0));
            assert_eq!(
                flags.names().collect::<Vec<_>>().join(" "),
                expected,
                "{section}: {text} against {base}"
            );
            let base = UriRef::parse(base).ok();
            let options = explain::Options::new().base(base).level(Level::None);
            let told = explain(text, &options).reference.expect("a reference");
            assert_eq!(told.flags, flags, "{text}");
        }
    }
}

/// Names of devices are found in rows whose offsets the kernels are sure of, anywhere in the path: by every kernel, in
/// lines, arrays and with a base.
#[test]
fn devices_at_every_place_by_every_kernel() {
    let mut rng = Rng(11);
    const PIECES: &[&str] = &[
        "con",
        "CON",
        "Com1",
        "com0",
        "com",
        "prn",
        "aux",
        "AUX.h",
        "nul",
        "null",
        "lpt9",
        "lpt",
        "clock$",
        "conin$",
        "contact",
        "comments",
        "connect",
        "index.html",
        "a",
        "auxx",
        "pron",
        "..",
        ".aux",
        "x",
        "con%20",
        "con%20x",
        "nul%2e",
        "aux%3a",
        "COM%C2%B9",
        "com%31",
        "c%6Fn",
        "%6Eul",
        "a%2Fprn",
        "a%5Cprn",
        "a%20b",
    ];
    // The kernels are sure of some of these, of others once they are in lower case or have no port, of others never.
    const PREFIXES: &[&str] = &[
        "http://h",
        "https://www.example.com",
        "//h",
        "",
        "ftp://h",
        "HTTP://h",
        "https://WWW.Example.com:443",
        "http://h:8080",
        "http://u@h",
    ];
    let lines: Vec<String> = (0..20_000)
        .map(|_| {
            let prefix = PREFIXES[rng.below(PREFIXES.len())];
            let fill = "y".repeat(rng.below(130));
            let pieces: Vec<_> = (0..1 + rng.below(4)).map(|_| PIECES[rng.below(PIECES.len())]).collect();
            let tail = ["", "?con", "#/aux", "/", "?a=/nul", "?a=%2Fnul"][rng.below(6)];
            match rng.below(2) {
                0 => format!("{prefix}/{fill}/{}{tail}", pieces.join("/")),
                _ => format!("{prefix}/{}/{fill}{tail}", pieces.join("/")),
            }
        })
        .collect();
    let text = lines.join("\n");
    let explained: Vec<_> = lines
        .iter()
        .map(|line| explained(line, Spec::Rfc3986, Level::Scheme).has(Flags::DEVICE_NAME))
        .collect();
    assert!(explained.iter().filter(|&&is| is).count() > 5_000 && explained.iter().any(|is| !is));
    for isa in Isa::available() {
        let columns = Columns::new([Column::Flags]);
        let options = Options { columns, isa: Some(isa), ..Options::default() };
        let array = StringArray::from_iter_values(&lines);
        // Equal values are at one offset.
        let mut views = StringViewBuilder::new().with_deduplicate_strings();
        lines.iter().chain(&lines).for_each(|line| views.append_value(line));
        let views = views.finish();
        let mut normalizer = Normalizer::new(options.clone());
        let based = options.with_base("http://base.example/").expect("a base");
        for (way, batch) in [
            ("lines", normalizer.text(text.as_bytes())),
            ("an array", normalizer.array(&array)),
            ("views", normalizer.array(&views)),
            ("a base", Normalizer::new(based).array(&array)),
        ] {
            let (batch, _) = batch.expect("a table");
            let flags = batch.column(0).as_primitive::<Int32Type>();
            for (at, (line, &expected)) in lines.iter().zip(&explained).enumerate() {
                let found = Flags(flags.value(at)).has(Flags::DEVICE_NAME);
                assert_eq!(found, expected, "{way} by {isa:?}: {line}");
            }
        }
    }
}

/// A target has the device names of the base and of the reference, and those that went with dot segments of the
/// reference.
#[test]
fn devices_of_targets() {
    const PATHS: [&str; 12] = [
        "",
        "/",
        "/con/x",
        "/a/aux",
        "/nul/",
        "/a/%63on/",
        "/a/con%20/b",
        "/x%2Fprn/y",
        "/a/./nul/b",
        "/b/c",
        "/.",
        "/a;b/c",
    ];
    const REFERENCES: [&str; 24] = [
        "",
        "#con",
        "?nul",
        "a",
        "con",
        "con?b",
        "./aux",
        "../a",
        "../con/..",
        "con/../b",
        "../../nul",
        "/",
        "/con",
        "/a/con",
        "/con/../b",
        "%63on",
        "/%61ux",
        "a%2Fcon",
        "b/c%6Fn/d",
        "//h2/con",
        "//H2/con",
        "http://h3/nul",
        "HTTP://h3/nul",
        "/a b",
    ];
    let pairs: Vec<(&str, &str)> =
        PATHS.iter().flat_map(|path| REFERENCES.iter().map(move |reference| (*path, *reference))).collect();
    let bases = StringArray::from_iter_values(pairs.iter().map(|(path, _)| format!("http://h{path}")));
    let references = StringArray::from_iter_values(pairs.iter().map(|(_, reference)| reference));
    let columns = Columns::new([Column::Uri, Column::Flags]);
    for level in Level::ALL {
        let table = |references: &StringArray, bases: Option<&StringArray>, level| {
            let reading = Reading::default().at_level(level);
            let mut normalizer =
                Normalizer::new(Options { reading, columns: columns.clone(), ..Options::default() });
            let batch = match bases {
                Some(bases) => normalizer.array_with_bases(references, bases),
                None => normalizer.array(references),
            };
            let (batch, _) = batch.expect("a table");
            let texts = StringArray::from_iter_values(
                batch["uri"].as_string_view().iter().map(Option::unwrap_or_default),
            );
            (texts, batch["flags"].as_primitive::<Int32Type>().clone())
        };
        let (targets, _) = table(&references, Some(&bases), Level::None);
        let (_, of_targets) = table(&targets, None, level);
        let (_, of_references) = table(&references, None, level);
        let (_, found) = table(&references, Some(&bases), level);
        let has = |flags: &PrimitiveArray<Int32Type>, at, flag| Flags(flags.value(at)).has(flag);
        for (at, (path, reference)) in pairs.iter().enumerate() {
            let went =
                has(&found, at, Flags::DOT_SEGMENTS_REMOVED) && has(&of_references, at, Flags::DEVICE_NAME);
            let expected = went || has(&of_targets, at, Flags::DEVICE_NAME);
            assert_eq!(
                has(&found, at, Flags::DEVICE_NAME),
                expected,
                "{reference} against {path:?} at {level}"
            );
        }
    }
}

/// The schema's text for each flag names the section.
#[test]
fn every_flag_names_its_section() {
    for flag in FLAGS {
        let section = flag.meaning.strip_suffix(')').and_then(|meaning| meaning.rsplit_once(" ("));
        let section = section.unwrap_or_else(|| panic!("{}: {}", flag.name, flag.meaning)).1;
        assert!(section.starts_with(|c: char| ('3'..='7').contains(&c)), "{}: {section}", flag.name);
    }
}

/// Numbers that files store must never change.
#[test]
fn bits_of_flags_never_change() {
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
        (21, "encoded_backslash"),
        (22, "device_name"),
        (23, "overlong_utf8"),
        (24, "double_encoding"),
        (25, "idna_address"),
    ];
    for (bit, name) in NAMES {
        let flag = FLAGS.iter().find(|flag| flag.name == *name).unwrap_or_else(|| panic!("no flag {name}"));
        assert_eq!(flag.bit, 1 << bit, "{name}");
    }
    assert!(FLAGS.is_sorted_by_key(|flag| flag.bit), "in the order of the bits");
}
