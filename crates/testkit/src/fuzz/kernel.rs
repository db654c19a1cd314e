//! Invariants of lines for kernels: all kernels agree.

use super::turns;
use crate::judge::{alone, judge, judge_lines, span};

/// Every kernel gives the same result as the portable one for the lines and for the whole as one record, and that
/// result is right.
pub(super) fn kernel(data: &[u8]) {
    let align = data.len() % 64;
    let ways: [fn(usize, &[u8]); 3] = [
        |_, data| judge(data, alone(data)),
        judge_lines,
        |align, data| {
            for fill in turns(&data[data.len() / 2..], [b"a", b"/", b"0", b"\n"]) {
                judge(data, span(align, data, fill));
            }
        },
    ];
    for way in turns(data, ways) {
        way(align, data);
    }
}
