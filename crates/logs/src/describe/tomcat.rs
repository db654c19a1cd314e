//! Tomcat: the patterns of its `AccessLogValve`, which are like Apache's. Before version 10, `%D` had thousandths of a
//! second.

use urimill_base::error::Result;

use super::scan::{Piece, Scan};
use super::{Rows, Server, apache, request_headers};
use crate::definition::{Escapes, Writer};

pub(super) static TOMCAT: Server = LATEST;

pub(super) static TOMCAT_9: Server = Server {
    name: "tomcat9",
    directives: &[&[("D", "duration_us:ms")], PATTERNS, request_headers!("{", "}i")],
    ..LATEST
};

const LATEST: Server = Server {
    name: "tomcat",
    title: "Tomcat",
    word: "pattern",
    requests: "%r",
    read,
    nicknames: &[
        ("common", r#"%h %l %u %t "%r" %s %b"#),
        ("combined", r#"%h %l %u %t "%r" %s %b "%{Referer}i" "%{User-Agent}i""#),
    ],
    directives: &[&[("D", "duration_us:us")], PATTERNS, request_headers!("{", "}i")],
    writer: Writer::Escapes,
    escapes: Escapes::Backslash,
    merges_spaces: false,
};

const PATTERNS: Rows = &[
    ("a", "client:addr"),
    ("{remote}a", "client:addr"),
    ("{peer}a", "connection_client:addr"),
    ("A", "server_ip:addr"),
    ("b", "size:long"),
    ("B", "size:long"),
    ("F", "first_byte_us:ms"),
    ("h", "client"),
    ("H", "protocol:protocol"),
    ("I", "thread"),
    ("l", "ident"),
    ("m", ":method"),
    ("p", "server_port:port"),
    ("{local}p", "server_port:port"),
    ("{remote}p", "client_port:int"),
    ("q", ":query"),
    ("r", ":request"),
    ("s", "status:int=status"),
    ("S", "session"),
    ("t", "[{time:time}]"),
    ("{sec}t", "time:time"),
    ("{msec}t", "time:time"),
    ("{msec_frac}t", "milliseconds:int"),
    ("{begin}t", "[{time:time}]"),
    ("{begin:sec}t", "time:time"),
    ("{begin:msec}t", "time:time"),
    ("{begin:msec_frac}t", "milliseconds:int"),
    ("{end}t", "[{end_time:time}]"),
    ("{end:sec}t", "end_time:time"),
    ("{end:msec}t", "end_time:time"),
    ("{end:msec_frac}t", "end_milliseconds:int"),
    ("{*}t", "moment"),
    ("T", "duration_us:s"),
    ("{ns}T", "duration_us:ns"),
    ("{us}T", "duration_us:us"),
    ("{ms}T", "duration_us:ms"),
    ("{fracsec}T", "duration_us:s"),
    ("{s}T", "duration_us:s"),
    ("u", "user"),
    ("U", ":path"),
    ("v", ":host"),
    ("X", "connection_status"),
    ("{*}o", "response_*"),
    ("{*}c", "cookie_*"),
    ("{*}r", "*"),
    ("{*}s", "session_*"),
];

/// As Apache's; a configuration is XML, whose quotes may be written out.
fn read(scan: &mut Scan<'_>, server: &Server) -> Result<Piece> {
    for (written, c) in [("&quot;", '"'), ("&apos;", '\''), ("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&')] {
        if scan.eat(written) {
            return Ok(Piece::Char(c));
        }
    }
    apache::read(scan, server)
}
