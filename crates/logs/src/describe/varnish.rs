//! Varnish: the strings of `varnishncsa -F`, which are like Apache's.

use super::apache::read;
use super::{Rows, Server, request_headers};
use crate::definition::{Escapes, Writer};

pub(super) static VARNISH: Server = Server {
    name: "varnish",
    title: "varnishncsa",
    word: "formatter",
    requests: "%r",
    read,
    nicknames: &[("default", r#"%h %l %u %t "%r" %s %b "%{Referer}i" "%{User-agent}i""#)],
    directives: &[FORMATTERS, request_headers!("{", "}i")],
    writer: Writer::Escapes,
    escapes: Escapes::Backslash,
    merges_spaces: false,
};

const FORMATTERS: Rows = &[
    ("b", "size:long"),
    ("D", "duration_us:us"),
    ("H", "protocol:protocol"),
    ("h", "client"),
    ("I", "request_size:long"),
    ("l", "ident"),
    ("m", ":method"),
    ("{*}o", "response_*"),
    ("O", "sent:long"),
    ("q", ":query"),
    ("r", ":request"),
    ("s", "status:int=status"),
    ("t", "[{time:time}]"),
    ("{sec}t", "time:time"),
    ("{msec}t", "time:time"),
    ("{usec}t", "time:time"),
    ("{msec_frac}t", "milliseconds:int"),
    ("{usec_frac}t", "microseconds:int"),
    ("{*}t", "@moment"),
    ("T", "duration_us:s"),
    ("{s}T", "duration_us:s"),
    ("{ms}T", "duration_us:ms"),
    ("{us}T", "duration_us:us"),
    ("U", ":path"),
    ("u", "user"),
    ("{varnish:time_firstbyte}x", "first_byte_us:s"),
    ("{varnish:hitmiss}x", "cache_status"),
    ("{varnish:handling}x", "handling"),
    ("{varnish:vxid}x", "vxid"),
    ("{varnish:side}x", "side"),
    ("{*}x", "*"),
];
