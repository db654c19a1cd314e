//! Records and lines: each kernel against the portable one, and that one against a slow and simple split of records
//! (RFC 3986 Appendix B).

use urimill_uri::simd::{Isa, PADDING, Progress, SlowPath, Span, Splits, split_lines, split_spans};

use urimill_testkit::judge::{LIMIT, alone, how, judge, judge_lines, lines, padded, said, span};
use urimill_testkit::random::Random;

/// Records of a length, one of each shape that kernels treat differently.
fn shapes(len: usize) -> impl Iterator<Item = Vec<u8>> {
    const SHAPES: [(&str, &str); 8] = [
        ("http://example.com/", "abc/def-"),
        ("https://www.example.org/a?", "k=v&"),
        ("https://", "label.of.host."),
        ("//cdn.example.net/", "x/y"),
        ("/", "rooted/path_"),
        ("", "rootless"),
        ("mailto:", "someone"),
        ("http://example.com/p?q#", "fragment/?"),
    ];
    SHAPES
        .into_iter()
        .map(move |(beginning, rest)| beginning.bytes().chain(rest.bytes().cycle()).take(len).collect())
}

/// Splits one record by every function of every kernel.
fn judge_record(align: usize, record: &[u8]) {
    judge(record, alone(record));
    judge(record, span(align, record, b"a"));
    judge_lines(align, record);
}

#[test]
fn every_kernel_at_every_alignment_and_length() {
    for len in 0..=300 {
        for shape in shapes(len) {
            judge(&shape, alone(&shape));
            for align in 0..64 {
                let (split, slow_path) = span(align, &shape, b"a");
                if align == len % 64 {
                    judge(&shape, (split, slow_path));
                }
                let mut text = shape.clone();
                text.extend_from_slice([&b"\n"[..], b"\r\n", b"\n\n", b"\r\n\r\n", b""][len % 5]);
                if align == len % 64 {
                    judge_lines(align, &text);
                } else {
                    lines(align, &text);
                }
            }
        }
    }
}

/// Parts that change a kernel's decision, complete or cut off by the record's end.
const MARKS: [&[u8]; 36] = [
    b"?", b"#", b"%", b"%4", b"%41", b"%c3%A9", b"%zz", b"%4g", b"/", b"/.", b"/..", b"/./", b"/../", b".",
    b"..", b"//", b":", b"@", b"-", b"--", b"[", b"]", b"??", b"##", b"?#", b"#?", b"A", b"7", b" ", b"\"",
    b"\x00", b"\x7f", b"\x80", b"\xff", b"\r", b"~",
];

const BASES: [(&[u8], &[u8]); 6] = [
    (b"http://example.com/", b"abcdefg"),
    (b"https://example.com/a?b", b"abcdefg"),
    (b"http://", b"abcdefg"),
    (b"//", b"abcdefg"),
    (b"/", b"a"),
    (b"", b"f"),
];

/// A base of `len` bytes with `mark` put at `at`.
fn marked((beginning, rest): (&[u8], &[u8]), len: usize, at: usize, mark: &[u8]) -> Vec<u8> {
    let mut text: Vec<u8> = beginning.iter().chain(rest.iter().cycle()).copied().take(len.max(at)).collect();
    text.splice(at..(at + mark.len()).min(text.len()), mark.iter().copied());
    text
}

#[test]
fn a_delimiter_at_every_position_is_found() {
    for base in BASES {
        for mark in MARKS {
            for at in 0..=133 {
                for behind in [0, 1, 2, 66] {
                    let record = marked(base, at + mark.len() + behind, at, mark);
                    judge_record(at % 64, &record);
                }
            }
        }
    }
}

#[test]
fn two_delimiters_at_the_edges_of_blocks_are_found() {
    let edges = || (60..=70).chain(124..=132);
    for base in [BASES[0], BASES[1], BASES[4]] {
        for (first, second) in edges().flat_map(|first| edges().map(move |second| (first, second))) {
            for (i, mark) in MARKS.into_iter().enumerate() {
                // Every pair of marks occurs at some pair of positions.
                let other = MARKS[(i + first + 3 * second) % MARKS.len()];
                let mut record = marked(base, 140, first, mark);
                record.splice(second..second + other.len(), other.iter().copied());
                judge_record((first + second) % 64, &record);
            }
        }
    }
}

#[test]
fn line_ends_at_every_position_are_found() {
    let ends: [&[u8]; 9] =
        [b"\n", b"\r\n", b"\n\n", b"\r\n\r\n", b"\r\r\n", b"\r", b"\n\r", b"%\n41", b"/\n."];
    for base in BASES {
        for end in ends {
            for at in 0..=133 {
                for behind in [0, 1, 70] {
                    judge_lines(at % 64, &marked(base, at + end.len() + behind, at, end));
                }
            }
        }
    }
}

