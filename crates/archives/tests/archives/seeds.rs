//! A line of each form of Heritrix's log and of CDX with another value in every field, for `moves`.

use urimill_testkit::moves::{Seed, headed, members, words};

/// A line of CDX under a header or without one: the key, and the fields after the URI.
macro_rules! cdx {
    ($header:expr, $key:expr, $($field:expr),+) => {
        headed(
            "cdx",
            $header,
            " ",
            &[$key, ("20140126200624", 't'), ("http://www.example.com/a", 'u'), $($field),+],
        )
    };
}

pub(super) const SEEDS: &[Seed] = &[
    words(
        "heritrix",
        &[
            ("2012-05-23T15:06:29.072Z", 't'),
            ("203", 's'),
            ("2621", 'n'),
            ("http://www.example.com/robots.txt", 'u'),
            ("LEP", 'h'),
            ("http://www.example.org/via", 'u'),
            ("text/plain", 'm'),
            ("#043", '#'),
            ("20120523150629017+51", 'T'),
            ("sha1:KFXNGGRY7CBQUMLZZ3LDC45HRHUUYNOR", 'd'),
            ("source-tag", 'w'),
            ("content-size:2999", 'x'),
        ],
    ),
    words(
        "heritrix",
        &[
            ("2012-05-23T15:06:29.072Z", 't'),
            ("203", 's'),
            ("2621", 'n'),
            ("http://www.example.com/robots.txt", 'u'),
            ("LEP", 'h'),
            ("http://www.example.org/via", 'u'),
            ("text/plain", 'm'),
            ("#043", '#'),
            ("20120523150629017+51", 'T'),
            ("sha1:KFXNGGRY7CBQUMLZZ3LDC45HRHUUYNOR", 'd'),
            ("http://www.example.net/seed", 'u'),
            ("duplicate:digest,3t", 'x'),
            ("{\"contentSize\":2621,\"warcFilename\":\"WEB-1.warc.gz\"}", 'j'),
        ],
    ),
    words(
        "heritrix",
        &[
            ("2006-07-07T14:32:16.252Z", 't'),
            ("302", 's'),
            ("1147", 'n'),
            ("http://tv2.example/robots.txt", 'u'),
            ("P", 'h'),
            ("http://tv2.example/", 'u'),
            ("no-type", 'm'),
            ("#009", '#'),
            ("20060707123216133+99", 'T'),
            ("3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", 'd'),
            ("-", '-'),
            ("3t", 'x'),
        ],
    ),
    words(
        "heritrix",
        &[
            ("2012-05-23T15:06:29.072Z", 't'),
            ("-9998", 's'),
            ("-", '-'),
            ("http://www.example.com/a", 'u'),
            ("LLE", 'h'),
            ("http://www.example.org/via", 'u'),
            ("unknown", 'm'),
            ("#043", '#'),
            ("-", '-'),
            ("-", '-'),
            ("http://www.example.net/seed", 'u'),
            ("Q:serverMaxSuccessKb", 'x'),
        ],
    ),
    words(
        "heritrix",
        &[
            ("2012-05-23T15:06:29.072Z", 't'),
            ("1", 's'),
            ("56", 'n'),
            ("dns:www.example.com", 'u'),
            ("-", 'h'),
            ("-", 'u'),
            ("text/dns", 'm'),
            ("#002", '#'),
            ("20120523150627325+74", 'T'),
            ("-", '-'),
            ("-", 'u'),
            ("-", '-'),
        ],
    ),
    cdx!(
        " CDX N b a m s k r M S V g",
        ("com,example)/a", 'k'),
        ("text/html", 'm'),
        ("203", 's'),
        ("OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", 'd'),
        ("-", '-'),
        ("-", '-'),
        ("22581", 'n'),
        ("33471", 'n'),
        ("iana.warc.gz", 'f')
    ),
    cdx!(
        "CDX N b a m s k r M S V g",
        ("192.0.2.1:8080)/a", 'k'),
        ("unk", 'w'),
        ("302", 's'),
        ("sha1:OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", 'd'),
        ("http://www.example.org/r", 'u'),
        ("AF", 'M'),
        ("22581", 'n'),
        ("33471", 'n'),
        ("/warcs/live-20120104004800043.arc.gz", 'f')
    ),
    cdx!(
        "",
        ("com,example)/a", 'k'),
        ("text/html", 'm'),
        ("203", 's'),
        ("OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", 'd'),
        ("-", '-'),
        ("-", '-'),
        ("22581", 'n'),
        ("33471", 'n'),
        ("iana.warc.gz", 'f')
    ),
    cdx!(
        "",
        ("com,example)/a", 'k'),
        ("text/html", 'm'),
        ("203", 's'),
        ("OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", 'd'),
        ("-", '-'),
        ("-", '-'),
        ("33471", 'n'),
        ("iana.warc.gz", 'f')
    ),
    cdx!(
        "",
        ("com,example)/a", 'k'),
        ("warc/revisit", 'm'),
        ("-", '-'),
        ("OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", 'd'),
        ("http://www.example.org/r", 'u'),
        ("33471", 'n'),
        ("iana.warc.gz", 'f')
    ),
    cdx!(
        "",
        ("com,example)/a", 'k'),
        ("text/html", 'm'),
        ("203", 's'),
        ("OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB", 'd'),
        ("1792", 'n')
    ),
    Seed {
        from: "cdx",
        header: "[[\"urlkey\",\"timestamp\",\"original\",\"mimetype\",\"statuscode\",\"digest\",\"length\"],",
        open: "[",
        separator: ",",
        close: "],",
        units: &[
            ("\"com,example)/a\"", 'k'),
            ("\"20140126200624\"", 't'),
            ("\"http://www.example.com/a\"", 'u'),
            ("\"text/html\"", 'm'),
            ("\"203\"", 's'),
            ("\"OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB\"", 'd'),
            ("\"1792\"", 'n'),
        ],
        has_form: None,
    },
    words(
        "cdxj",
        &[
            ("com,example)/a", 'k'),
            ("20140126200624", 't'),
            (
                "{\"url\": \"http://www.example.com/a\", \"mime\": \"text/html\", \"status\": \"203\", \"digest\": \"OSSA\", \
                 \"length\": \"22581\", \"offset\": \"33471\", \"filename\": \"iana.warc.gz\"}",
                'j',
            ),
        ],
    ),
    members(
        "cdxj",
        &[
            ("\"urlkey\": \"com,example)/a\"", 'a'),
            ("\"timestamp\": \"20140126200624\"", 'b'),
            ("\"url\": \"http://www.example.com/a\"", 'c'),
            ("\"mime\": \"text/html\"", 'd'),
            ("\"status\": \"203\"", 'e'),
            ("\"digest\": \"OSSA\"", 'f'),
            ("\"length\": \"22581\"", 'g'),
            ("\"offset\": \"33471\"", 'h'),
            ("\"filename\": \"iana.warc.gz\"", 'i'),
        ],
    ),
];
