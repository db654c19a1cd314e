//! Apache: the strings of `LogFormat` (the modules `mod_log_config` and `mod_logio`).

use urimill_base::error::Result;

use super::scan::{Directive, Piece, Scan};
use super::{Rows, Server, request_headers};
use crate::definition::{Escapes, Writer};

pub(super) static APACHE: Server = Server {
    name: "apache",
    title: "Apache",
    word: "directive",
    requests: "%r",
    read,
    nicknames: &[
        ("common", r#"%h %l %u %t "%r" %>s %b"#),
        ("combined", r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i""#),
        ("vhost_common", r#"%v %h %l %u %t "%r" %>s %b"#),
        ("vhost_combined", r#"%v:%p %h %l %u %t "%r" %>s %O "%{Referer}i" "%{User-Agent}i""#),
        ("combinedio", r#"%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %I %O"#),
    ],
    directives: &[DIRECTIVES, request_headers!("{", "}i")],
    writer: Writer::Escapes,
    escapes: Escapes::Backslash,
    merges_spaces: false,
};

const DIRECTIVES: Rows = &[
    ("h", "client"),
    ("{c}h", "connection_client"),
    ("a", "client:addr"),
    ("{c}a", "connection_client:addr"),
    ("A", "server_ip:addr"),
    ("l", "ident"),
    ("u", "user"),
    ("t", "[{time:time}]"),
    ("{sec}t", "time:time"),
    ("{msec}t", "time:time"),
    ("{usec}t", "time:time"),
    ("{*}t", "moment"),
    ("r", ":request"),
    ("s", "status:int=status"),
    ("b", "size:long"),
    ("B", "size:long"),
    ("O", "sent:long"),
    ("I", "request_size:long"),
    ("S", "transferred:long"),
    ("D", "duration_us:us"),
    ("T", "duration_us:s"),
    ("{ms}T", "duration_us:ms"),
    ("{us}T", "duration_us:us"),
    ("{s}T", "duration_us:s"),
    ("^FB", "first_byte_us:us"),
    ("v", ":host"),
    ("V", ":host"),
    ("p", "server_port:port"),
    ("{canonical}p", "server_port:port"),
    ("{local}p", "server_port:port"),
    ("{remote}p", "client_port:int"),
    ("m", ":method"),
    ("U", ":path"),
    ("q", ":query"),
    ("H", "protocol:protocol"),
    ("f", "filename"),
    ("P", "pid:int"),
    ("{pid}P", "pid:int"),
    ("{tid}P", "thread_id:long"),
    ("{hextid}P", "thread_id_hexadecimal"),
    ("k", "keepalive"),
    ("X", "connection_status"),
    ("L", "log_id"),
    ("R", "handler"),
    ("{*}o", "response_*"),
    ("{*}^ti", "request_*"),
    ("{*}^to", "response_*"),
    ("{*}C", "cookie_*"),
    ("{ssl_protocol}e", "ssl_protocol:secure"),
    ("{ssl_protocol}x", "ssl_protocol:secure"),
    ("{ssl_protocol}c", "ssl_protocol:secure"),
    ("{ssl_cipher}e", "ssl_cipher:secure"),
    ("{ssl_cipher}x", "ssl_cipher:secure"),
    ("{ssl_cipher}c", "ssl_cipher:secure"),
    ("{https}e", "https:secure"),
    ("{https}x", "https:secure"),
    ("{https}c", "https:secure"),
    ("{version}c", "version:secure"),
    ("{cipher}c", "cipher:secure"),
    ("{request_scheme}e", ":scheme"),
    ("{request_scheme}x", ":scheme"),
    ("{*}e", "*"),
    ("{*}n", "*"),
    ("{*}x", "*"),
    ("{*}c", "*"),
];

/// A percent sign, conditions, an argument in braces, and a letter: `%!200,304{Referer}i`.
pub(super) fn read(scan: &mut Scan<'_>, _: &Server) -> Result<Piece> {
    let at = scan.at;
    match scan.next() {
        Some('\\') => return scan.escaped("\"\\"),
        Some('%') if scan.eat("%") => return Ok(Piece::Char('%')),
        Some('%') => {}
        Some(c) => return Ok(Piece::Char(c)),
        None => return Ok(Piece::Nothing),
    }
    // Only for some status codes, or only before or after internal redirects: elsewhere the log has a dash.
    scan.take_while(|c| c.is_ascii_digit() || "!,<>".contains(c));
    let argument = scan.enclosed('{', '}')?;
    // Times to the first byte, and trailers.
    let letters = ["^FB", "^ti", "^to"].into_iter().find(|&letters| scan.eat(letters)).map(str::to_owned);
    let Some(letters) = letters.or_else(|| scan.next().map(String::from)) else {
        return Err(scan.wrong(at, "a percent sign ends it: which directive?"));
    };
    Ok(Piece::Directive(Directive::braced(at, argument, &letters)))
}