/// A carriage return before a newline belongs to the line's end, and elsewhere to the record.
#[test]
fn a_carriage_return_without_newline_is_a_byte() {
    for (text, ends) in [
        (&b"http://a/\r"[..], vec![10]),
        (b"http://a/\r\n", vec![9]),
        (b"\r", vec![1]),
        (b"\r\n", vec![]),
        (b"/a\r\n/b\r", vec![2, 3]),
        (b"/a\r\r\n", vec![3]),
    ] {
        let (rows, ..) = lines(0, text);
        assert_eq!(rows.iter().map(|row| row.1.end).collect::<Vec<_>>(), ends, "{}", text.escape_ascii());
    }
}

#[test]
fn random_records_match_the_scalar_kernel() {
    let mut rng = Random(1);
    for round in 0..60_000 {
        let record = rng.text(24);
        judge(&record, alone(&record));
        judge(&record, span(round % 64, &record, b"9"));
    }
}

#[test]
fn random_lines_match_the_scalar_kernel() {
    let mut rng = Random(2);
    for round in 0..3_000 {
        let mut text = Vec::new();
        for _ in 0..rng.below(20) {
            text.extend_from_slice(&rng.text(16));
            text.extend_from_slice([&b"\n"[..], b"\n", b"\r\n", b"\n\n", b"\r\n\n"][rng.below(5)]);
        }
        text.extend_from_slice(&rng.text(16));
        judge_lines(round % 64, &text);
    }
}

/// Each of these would complete a triplet, an authority, a scheme or a dot segment that a record's end cuts off.
#[test]
fn bytes_around_a_span_do_not_matter() {
    let fills: [&[u8]; 12] =
        [b"0", b"A", b"f", b"/", b"//host/", b".", b"../", b"%41", b":", b"?#", b"\n", b"\xff"];
    let records = [
        "", "h", "http:", "http:/", "http://", "http://h", "https:/", "https://", "/", "//", "//h", "a:", "a",
    ]
    .map(|text| text.as_bytes().to_vec());
    let cut = [&b"%"[..], b"%4", b"/", b"/.", b"?", b"#", b""]
        .into_iter()
        .flat_map(|mark| (58..=70).chain(124..=132).map(move |at| marked(BASES[0], at, at, mark)));
    for record in records.into_iter().chain(cut) {
        for align in [0, 1, 31, 63] {
            let reference = span(align, &record, b"x");
            for fill in fills {
                let shown = fill.escape_ascii();
                assert_eq!(span(align, &record, fill), reference, "in {shown}: {}", record.escape_ascii());
            }
        }
        // The same after the padding's newline.
        let say = |fill: &[u8], isa| {
            let buffer = padded(3, &record, fill);
            let mut out = Splits::default();
            split_lines(&buffer, (3, 3 + record.len()), 9, LIMIT, how(isa), &mut out);
            said(&out)
        };
        for isa in Isa::available() {
            for fill in fills {
                assert_eq!(say(fill, isa), say(b"x", isa), "{isa:?}: {}", record.escape_ascii());
            }
        }
    }
}

