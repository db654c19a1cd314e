//! The files of Kubernetes' runtimes (CRI): `TIME stdout F LINE`. They cut lines longer than 16 KiB into parts.

use super::around::Around;
use crate::check::is_time;

/// `2016-10-06T00:17:09.669794202Z stdout F `
pub(super) fn whole(line: &[u8]) -> Option<Around> {
    let (at, stream, _) = tagged(line)?;
    let time = at - STREAMS[stream].len() - 1;
    Some(Around { line: at + 2, time: Some((0, time)), host: None })
}

/// Where the tag of a line of such a file is, the number of its stream, and whether the line goes on in the next one of
/// the stream.
fn tagged(line: &[u8]) -> Option<(usize, usize, bool)> {
    let time = memchr::memchr(b' ', line).filter(|&at| at >= 20 && is_time(&line[..at]))?;
    let rest = &line[time + 1..];
    let stream = STREAMS.iter().position(|stream| rest.starts_with(stream))?;
    let tag = STREAMS[stream].len();
    let is_part = match rest.get(tag..tag + 2)? {
        b"F " => false,
        b"P " => true,
        _ => return None,
    };
    Some((time + 1 + tag, stream, is_part))
}

const STREAMS: [&[u8]; 2] = [b"stdout ", b"stderr "];

/// For each stream, whether its next line continues the one before.
pub(crate) type Unfinished = [bool; STREAMS.len()];

/// Reads the next line. If it is a part of a longer one, returns where its tag is.
#[inline]
pub(crate) fn part(unfinished: &mut Unfinished, line: &[u8]) -> Option<usize> {
    // Most prefixes are of other kinds.
    if line.get(4) != Some(&b'-') {
        return None;
    }
    let (at, stream, is_part) = tagged(line)?;
    let goes_on = std::mem::replace(&mut unfinished[stream], is_part);
    (goes_on || is_part).then_some(at)
}

/// Reads whole lines.
pub(crate) fn follow(unfinished: &mut Unfinished, lines: &[u8]) {
    // The last line of each stream decides.
    let mut is_known = Unfinished::default();
    for line in lines.rsplit(|&b| b == b'\n') {
        if let Some((_, stream, is_part)) = tagged(line).filter(|&(_, stream, _)| !is_known[stream]) {
            (unfinished[stream], is_known[stream]) = (is_part, true);
        }
        if is_known == [true; STREAMS.len()] {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_a_runtime_has_cut_are_told_by_stream() {
        // (lines, whether each is a part of a longer one)
        let time = "2016-10-06T00:17:09.669794202Z";
        let cases: &[(&[&str], &[bool])] = &[
            (&["stdout F a", "stdout F b"], &[false, false]),
            (&["stdout P a", "stdout F b", "stdout F c"], &[true, true, false]),
            (&["stdout P a", "stdout P b", "stdout F c", "stdout F d"], &[true, true, true, false]),
            (&["stdout P a", "stderr F b", "stdout F c", "stderr F d"], &[true, false, true, false]),
            (&["stdout P a", "stderr P b", "stderr F c", "stdout F d"], &[true; 4]),
        ];
        for (lines, parts) in cases {
            let lines: Vec<String> = lines.iter().map(|line| format!("{time} {line}")).collect();
            let mut unfinished = Unfinished::default();
            let found = lines.iter().map(|line| part(&mut unfinished, line.as_bytes()));
            let found: Vec<bool> = found.map(|at| at.is_some()).collect();
            assert_eq!(found, *parts, "{lines:?}");
            for split in 0..=lines.len() {
                let before = lines[..split].iter().map(|line| format!("{line}\n")).collect::<String>();
                let mut unfinished = Unfinished::default();
                follow(&mut unfinished, before.as_bytes());
                let found =
                    lines[split..].iter().map(|line| part(&mut unfinished, line.as_bytes()).is_some());
                assert_eq!(found.collect::<Vec<_>>(), parts[split..], "{lines:?} from {split}");
            }
        }
    }
}
