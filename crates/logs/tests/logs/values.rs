//! The forms of the values that headers and members name, by the documentation of their writers; written anew, so that
//! the readers' own forms are compared with them.

/// Whether a text is a value of a form, by the documentation of its field. `-` and the empty text have every form.
pub(super) fn has_form(form: char, text: &str) -> bool {
    let all = |is: fn(char) -> bool| text.chars().all(is);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.:[]".contains(c);
    let is_digit = |c: char| c.is_ascii_digit();
    let begins = |with: &[&str]| with.iter().any(|with| text.starts_with(with));
    let like = |picture: &str| {
        let mut both = picture.chars().zip(text.chars());
        picture.len() == text.len() && both.all(|(a, b)| if a == '0' { b.is_ascii_digit() } else { a == b })
    };
    if matches!(text, "" | "-") {
        return true;
    }
    match form {
        // Values that a client or a server chooses: a query, a cookie, a user agent, the words of a status, a user.
        'q' => true,
        // A user is called like no method.
        'Q' => !["GET", "POST", "HEAD"].contains(&text) && text.parse::<std::net::IpAddr>().is_err(),
        'd' => like("0000-00-00"),
        'T' => like("00:00:00") || like("00:00:00.000"),
        't' => like("0000-00-00T00:00:00Z") || text.len() >= 9 && all(|c| c.is_ascii_digit() || c == '.'),
        'a' => text.parse::<std::net::IpAddr>().is_ok(),
        // An address with or without a port.
        'A' => text.parse::<std::net::IpAddr>().is_ok() || text.parse::<std::net::SocketAddr>().is_ok(),
        'm' => {
            text.starts_with(|c: char| c.is_ascii_alphabetic())
                && all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
        }
        // A path, or a URI.
        'p' => begins(&["/", "*", "http:", "https:"]),
        'P' => begins(&["/"]),
        'u' => text.contains("://"),
        'h' => text.chars().all(is_name),
        // A host with a dot or a port that is not an address.
        'H' => {
            has_form('h', text)
                && text.contains(['.', ':'])
                && text.contains(|c: char| c.is_ascii_alphabetic())
        }
        's' => text.len() == 3 && all(|c| c.is_ascii_digit()) || matches!(text, "0" | "-1"),
        'n' => text.chars().all(is_digit),
        // Seconds with a fraction, and with or without one.
        'f' => text.contains('.') && all(|c| c.is_ascii_digit() || c == '.'),
        'F' => text.parse::<f64>().is_ok(),
        'v' => begins(&["TLS", "SSL"]) && !text.contains('_'),
        'c' => {
            all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "-_".contains(c))
                && text.contains(['-', '_'])
        }
        'V' => begins(&["HTTP/"]),
        'w' => like("0.0"),
        'C' => text.len() <= 2 && all(|c| c.is_ascii_alphanumeric()),
        // CloudFront: a place, what became of a request, its id, a scheme, the id of a distribution.
        'e' => {
            text.len() <= 12
                && text.ends_with(is_digit)
                && all(|c| c.is_ascii_alphanumeric() || c == '-')
                && text.starts_with(|c: char| c.is_ascii_alphabetic())
        }
        'x' => {
            text.starts_with(|c: char| c.is_ascii_uppercase())
                && text.ends_with(|c: char| c.is_ascii_lowercase())
                && all(|c| c.is_ascii_alphabetic())
        }
        'i' => text.ends_with('='),
        'S' => ["http", "https", "ws", "wss", "grpcs"].contains(&text),
        'D' => all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()) && text.contains(is_digit),
        '6' => ["IPv4", "IPv6"].contains(&text),
        // A type of media.
        'M' => begins(&["text/", "image/", "application/", "audio/", "video/", "font/"]),
        // Google Cloud Storage: a kind of address, a region, the id of a request, an operation, a bucket.
        '1' => ["1", "2"].contains(&text),
        'r' => text.len() <= 2 && all(|c| c.is_ascii_uppercase()),
        'I' => {
            all(|c| c.is_ascii_alphanumeric() || "-_=".contains(c))
                && text.contains(|c: char| !c.is_ascii_uppercase())
        }
        'O' => text.contains(['.', '_']) && all(|c| c.is_ascii_alphabetic() || "._".contains(c)),
        'b' => all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c)),
        // Zeek: the id of a connection.
        'U' => text.starts_with('C') && all(|c| c.is_ascii_alphanumeric()),
        // Members: a level, the name of a logger, flags, the state of a cache, an id.
        'l' => text.len() <= 9 && all(|c| c.is_ascii_alphabetic()),
        'N' => all(|c| c.is_ascii_alphanumeric() || "-_./".contains(c)),
        'g' => {
            text.starts_with(|c: char| c.is_ascii_alphabetic())
                && all(|c| c.is_ascii_alphanumeric() || ",_".contains(c))
        }
        'k' => all(|c| c.is_ascii_alphabetic() || "-_".contains(c)),
        'R' => all(|c| c.is_ascii_alphanumeric() || c == '-'),
        other => panic!("there is no form {other}"),
    }
}

#[test]
fn texts_have_the_forms_that_are_meant() {
    // (form, texts of it, others)
    let cases: &[(char, &[&str], &[&str])] = &[
        ('d', &["2012-04-01", "-"], &["2012-4-1", "00:00:13"]),
        ('t', &["1320279566.45", "2021-01-01T00:00:00Z"], &["404", "1.1"]),
        ('s', &["404", "0"], &["27028", "1.1", "GET"]),
        ('H', &["www.example.com", "[::1]:80x"], &["192.0.2.7", "alice", "curl/8"]),
        ('f', &["1.251"], &["11041", "192.0.2.x"]),
        ('e', &["LAX1", "LAX50-C1"], &["404", "Miss", "ECDHE-RSA-AES128-GCM-SHA256"]),
        ('I', &["AEnB2UqQ"], &["GET", "a b", "curl/8 (x)"]),
        ('Q', &["alice", "EXAMPLE\\alice"], &["GET", "192.0.2.1"]),
    ];
    for (form, own, others) in cases {
        own.iter().for_each(|text| assert!(has_form(*form, text), "{form}: {text}"));
        others.iter().for_each(|text| assert!(!has_form(*form, text), "{form}: {text}"));
    }
}
