//! Lines as offsets: they agree with the calls for one URI or one URL.

use urimill::batch::LineSplits;
use urimill::simd::PADDING;
use urimill::whatwg::Url;
use urimill::{Code, Standard, UriRef};

use crate::{corpora, dataset};

/// Lists with all their faults, blank lines and line ends.
fn lists() -> Vec<Vec<u8>> {
    let mut lists = vec![
        b"".to_vec(),
        b"\n\r\n".to_vec(),
        b"http://h/a\r\n/b\n\n//H/?'\nmailto:x\nhttp://h/%zz\nhttp://[\nlast\r".to_vec(),
        dataset("oddities.txt"),
        dataset("sample.txt"),
    ];
    // More lines than are split at once.
    lists.push(lists[2].repeat(20_000));
    lists.extend(corpora().into_iter().map(|file| std::fs::read(file).expect("a list can be read")));
    lists
}

#[test]
fn lines_are_split_as_single_texts_are() {
    for mut text in lists() {
        let len = text.len();
        text.resize(len + PADDING, b'\n');
        let mut lines = text[..len].split_inclusive(|&byte| byte == b'\n').map(|line| {
            let line =
                line.strip_suffix(b"\n").map(|line| line.strip_suffix(b"\r").unwrap_or(line)).unwrap_or(line);
            line.to_vec()
        });
        let lines: Vec<Vec<u8>> = lines.by_ref().filter(|line| !line.is_empty()).collect();
        for standard in Standard::ALL {
            let mut splits = LineSplits::new(standard);
            let (mut at, mut row, mut valid) = (0, 0, 0);
            while at < len {
                at = splits.split(&text, (at, len));
                for number in 0..splits.len() {
                    let line = &lines[row];
                    let found = splits.get(&text, number).map(|(text, split)| (text.to_vec(), split));
                    let found = found.map_err(|reject| (reject.code, reject.offset));
                    assert_eq!(found, single(line, standard), "{standard}: {}", line.escape_ascii());
                    valid += u64::from(found.is_ok());
                    row += 1;
                }
            }
            assert_eq!(row, lines.len(), "{standard}");
            let counted = LineSplits::count_valid(standard, &text, (0, len));
            assert_eq!(counted, (valid, lines.len() as u64), "{standard}");
        }
    }
}

/// The text, or the URL, with its offsets; or the code and the offset.
fn single(line: &[u8], standard: Standard) -> Result<(Vec<u8>, urimill::simd::Split), (Code, usize)> {
    match standard {
        Standard::Rfc(spec) => match UriRef::parse_as(line, spec) {
            Ok(uri) => Ok((line.to_vec(), uri.split())),
            Err(reject) => Err((reject.code, reject.offset)),
        },
        Standard::Whatwg => match Url::parse(line, None) {
            Ok(url) => Ok((url.href().as_bytes().to_vec(), url.split())),
            Err(failure) => {
                let reject = urimill::Reject::from(failure);
                Err((reject.code, reject.offset))
            }
        },
    }
}
