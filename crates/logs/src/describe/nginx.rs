//! nginx: the strings of `log_format`, whose variables may be of any module.

use urimill_base::error::Result;

use super::scan::{Directive, Piece, Scan};
use super::{Rows, Server};
use crate::definition::{Escapes, Writer};

pub(super) static NGINX: Server = Server {
    name: "nginx",
    title: "nginx",
    word: "variable",
    requests: "$request",
    read,
    nicknames: &[(
        "combined",
        r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent""#,
    )],
    directives: &[VARIABLES],
    writer: Writer::Escapes,
    escapes: Escapes::Backslash,
    merges_spaces: false,
};

const VARIABLES: Rows = &[
    ("remote_addr", "client:addr"),
    ("realip_remote_addr", "connection_client:addr"),
    ("proxy_protocol_addr", "proxy_client:addr"),
    ("remote_port", "client_port:int"),
    ("remote_user", "user"),
    ("time_local", "@pair"),
    ("time_iso8601", "time:time"),
    ("msec", "time:time"),
    ("request", ":request"),
    ("request_uri", ":url"),
    ("uri", ":path"),
    ("document_uri", ":path"),
    ("is_args", "is_args"),
    ("args", ":query"),
    ("query_string", ":query"),
    ("request_method", ":method"),
    ("scheme", ":scheme"),
    ("https", "https:secure"),
    ("ssl_protocol", "ssl_protocol:secure"),
    ("ssl_cipher", "ssl_cipher:secure"),
    ("http_host", ":host"),
    ("host", ":host"),
    ("server_name", "server_name:host"),
    ("server_port", "server_port:port"),
    ("server_addr", "server_ip:addr"),
    ("server_protocol", "protocol:protocol"),
    ("status", "status:int=status"),
    ("body_bytes_sent", "size:long"),
    ("bytes_sent", "sent:long"),
    ("request_length", "request_size:long"),
    ("content_length", "content_length:long"),
    ("request_time", "duration_us:s"),
    ("upstream_response_time", "upstream_time:list"),
    ("upstream_connect_time", "upstream_connect_time:list"),
    ("upstream_header_time", "upstream_header_time:list"),
    ("upstream_addr", "upstream:list"),
    ("upstream_status", "upstream_status_list:list"),
    ("upstream_response_length", "upstream_size:list"),
    ("upstream_cache_status", "cache_status"),
    ("http_referer", "referer"),
    ("http_user_agent", "user_agent"),
    ("http_x_forwarded_for", "forwarded_for:list"),
    ("connection", "connection:long"),
    ("connection_requests", "connection_requests:long"),
    ("*", "*"),
];

/// A dollar sign and a name, perhaps in braces.
fn read(scan: &mut Scan<'_>, _: &Server) -> Result<Piece> {
    let at = scan.at;
    match scan.next() {
        Some('\\') => return scan.escaped(""),
        Some('$') => {}
        Some(c) => return Ok(Piece::Char(c)),
        None => return Ok(Piece::Nothing),
    }
    let name = match scan.enclosed('{', '}')? {
        Some(name) => name,
        None => scan.take_while(|c| c.is_ascii_alphanumeric() || c == '_'),
    };
    if name.is_empty() {
        return Err(scan.wrong(at, "no variable has this name"));
    }
    let (name, argument) = (name.to_ascii_lowercase(), name.to_owned());
    Ok(Piece::Directive(Directive { at, name, argument, ..Directive::default() }))
}
