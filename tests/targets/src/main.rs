//! Reads lists of references; prints for each line the result of parsing, each normal form, and its targets against the
//! base of RFC 3986, 5.4 and against the line before it.

extern crate alloc;

mod answers;

use std::io::Write;

const BASE: &[u8] = b"http://a/b/c/d;p?q";

fn main() -> std::io::Result<()> {
    let mut out = Vec::new();
    for path in std::env::args().skip(1) {
        let (list, mut before) = (std::fs::read(path)?, BASE);
        for line in list.split(|&byte| byte == b'\n') {
            answers::parse(line, &mut out);
            out.push(b'\n');
            for level in 0..urimill_uri::Level::ALL.len() {
                answers::normalize(line, level, &mut out);
                out.push(b'\n');
            }
            for base in [BASE, before] {
                answers::resolve(base, line, &mut out);
                out.push(b'\n');
            }
            before = line;
        }
    }
    std::io::stdout().write_all(&out)
}
