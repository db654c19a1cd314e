//! The references of messages and mailboxes: parts, their encodings, and the bases of RFC 2557.

use super::{links, values};

/// The values of some columns of each row, with commas between; a null is empty.
fn rows(what: &str, input: &str, columns: &[&str]) -> Vec<String> {
    values(&links(what, input), columns)
}

/// A message with these header fields; line ends are CR LF.
fn message(text: &str) -> String {
    format!("MIME-Version: 1.0\nMessage-ID: <1@h.example>\n{text}").replace('\n', "\r\n")
}

#[test]
fn parts_have_the_bases_of_the_entities_around_them() {
    let related = "Content-Type: multipart/related; boundary=x; type=\"text/html\"\n";
    let html = "--x\nContent-Type: text/html\n";
    // (section, options, message, uri and base and kind)
    type Case = (&'static str, &'static str, String, &'static [&'static str]);
    let table: Vec<Case> = vec![
        // The header of the part says it (RFC 2557, 4.2 and 5; RFC 2110, 4.2).
        (
            "5.1.1",
            "auto",
            message(&format!("{related}\n{html}Content-Location: http://h/a/b\n\n<a href=c>\n--x--\n")),
            &["http://h/a/c,http://h/a/b,content"],
        ),
        (
            "5.1.1",
            "auto",
            message(
                "Content-Type: text/html\nContent-Base: \"http://h/a/\"\nContent-Location: http://h/d/\n\n<a href=c>",
            ),
            &["http://h/a/c,http://h/a/,content"],
        ),
        // It may be relative to the base of the entity around it.
        (
            "5.1.1",
            "auto",
            message(&format!(
                "{related}Content-Location: http://h/a/\n\n{html}Content-Location: b/c\n\n<a href=d>\n--x--\n"
            )),
            &["http://h/a/b/d,http://h/a/b/c,content"],
        ),
        // The content of the part goes before its header.
        (
            "5.1.1",
            "auto",
            message(
                "Content-Type: text/html\nContent-Location: http://h/a/b\n\n<a href=c></a><base href=/d/>",
            ),
            &["http://h/d/c,http://h/d/,content", "http://h/d/,http://h/a/b,content"],
        ),
        // The entity around it says it.
        (
            "5.1.2",
            "auto",
            message(&format!(
                "{related}Content-Location: http://h/a/b\n\n{html}\n<a href=c>\n--x\nContent-Type: text/css\n\nd{{e:url(f)}}\n--x--\n"
            )),
            &["http://h/a/c,http://h/a/b,encapsulating", "http://h/a/f,http://h/a/b,encapsulating"],
        ),
        (
            "5.1.2",
            "auto",
            message(&format!(
                "Content-Type: message/rfc822\nContent-Location: http://h/a/\n\n{related}Content-Location: i/\n\n{html}\n<a href=c>\n--x--\n"
            )),
            &["http://h/a/i/c,http://h/a/i/,encapsulating"],
        ),
        // Only the caller can give it.
        (
            "5.1.4",
            "auto --base http://h/a/b",
            message("Content-Type: text/html\n\n<a href=c>"),
            &["http://h/a/c,http://h/a/b,default"],
        ),
        (
            "5.1",
            "auto",
            message("Content-Type: text/html\n\n<a href=c><img src=cid:d@e>"),
            &["thismessage:/c,thismessage:/,default", "cid:d@e,thismessage:/,default"],
        ),
    ];
    for (section, options, input, expected) in table {
        assert_eq!(rows(options, &input, &["uri", "base", "base_kind"]), *expected, "{section}: {input}");
    }
}