/// Records that kernels decide alone, and records that they leave: without this test they could leave everything.
#[test]
fn flags_say_why_a_record_leaves_the_kernel() {
    let long = |beginning: &str, rest: &str| beginning.to_owned() + &"x".repeat(100) + rest;
    let table = [
        ("http://example.com/", 0),
        ("https://www.example.com/a/b.html?q=1#top", 0),
        ("//example.com/a", 0),
        ("/a/b.c?d", 0),
        ("a/b?c#d", 0),
        ("?q", 0),
        ("#f", 0),
        ("http://a-b.c1.example/", 0),
        (&long("http://example.com/", "?q#f"), 0),
        (&long("/", "/y"), 0),
        ("http://example.com", SlowPath::EMPTY_PATH),
        ("http://example.com?q", SlowPath::EMPTY_PATH),
        ("http://example.com/%41", SlowPath::PERCENT),
        (&long("http://example.com/", "%41"), SlowPath::PERCENT),
        ("http://example.com/./a", SlowPath::DOTS),
        ("http://example.com/.well-known", SlowPath::DOTS),
        (&long("http://example.com/", "/../a"), SlowPath::DOTS),
        ("http://example.com/?/../a", 0),
        (&long("http://example.com/?", "/../a"), 0),
        (&long("http://example.com/#", "/../a"), 0),
        ("http://example.com/#/../a", 0),
        ("http://example.com/ ", SlowPath::INVALID),
        ("http://example.com/%4", SlowPath::INVALID | SlowPath::PERCENT),
        ("http://example.com/##", SlowPath::INVALID),
        ("http://Example.com/", SlowPath::AUTHORITY),
        ("http://example.com:80/", SlowPath::AUTHORITY),
        ("http://u@example.com/", SlowPath::AUTHORITY),
        ("http://127.0.0.1/", SlowPath::AUTHORITY),
        ("http://[::1]/", SlowPath::AUTHORITY),
        ("http://a..b/", SlowPath::AUTHORITY),
        ("http://.a/", SlowPath::AUTHORITY),
        ("http://a./", SlowPath::AUTHORITY),
        ("http://a.-b/", SlowPath::AUTHORITY),
        ("http://xn--a/", SlowPath::AUTHORITY),
        ("http://a.0xff/", SlowPath::AUTHORITY),
        ("http:///a", SlowPath::AUTHORITY),
        ("HTTP://example.com/", SlowPath::SCHEME),
        ("mailto:a@b", SlowPath::SCHEME),
        ("http:a", SlowPath::SCHEME),
        (&long("http://", "/"), SlowPath::FAR),
        (&long("", "/"), SlowPath::FAR),
    ];
    for (text, expected) in table {
        let slow_path = alone(text.as_bytes()).1;
        if expected & SlowPath::UNSURE == 0 {
            assert_eq!(slow_path, SlowPath(expected), "{text}");
        } else {
            // The full parser reads the record whatever other bits are set.
            assert_eq!(slow_path.0 & expected, expected, "{text}");
        }
    }
}

#[test]
fn a_kernel_stops_at_the_number_of_lines_asked_for() {
    let text = b"\n/a\n\n/b\r\n/c\n\n\n/d";
    let buffer = padded(0, text, b"\0");
    let cases = [
        (0, 0, 0, false),
        (1, 1, 4, false),
        (2, 2, 9, false),
        (3, 3, 12, false),
        (4, 4, 17, true),
        (9, 4, 17, true),
    ];
    for isa in Isa::available() {
        for (most, rows, at, done) in cases {
            let mut out = Splits::default();
            let progress = split_lines(&buffer, (0, text.len()), most, LIMIT, how(isa), &mut out);
            assert_eq!((out.len(), progress), (rows, Progress { at, done }), "{isa:?}: at most {most}");
        }
        // A call appends to what is there, and goes on where the one before stopped.
        let mut parts = Splits::default();
        let mut at = 0;
        while at < text.len() {
            at = split_lines(&buffer, (at, text.len()), 1, LIMIT, how(isa), &mut parts).at;
        }
        assert_eq!(said(&parts), lines(0, text), "{isa:?}: one by one");
    }
}

#[test]
fn records_longer_than_allowed() {
    for len in [1, 63, 64, 65, 200] {
        let text: Vec<u8> = b"/".iter().chain(b"a".iter().cycle()).copied().take(len).collect();
        for (max, is_long) in [(len - 1, true), (len, false), (len + 1, false)] {
            for isa in Isa::available() {
                let mut out = Splits::default();
                let buffer = padded(5, &text, b"\0");
                split_lines(&buffer, (5, 5 + len), 9, max, how(isa), &mut out);
                split_spans(&buffer, &[Span { start: 5, len: len as u32 }], max, how(isa), &mut out);
                let long: Vec<bool> =
                    out.slow_path.iter().map(|slow_path| slow_path.has(SlowPath::LONG)).collect();
                assert_eq!(long, [is_long; 2], "{isa:?}: {len} bytes, at most {max}");
            }
        }
    }
}

#[test]
fn an_empty_range_has_no_lines() {
    assert_eq!(lines(0, b""), (vec![], vec![], vec![]));
    assert_eq!(lines(7, b""), (vec![], vec![], vec![]));
}

#[test]
#[should_panic(expected = "no padding")]
fn lines_without_padding_are_refused() {
    split_lines(b"/a\n", (0, 2), 9, LIMIT, how(Isa::Scalar), &mut Splits::default());
}

#[test]
#[should_panic(expected = "newline")]
fn padding_without_newline_is_refused() {
    split_lines(&[b'a'; 6 + PADDING], (0, 6), 9, LIMIT, how(Isa::Scalar), &mut Splits::default());
}

#[test]
#[should_panic(expected = "no padding")]
fn spans_without_padding_are_refused() {
    let span = Span { start: 1, len: 6 };
    split_spans(&[b'a'; 6 + PADDING], &[span], LIMIT, how(Isa::Scalar), &mut Splits::default());
}
