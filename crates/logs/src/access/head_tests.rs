//! Tests of what precedes the time, in each of the forms that servers write.

use super::head::head;
use super::{CLIENT, CLIENT_PORT, FORWARDED, IDENT, NOTHING, REQUEST_ID, USER, VHOST};

/// The fields of a head by name, in the order of their places, and where it fails.
fn read(line: &str) -> (String, Option<usize>) {
    let mut fields = NOTHING;
    let fault = head(line.as_bytes(), 0, &mut fields).err();
    let names = [
        ("vhost", VHOST),
        ("client", CLIENT),
        ("port", CLIENT_PORT),
        ("forwarded", FORWARDED),
        ("ident", IDENT),
        ("id", REQUEST_ID),
        ("user", USER),
    ];
    let shown = names.iter().filter_map(|&(name, place)| {
        let field = fields[place].span()?;
        Some(format!("{name}={}", &line[field.start as usize..][..field.len as usize]))
    });
    (shown.collect::<Vec<_>>().join(" "), fault)
}

#[test]
fn every_word_is_in_its_column_or_nowhere() {
    let id = "95386da81aa13b6ab3ce9c989e1e470e";
    // (what it is, the words before the time, fields, where it fails)
    let cases: &[(&str, &str, &str, Option<usize>)] = &[
        ("common", "1.2.3.4 - -", "client=1.2.3.4 ident=- user=-", None),
        ("common", "h.example frank al", "client=h.example ident=frank user=al", None),
        ("common", "1.2.3.4 frank al", "client=1.2.3.4 ident=frank user=al", None),
        ("common", "- - -", "client=- ident=- user=-", None),
        ("a name with spaces", "h - a b c", "client=h ident=- user=a b c", None),
        ("vhost", "example.com:443 1.2.3.4 - -", "vhost=example.com:443 client=1.2.3.4 ident=- user=-", None),
        ("vhost", "w 1.2.3.4 - al", "vhost=w client=1.2.3.4 ident=- user=al", None),
        ("vhost", "w 1.2.3.4 frank al", "vhost=w client=1.2.3.4 ident=frank user=al", None),
        ("vhost, port", "w:443 1.2.3.4:567 - -", "vhost=w:443 client=1.2.3.4 port=567 ident=- user=-", None),
        ("vhost, brackets", "w [1.2.3.4] - -", "vhost=w client=[1.2.3.4] ident=- user=-", None),
        ("vhost, brackets", "w [::1]:567 - -", "vhost=w client=[::1] port=567 ident=- user=-", None),
        (
            "vhost in quotes",
            "\"w.example\" 1.2.3.4 - -",
            "vhost=w.example client=1.2.3.4 ident=- user=-",
            None,
        ),
        ("no vhost", "\"\" 1.2.3.4 - -", "vhost= client=1.2.3.4 ident=- user=-", None),
        ("parentheses", "1.2.3.4 (-) - al", "client=1.2.3.4 ident=- user=al", None),
        (
            "parentheses",
            "1.2.3.4:9 (5.6.7.8, ::1) - -",
            "client=1.2.3.4 port=9 forwarded=5.6.7.8, ::1 ident=- user=-",
            None,
        ),
        ("parentheses", "1.2.3.4 (a) - -", "client=1.2.3.4", Some(8)),
        ("parentheses", "1.2.3.4 (5.6.7.8)x - -", "client=1.2.3.4", Some(8)),
        ("parentheses", "1.2.3.4 (5.6.7.8 - -", "client=1.2.3.4", Some(8)),
        ("no vhost", "_:80 1.2.3.4 - -", "vhost=_:80 client=1.2.3.4 ident=- user=-", None),
        // A client has sent it.
        ("forwarded", "5.6.7.8 1.2.3.4 - -", "client=1.2.3.4 forwarded=5.6.7.8 ident=- user=-", None),
        ("forwarded", "[::1]:80 fe80::1 - -", "client=fe80::1 forwarded=[::1]:80 ident=- user=-", None),
        ("forwarded", "unknown 1.2.3.4 - al", "client=1.2.3.4 forwarded=unknown ident=- user=al", None),
        ("forwarded", "\"5.6.7.8\" 1.2.3.4 - -", "client=1.2.3.4 forwarded=5.6.7.8 ident=- user=-", None),
        (
            "forwarded",
            "5.6.7.8, ::1 1.2.3.4 - al",
            "client=1.2.3.4 forwarded=5.6.7.8, ::1 ident=- user=al",
            None,
        ),
        (
            "forwarded",
            "\"5.6.7.8, ::1\" 1.2.3.4 - al",
            "client=1.2.3.4 forwarded=5.6.7.8, ::1 ident=- user=al",
            None,
        ),
        (
            "forwarded in quotes alone",
            "\"5.6.7.8, ::1\" - al",
            "client=5.6.7.8 forwarded=5.6.7.8, ::1 ident=- user=al",
            None,
        ),
        ("client in quotes", "\"5.6.7.8\" - al", "client=5.6.7.8 ident=- user=al", None),
        ("port", "1.2.3.4:567 - -", "client=1.2.3.4 port=567 ident=- user=-", None),
        (
            "vhost, list, client",
            "w:80 \"5.6.7.8, ::1\" 1.2.3.4 - -",
            "vhost=w:80 client=1.2.3.4 forwarded=5.6.7.8, ::1 ident=- user=-",
            None,
        ),
        (
            "vhost, list, client",
            "w 5.6.7.8, ::1 1.2.3.4 - al",
            "vhost=w client=1.2.3.4 forwarded=5.6.7.8, ::1 ident=- user=al",
            None,
        ),
        (
            "client, vhost, names",
            "1.2.3.4:567 w.example:80 - -",
            "vhost=w.example:80 client=1.2.3.4 port=567 ident=- user=-",
            None,
        ),
        ("quotes", "1.2.3.4 \"-\" \"-\"", "client=1.2.3.4 ident=- user=-", None),
        ("quotes", "w 1.2.3.4 \"-\" \"al b\"", "vhost=w client=1.2.3.4 ident=- user=al b", None),
        ("quotes", "1.2.3.4 - \"-\"", "client=1.2.3.4 ident=- user=-", None),
        ("quotes", "1.2.3.4 - \"al\"", "client=1.2.3.4", Some(10)),
        ("quotes", "1.2.3.4 \"-\" al", "client=1.2.3.4", Some(12)),
        ("quotes", "1.2.3.4 \"-\" - al", "client=1.2.3.4", Some(12)),
        ("quotes", "1.2.3.4 - \"-\" al", "client=1.2.3.4", Some(10)),
        ("brackets", "1.2.3.4 - [x]", "client=1.2.3.4 ident=- user=[x]", None),
        ("brackets", "[1.2.3.4] - -", "client=[1.2.3.4] ident=- user=-", None),
        ("jetty", "1.2.3.4 -  - ", "client=1.2.3.4 ident=- user=-", None),
        ("jetty", "1.2.3.4 - ", "client=1.2.3.4 ident=- user=-", None),
        ("spaces", "1.2.3.4 -  al", "client=1.2.3.4 ident=- user=al", None),
        ("no user", "1.2.3.4 al ", "", Some(11)),
        ("lighttpd", "1.2.3.4 [2001:db8::9] al", "vhost=[2001:db8::9] client=1.2.3.4 user=al", None),
        ("lighttpd", "::1 [2001:db8::9]:80 -", "vhost=[2001:db8::9]:80 client=::1 user=-", None),
        (
            "vhost, names",
            "w.example c.example - al",
            "vhost=w.example client=c.example ident=- user=al",
            None,
        ),
        ("vhost unknown", "- 1.2.3.4 - -", "vhost=- client=1.2.3.4 ident=- user=-", None),
        ("ovh", "1.2.3.4 www.example.com al", "vhost=www.example.com client=1.2.3.4 user=al", None),
        ("ovh", "::1 www.example.com:8080 -", "vhost=www.example.com:8080 client=::1 user=-", None),
        ("no domain name", "1.2.3.4 a.1 -", "client=1.2.3.4 ident=a.1 user=-", None),
        ("list", "1.2.3.4, 5.6.7.8 - -", "client=1.2.3.4 forwarded=1.2.3.4, 5.6.7.8 ident=- user=-", None),
        ("list", "1.2.3.4,5.6.7.8 - -", "client=1.2.3.4 forwarded=1.2.3.4,5.6.7.8 ident=- user=-", None),
        (
            "list",
            "unknown, ::1, 9.9.9.9 - a b",
            "client=unknown forwarded=unknown, ::1, 9.9.9.9 ident=- user=a b",
            None,
        ),
        (
            "vhost, list",
            "w:80 1.2.3.4, 5.6.7.8 - al",
            "vhost=w:80 client=1.2.3.4 forwarded=1.2.3.4, 5.6.7.8 ident=- user=al",
            None,
        ),
        (
            "list, ovh",
            "1.2.3.4, 5.6.7.8 www.example.com al",
            "vhost=www.example.com client=1.2.3.4 forwarded=1.2.3.4, 5.6.7.8 user=al",
            None,
        ),
        (
            "id",
            &format!("w 1.2.3.4 - {id} -"),
            &format!("vhost=w client=1.2.3.4 ident=- id={id} user=-"),
            None,
        ),
        ("id", &format!("1.2.3.4 - {id} al"), &format!("client=1.2.3.4 ident=- id={id} user=al"), None),
        ("too few", "h", "", Some(1)),
        ("too few", "h -", "", Some(3)),
        ("too few", "w 1.2.3.4", "", Some(9)),
        ("two spaces", "h  - -", "", Some(2)),
        // Ident and client of another form, or a form that is not known.
        ("an address for the ident", "h 1.2.3.4 al", "", Some(2)),
        ("two addresses", "1.2.3.4 5.6.7.8 -", "", Some(8)),
        ("four words without a dash", "a b c d", "", Some(4)),
        ("a name with spaces behind a vhost", "w 1.2.3.4 - a b", "client=1.2.3.4", Some(12)),
        ("one dash more", "1.2.3.4 - - -", "client=1.2.3.4", Some(10)),
        ("one word more", "1.2.3.4 - a -", "client=1.2.3.4", Some(10)),
        ("vhost without client", "w - - -", "", Some(4)),
        (
            "an address for the ident",
            "1.2.3.4, 5.6.7.8 9.9.9.9 -",
            "client=9.9.9.9 forwarded=1.2.3.4, 5.6.7.8",
            Some(26),
        ),
        ("two lists", "1.2.3.4 5.6.7.8,::1 - -", "", Some(8)),
        ("an address, a name, and two words", "1.2.3.4 w.example - al", "", Some(8)),
        ("an address for the user", "al - 1.2.3.4", "", Some(5)),
        ("an address for the user", "1.2.3.4 - 5.6.7.8", "client=1.2.3.4", Some(10)),
        ("the user twice", "1.2.3.4 - al al", "client=1.2.3.4", Some(10)),
        ("a user twice", "al 1.2.3.4 al -", "client=1.2.3.4", Some(0)),
        ("a user twice", "al 1.2.3.4 - al", "client=1.2.3.4", Some(0)),
        ("user and vhost", "al 1.2.3.4 - www.example.com", "client=1.2.3.4", Some(0)),
        ("a vhost for the ident", "- 1.2.3.4 www.example.com al", "client=1.2.3.4", Some(10)),
        ("a vhost behind a name", "h www.example.com al", "", Some(2)),
        ("addresses for a user", "w.example - 1.2.3.4, 5.6.7.8", "", Some(12)),
        ("quotes for a user", "1.2.3.4 - \"a\"", "client=1.2.3.4", Some(10)),
        ("quotes for an ident", "1.2.3.4 \"http://h/\" al", "", Some(8)),
        ("quotes in a client", "1\"2.3.4 - al", "ident=- user=al", Some(0)),
        ("two in quotes", "\"1.2.3.4\" \"1.2.3.4\" 5.6.7.8 - al", "", Some(10)),
        ("a moment before", "2018-02-16T00:00:00.000Z 1.2.3.4 - -", "", Some(0)),
        ("a moment before", "[2018-02-16T00:00:00Z] 1.2.3.4 - -", "", Some(0)),
        ("a moment before", "1518739200000 1.2.3.4 - -", "", Some(0)),
        ("a moment before", "1518739200.123 1.2.3.4 - -", "", Some(0)),
        ("a time before", "10:05:03 1.2.3.4 - -", "", Some(0)),
        ("a number before", "\"0.123\" 1.2.3.4 - -", "", Some(1)),
        ("text in quotes", "\"a b\" 1.2.3.4 - -", "", Some(1)),
        ("text in quotes", "\"a\"b 1.2.3.4 - -", "", Some(2)),
        ("a quote", "\"a 1.2.3.4 - -", "", Some(0)),
        ("a list that does not end", "1.2.3.4,", "", Some(8)),
        ("no host", "a/b 1.2.3.4 - -", "", Some(0)),
        ("no host", "u@h 1.2.3.4 - -", "", Some(0)),
    ];
    for (what, line, fields, fault) in cases {
        assert_eq!(read(line), ((*fields).to_owned(), *fault), "{what}: {line}");
    }
}