#[test]
fn parts_are_decoded() {
    // (message, raw and page and flags): RFC 2045, 6.7 and 6.8
    for (input, expected) in [
        (
            "Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3D\"http://h/=\na=C3=A9\">",
            "http://h/aé,mid:1@h.example,",
        ),
        (
            "Content-Type: text/html; charset=iso-8859-1\nContent-Transfer-Encoding: base64\n\nPGEgaHJlZj1odHRwOi8vaC/pPg==",
            "http://h/é,mid:1@h.example,",
        ),
        (
            "Content-Type: multipart/alternative; boundary=x\n\n--x\n\nhttp://no/\n--x\nContent-Type: text/html\n\n<a href=b>\n--x--",
            "thismessage:/b,mid:1@h.example,",
        ),
        // XHTML as HTML, whose base is not xml:base; SVG and other XML (RFC 7303, 9.6) as XML.
        (
            "Content-Type: application/xhtml+xml; charset=latin1\nContent-Transfer-Encoding: base64\n\nPGEgeG1sOmJhc2U9J2h0dHA6Ly94LycgaHJlZj0naHR0cDovL2gv6SciLz4=",
            "http://h/é,mid:1@h.example,",
        ),
        (
            "Content-Type: multipart/related; boundary=x\n\n--x\nContent-Type: image/svg+xml\nContent-Location: http://h/\n\n<svg><a href='b'/></svg>\n--x--",
            "http://h/b,mid:1@h.example,",
        ),
        (
            "Content-Type: text/xml\n\n<a href='http://h/' xml:base='http://x/'/>",
            "http://h/,mid:1@h.example,",
        ),
        // The page's own declaration of its encoding counts if the header has none (HTML, 13.2.3.2).
        (
            "Content-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<meta charset=3Dlatin1><a href=3D'http://h/=E9'>",
            "http://h/é,mid:1@h.example,",
        ),
        (
            "Content-Type: text/html; charset=x\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3D'http://h/=E9'>",
            "http://h/é,mid:1@h.example,charset_unknown",
        ),
        // Without its last boundary, and with characters outside of base64.
        (
            "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3D'http://h=\n/b'>",
            "http://h/b,mid:1@h.example,damaged",
        ),
        (
            "Content-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGEgaHJlZj0n!aHR0cDovL2gvYic+\n",
            "http://h/b,mid:1@h.example,damaged",
        ),
    ] {
        let found = rows("mail", &message(input), &["uri", "page", "page_flags"]);
        assert_eq!(found, [expected], "{input}");
    }
}

/// The references before a fault have rows, and the part a row with the place where it begins.
#[test]
fn a_part_with_a_fault_has_a_row() {
    let whole = "Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: application/xml\n\n<a xml:base='http://h/' href='b'>\n--x\nContent-Type: text/html\n\n<a href='http://h/c'>\n--x--\n";
    let input = message(whole);
    let at = input.find("<a xml").expect("a part");
    let found = rows("mail", &input, &["uri", "error", "position", "page_flags"]);
    let malformed = format!("mid:1@h.example,record_malformed,{at},damaged");
    assert_eq!(found[0], "http://h/b,,0,damaged");
    assert_eq!(found.last(), Some(&malformed));
    assert_eq!(found.len(), 3);
    // Without any reference, and within another message.
    let none = "Content-Type: message/rfc822\n\nContent-Type: text/xml\n\n<a>&nosuch;</a>\n";
    let input = message(none);
    let at = input.find("Content-Type: text/xml").expect("a part");
    let expected = format!("mid:1@h.example,record_malformed,{at},damaged");
    assert_eq!(rows("mail", &input, &["uri", "error", "position", "page_flags"]), [expected]);
}

#[test]
fn a_mailbox_is_a_message_after_the_other() {
    let first = "From a@h Mon Nov 23 00:00:00 2026\nMessage-ID: <1@h>\nContent-Type: text/html\n\n<a href=b>\nFrom here on\n\n";
    let second =
        "From c@h Mon Nov 23 00:00:00 2026\nMessage-ID: <2@h>\nContent-Type: text/html\n\n<a href=d>\n\n";
    let text = "From e@h Mon Nov 23 00:00:00 2026\nSubject: no links\n\nhttp://h/\n";
    let expected = ["mid:1@h,1,thismessage:/b", "mid:2@h,2,thismessage:/d"];
    let columns = ["page", "page_record", "uri"];
    for input in [format!("{first}{second}{text}"), format!("{first}{second}{text}").replace('\n', "\r\n")] {
        for chunk in [1, 100, 1 << 20] {
            assert_eq!(rows(&format!("auto --chunk {chunk}"), &input, &columns), expected, "{chunk}");
        }
    }
    // Only the beginning of a long message is read; the next message is still found.
    let long = format!("{}{}\n\n{second}", &first[..first.len() - 1], " ".repeat(17 << 20));
    assert_eq!(
        rows("auto", &long, &["page", "uri", "page_flags"]),
        ["mid:1@h,thismessage:/b,cut", "mid:2@h,thismessage:/d,"]
    );
}
