//! Kernels at the edges of memory: a kernel reads no byte before a buffer, and none after its promised padding. The
//! buffers lie between pages that end the process when they are touched (`guard`).

use std::process::Command;

use urimill_uri::simd::{
    Given, Isa, PADDING, Parts, Span, Splits, TripletKinds, list_unsure, split_lines, split_one, split_spans,
    string_views, survey_triplets, text_run,
};

use crate::guard::Guarded;
use urimill_testkit::judge::{LIMIT, Said, how, padded, said};

/// Texts of a length: each takes a different way through the kernels, above all at its end.
fn shapes(len: usize) -> impl Iterator<Item = Vec<u8>> {
    const SHAPES: [(&str, &str); 16] = [
        ("http://example.com/", "abc/def-"),
        ("https://www.example.org/a?", "k=v&"),
        ("https://", "label.of.host."),
        ("http://u:p@[::1]:80/", "%41/../"),
        ("//", "/."),
        ("", "rootless"),
        ("mailto:", "%c3%A9"),
        ("http://example.com/p?q#", "fragment/?"),
        ("", "%"),
        ("", "\n"),
        ("", "\r"),
        ("", "\r\n"),
        ("", "a\n"),
        ("", "/./\r\n//h\n"),
        ("", ":@[]?#"),
        ("", "\u{ff}"),
    ];
    SHAPES.into_iter().map(move |(start, rest)| start.bytes().chain(rest.bytes().cycle()).take(len).collect())
}

/// A kernel's results for the lines of a buffer, and for its text as one span with an empty span after it; and the
/// number of lines if it lists those of which it is not sure.
fn say(isa: Isa, buffer: &[u8], (from, to): (usize, usize)) -> (Said, Said, usize) {
    let (mut lines, mut spans) = (Splits::default(), Splits::default());
    let progress = split_lines(buffer, (from, to), to - from + 1, LIMIT, how(isa), &mut lines);
    assert!(progress.done, "{isa:?} stopped at {}", progress.at);
    let places = [(from, to), (to, to)];
    let places = places.map(|(from, to)| Span { start: from as u32, len: (to - from) as u32 });
    split_spans(buffer, &places, LIMIT, how(isa), &mut spans);
    let count = list_unsure(buffer, (from, to), how(isa), &mut Vec::new());
    (said(&lines), said(&spans), count)
}

/// Every alignment, length and kernel. At alignment 0 the text begins at the start of its page, or one byte after it,
/// and the last byte of its padding is the last byte of a page: exactly PADDING bytes are readable.
#[test]
fn kernels_stay_within_padded_buffers() {
    let mut guarded = Guarded::new(1 << 12);
    // Every other text has a byte before it, which records of a group need.
    for (len, from) in (0..=300).map(|len| (len, len % 2)) {
        for text in shapes(len) {
            let (buffer, range) = (padded(from, &text, b"\xff"), (from, from + len));
            assert_eq!(buffer.len(), from + len + PADDING, "what the kernels ask for, and no byte more");
            let expected = say(Isa::Scalar, &buffer, range);
            for align in 0..64 {
                let bytes = guarded.bytes();
                let last = bytes.len() - align - buffer.len();
                for at in [align, last] {
                    // After the padding: bytes that would continue the text, or none.
                    let end = at + buffer.len();
                    bytes[at..end].copy_from_slice(&buffer);
                    bytes[end..].iter_mut().take(align).for_each(|byte| *byte = b'/');
                    for isa in Isa::available() {
                        let found = say(isa, &bytes[at..end], range);
                        assert_eq!(found, expected, "{isa:?}, {align} from an edge: {}", text.escape_ascii());
                    }
                }
            }
        }
    }
}

/// A text alone has no padding: no byte before and after it is readable.
#[test]
fn kernels_stay_within_single_texts() {
    let mut guarded = Guarded::new(1 << 12);
    for len in 0..=300 {
        for text in shapes(len) {
            let say = |text: &[u8], isa| (split_one(text, how(isa)), text_run(text, how(isa)));
            let expected = say(&text, Isa::Scalar);
            for align in 0..64 {
                let bytes = guarded.bytes();
                for at in [align, bytes.len() - align - len] {
                    let place = &mut bytes[at..at + len];
                    place.copy_from_slice(&text);
                    for isa in Isa::available() {
                        assert_eq!(
                            say(place, isa),
                            expected,
                            "{isa:?}, {align} from an edge: {}",
                            text.escape_ascii()
                        );
                    }
                }
            }
        }
    }
}

/// There is no padding either when triplets are found and views are made: of each byte, and of all bytes from each one
/// on.
#[test]
fn triplet_and_view_kernels_stay_within_their_texts() {
    const KINDS: TripletKinds = [1; 128];
    let mut guarded = Guarded::new(1 << 12);
    for len in 0..=300u32 {
        let text: Vec<u8> = b"%41/%c3%A9abc%".iter().copied().cycle().take(len as usize).collect();
        let start: Vec<u32> = (0..=len).chain(0..len).collect();
        let to: Vec<u32> = (0..=len).map(|from| len - from).chain((0..len).map(|_| 1)).collect();
        let parts = Parts { start: &start, from: None, to: &to, given: Given::NotEmpty };
        let say = |isa, text: &[u8]| {
            let (mut views, mut given) = (vec![0; start.len()], vec![0; start.len().div_ceil(8)]);
            string_views([text; 2], &parts, Some(isa), &mut views, &mut given);
            (survey_triplets(text, &KINDS, Some(isa)), views)
        };
        let expected = say(Isa::Scalar, &text);
        for align in 0..64 {
            let bytes = guarded.bytes();
            for at in [align, bytes.len() - align - text.len()] {
                let place = &mut bytes[at..at + text.len()];
                place.copy_from_slice(&text);
                for isa in Isa::available() {
                    assert!(say(isa, place) == expected, "{isa:?}, {len} bytes, {align} from an edge");
                }
            }
        }
    }
}

/// Checks that the guard works. The test runs itself, and dies of a signal.
#[test]
fn touching_a_guard_page_ends_the_process() {
    use std::os::unix::process::ExitStatusExt;
    const WHICH: &str = "URIMILL_TEST_GUARD";
    if let Ok(which) = std::env::var(WHICH) {
        let mut guarded = Guarded::new(1);
        return guarded.touch(which == "before");
    }
    for which in ["before", "behind"] {
        let this = std::env::current_exe().expect("the test knows its own program");
        let mut command = Command::new(this);
        command.args(["--exact", "edges::touching_a_guard_page_ends_the_process"]).env(WHICH, which);
        // A sanitizer would turn the signal into a report.
        command.env("ASAN_OPTIONS", "handle_segv=0:handle_sigbus=0");
        let output = command.output().expect("the test starts itself");
        assert!(matches!(output.status.signal(), Some(libc::SIGSEGV | libc::SIGBUS)), "{which}: {output:?}");
    }
}
