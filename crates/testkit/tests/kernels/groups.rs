//! Lists of more records than a kernel takes at once: its result for a record depends neither on the records around it
//! nor on where a list is cut.

use urimill_uri::simd::{Isa, Span, Splits, split_lines, split_spans};

use urimill_testkit::judge::{LIMIT, how, lines, padded, said};
use urimill_testkit::random::Random;

/// Records that a kernel splits together, and records that it splits one by one, for each reason.
const SHAPES: [&str; 30] = [
    "http://a.example/",
    "https://www.example.com/a/b?c=d",
    "/",
    "/rooted?x",
    "/?",
    // A path, a scheme or an authority of another kind.
    "http://example.com",
    "http://example.com?q",
    "http:///path",
    "rootless/path",
    "//example.com/",
    "mailto:someone",
    "HTTP://example.com/",
    "http://Example.com/",
    "http://user@example.com:80/",
    "http://a..b/",
    "http://a-.b/",
    "http://a./",
    "http://-a/",
    "http://xn--a/",
    "http://1.2.3.4/",
    "http://3d.example/",
    "http://a.3d/",
    // Something else in path or query.
    "/a/../b",
    "/a?/./b",
    "/%41",
    "/%4",
    "/a#b",
    "/a b",
    "/caf\u{e9}",
    "#",
];

/// A plain line of this length, from 1 on.
fn plain(len: usize) -> String {
    let beginning = ["/", "http://example.com/", "https://www.example.com/a?"][len % 3];
    beginning.chars().chain("path-".chars().cycle()).take(len.max(beginning.len())).collect()
}

/// Every kernel on all lines, on `step` lines at a time, and on all records as spans.
fn compare(list: &[String], line_end: &str) {
    let text = list.join(line_end);
    for align in [0, 5] {
        let whole = lines(align, text.as_bytes());
        let buffer = padded(align, text.as_bytes(), b"/");
        let to = align + text.len();
        let spans: Vec<Span> =
            whole.0.iter().map(|(start, split, _)| Span { start: *start, len: split.end }).collect();
        for isa in Isa::available() {
            for most in [1, 63, 64, 65, 100] {
                let (mut parts, mut at) = (Splits::default(), align);
                while at < to {
                    at = split_lines(&buffer, (at, to), most, LIMIT, how(isa), &mut parts).at;
                }
                assert_eq!(said(&parts), whole, "{isa:?}, {most} at a time");
            }
            let mut out = Splits::default();
            split_spans(&buffer, &spans, LIMIT, how(isa), &mut out);
            assert_eq!(said(&out).0, whole.0, "{isa:?}, as spans");
        }
    }
}

#[test]
fn every_shape_at_the_edges_of_groups() {
    for (number, shape) in SHAPES.into_iter().enumerate() {
        for count in [1, 2, 63, 64, 65, 129] {
            let mut list: Vec<String> = (0..count).map(|i| plain((i * 29 + number) % 260)).collect();
            for place in [0, 1, 62, 63, 64, 65, 127, 128] {
                if place < count {
                    list[place] = shape.to_owned();
                }
            }
            compare(&list, ["\n", "\r\n"][count % 2]);
        }
    }
}

#[test]
fn every_share_of_records_that_are_not_plain() {
    for others in [0, 1, 23, 24, 25, 26, 40, 64] {
        // Seven groups with this many, and more groups after them with none.
        let list: Vec<String> = (0..800)
            .map(|i| match i < 7 * 64 && i % 64 < others {
                true => SHAPES[i % SHAPES.len()].to_owned(),
                false => plain(i % 200),
            })
            .collect();
        compare(&list, "\n");
    }
}

#[test]
fn blank_lines_and_carriage_returns_anywhere() {
    let mut random = Random(7);
    for round in 0..60 {
        let list: Vec<String> = (0..random.below(300))
            .map(|_| match random.below(if round % 2 == 0 { 6 } else { 40 }) {
                0 => String::new(),
                1 => "\r".to_owned(),
                2 => plain(random.below(200)) + "\r",
                3 => SHAPES[random.below(SHAPES.len())].to_owned() + "\r\r",
                4 => SHAPES[random.below(SHAPES.len())].to_owned(),
                _ => plain(random.below(260)),
            })
            .collect();
        compare(&list, "\n");
    }
}

/// There are no bytes before the records: neither their first byte nor the others' marks may depend on one.
#[test]
fn records_at_the_beginning_of_the_buffer_among_others() {
    for shape in SHAPES.into_iter().map(str::to_owned).chain([plain(70), plain(200)]) {
        let list = [vec![shape], (1..200).map(plain).collect()].concat();
        let text = list.join("\n");
        let (of_lines, buffer) = (lines(0, text.as_bytes()).0, padded(0, text.as_bytes(), b"/"));
        // The first record as it is, cut and empty, at every position of a group.
        let (first, others) = (&of_lines[0].1, &of_lines[1..]);
        let spans: Vec<Span> = others
            .iter()
            .enumerate()
            .flat_map(|(i, (start, split, _))| {
                let beginning = Span { start: 0, len: [first.end, first.end.min(1), 0][i % 3] };
                let other = Span { start: *start, len: split.end };
                if i % 5 < 2 { vec![other, beginning] } else { vec![other] }
            })
            .collect();
        let say = |isa| {
            let mut out = Splits::default();
            split_spans(&buffer, &spans, LIMIT, how(isa), &mut out);
            said(&out)
        };
        for isa in Isa::available() {
            assert_eq!(say(isa), say(Isa::Scalar), "{isa:?}, {} first", list[0]);
        }
    }
}

/// The lines of a part of a text are those of the same text by itself, whatever stands behind it.
#[test]
fn lines_end_where_their_part_of_a_text_ends() {
    let list: Vec<String> = SHAPES.iter().map(|&shape| shape.to_owned()).chain((1..80).map(plain)).collect();
    for line_end in ["\n", "\r\n", "\n\n"] {
        let text = list.join(line_end) + line_end;
        let buffer = padded(0, text.as_bytes(), b"/");
        let cuts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        for (from, to) in [(0, 1), (0, 9), (1, 40), (7, 90), (30, 31), (30, 100)] {
            let (from, to) = (cuts[from], cuts[to.min(cuts.len() - 1)]);
            let alone = padded(from, &text.as_bytes()[from..to], b"\0");
            for isa in Isa::available() {
                let say = |text: &[u8]| {
                    let mut out = Splits::default();
                    let progress = split_lines(text, (from, to), to, LIMIT, how(isa), &mut out);
                    (progress.at, said(&out))
                };
                assert_eq!(say(&buffer), say(&alone), "{isa:?}, {from} to {to}");
            }
        }
    }
}
