//! Traffic Server: the `format` of `logging.yaml`. Fields without a meaning in other logs have the names that its source
//! has for their codes.

use urimill_base::error::Result;

use super::scan::{Directive, Piece, Scan};
use super::{Rows, Server, request_headers};
use crate::definition::{Escapes, Writer};

pub(super) static TRAFFICSERVER: Server = Server {
    name: "trafficserver",
    title: "Traffic Server",
    word: "log field",
    requests: "%<pqu>",
    read,
    nicknames: &[
        (
            "squid",
            "%<cqtq> %<ttms> %<chi> %<crc>/%<pssc> %<psql> %<cqhm> %<pquc> %<caun> %<phr>/%<shn> %<psct>",
        ),
        ("common", r#"%<chi> - %<caun> [%<cqtn>] "%<cqhm> %<pqu> %<cqpv>" %<pssc> %<pscl>"#),
        (
            "extended",
            r#"%<chi> - %<caun> [%<cqtn>] "%<cqhm> %<pqu> %<cqpv>" %<pssc> %<pscl> %<sssc> %<sscl> %<cqcl> %<pqcl> %<cqhl> %<pshl> %<pqhl> %<sshl> %<tts>"#,
        ),
        (
            "extended2",
            r#"%<chi> - %<caun> [%<cqtn>] "%<cqhm> %<pqu> %<cqpv>" %<pssc> %<pscl> %<sssc> %<sscl> %<cqcl> %<pqcl> %<cqhl> %<pshl> %<pqhl> %<sshl> %<tts> %<phr> %<cfsc> %<pfsc> %<crc>"#,
        ),
    ],
    directives: &[FIELDS, NUMBERS, TEXTS, request_headers!("{", "}cqh"), request_headers!("{", "}ecqh")],
    writer: Writer::Raw,
    escapes: Escapes::None,
    merges_spaces: false,
};

const FIELDS: Rows = &[
    ("chi", "client:addr"),
    ("chiv", "client:addr"),
    ("chp", "client_port:int"),
    ("rchi", "connection_client:addr"),
    ("rchp", "connection_client_port:int"),
    ("hii", "server_ip:addr"),
    ("php", "server_port:port"),
    ("phi", "proxy_host_ip:addr"),
    ("pqsi", "proxy_request_ip"),
    ("shi", "upstream_ip"),
    ("shn", "upstream_host"),
    ("nhi", "next_hop_ip"),
    ("pps", "proxy_client"),
    ("ppd", "proxy_server"),
    ("caun", "user"),
    ("cqtq", "time:time"),
    ("cqts", "time:time"),
    ("cqtn", "@pair"),
    ("cqtd", ":date=date"),
    ("cqtt", ":clock=clock"),
    ("cqhm", ":method"),
    ("cqu", ":proxied"),
    ("pqu", ":proxied"),
    ("cquc", ":proxied"),
    ("pquc", ":proxied"),
    ("cauc", ":proxied"),
    ("cquuc", ":proxied"),
    ("cqus", ":scheme"),
    ("pqus", ":scheme"),
    ("cquuh", ":host"),
    ("cqpv", "protocol:protocol"),
    ("pssc", "status:int=status"),
    ("sssc", "upstream_status:int=status"),
    ("csssc", "cached_status:int=status"),
    ("pscl", "size:long=signed"),
    ("psql", "sent:long=signed"),
    ("cqql", "request_size:long=signed"),
    ("ttms", "duration_us:ms=signed"),
    ("ttmsf", "duration_us:s"),
    ("tts", "duration_us:s"),
    ("stms", "upstream_us:ms=signed"),
    ("stmsf", "upstream_us:s"),
    ("sts", "upstream_us:s"),
    ("crc", "cache_result"),
    ("phr", "hierarchy"),
    ("psct", "mime=mime"),
    ("cqssl", "ssl:secure"),
    ("cqssv", "ssl_protocol:secure"),
    ("cqssc", "ssl_cipher:secure"),
    ("cssn", "server_name"),
    ("cruuid", "request_id"),
    ("{*}pqh", "proxy_request_*"),
    ("{*}epqh", "proxy_request_*"),
    ("{*}psh", "response_*"),
    ("{*}epsh", "response_*"),
    ("{*}ssh", "upstream_response_*"),
    ("{*}essh", "upstream_response_*"),
    ("{*}cssh", "cached_response_*"),
    ("{*}ecssh", "cached_response_*"),
    ("{*}ms", "*:long=signed"),
    ("{*}msdms", "*:long=signed"),
    // A part of a field.
    ("[*]", "*"),
];

const NUMBERS: Rows = &[
    ("pqsp", "proxy_request_port:long=signed"),
    ("nhp", "next_hop_port:long=signed"),
    ("cqhl", "request_header_size:long=signed"),
    ("cqcl", "request_body_size:long=signed"),
    ("cqqtl", "request_tls_size:long=signed"),
    ("pshl", "header_size:long=signed"),
    ("psqtl", "sent_tls:long=signed"),
    ("pqhl", "proxy_request_header_size:long=signed"),
    ("pqql", "proxy_request_size:long=signed"),
    ("pqcl", "proxy_request_body_size:long=signed"),
    ("sscl", "upstream_body_size:long=signed"),
    ("sshl", "upstream_header_size:long=signed"),
    ("ssql", "upstream_response_size:long=signed"),
    ("csscl", "cached_body_size:long=signed"),
    ("csshl", "cached_header_size:long=signed"),
    ("cssql", "cached_response_size:long=signed"),
    ("fsiz", "file_size:long=signed"),
    ("crid", "request_number:long=signed"),
    ("ccid", "connection:long=signed"),
    ("ctid", "transaction:long=signed"),
    ("ctpw", "priority_weight:long=signed"),
    ("ctpd", "priority_dependence:long=signed"),
    ("sca", "connect_attempts:long=signed"),
    ("surc", "unavailable_retries:long=signed"),
    ("ssrc", "simple_retries:long=signed"),
    ("sstc", "upstream_transactions:long=signed"),
    ("crra", "cache_read_retries:long=signed"),
    ("cwra", "cache_write_retries:long=signed"),
    ("cccs", "cache_collapsed:long=signed"),
    ("crat", "retry_after:long=signed"),
    ("cscert", "client_certificate:long=signed"),
    ("pscert", "proxy_certificate:long=signed"),
    ("cqtr", "tcp_reused:long=signed"),
    ("cqmpt", "mptcp:long=signed"),
    ("cqssr", "ssl_reused:long=signed"),
    ("cqssrt", "ssl_resumption:long=signed"),
    ("cqint", "is_internal:long=signed"),
    ("cthbr", "handshake_received:long=signed"),
    ("cthbt", "handshake_sent:long=signed"),
    ("cthb", "handshake_size:long=signed"),
    ("pqssl", "proxy_request_ssl:long=signed"),
    ("pqssr", "proxy_request_ssl_reused:long=signed"),
    ("piid", "plugin_id:long=signed"),
];

const TEXTS: Rows = &[
    ("chih", "client_hexadecimal"),
    ("rchh", "connection_client_hexadecimal"),
    ("hiih", "server_ip_hexadecimal"),
    ("cqth", "time_hexadecimal"),
    ("ttmsh", "duration_hexadecimal"),
    ("stmsh", "upstream_hexadecimal"),
    ("psch", "size_hexadecimal"),
    ("phn", "hostname"),
    // A path without the slash before it.
    ("cqup", "request_path"),
    ("pqup", "request_path"),
    ("cquup", "request_path"),
    ("cluc", "cache_url"),
    ("ckh", "cache_key"),
    ("crsc", "cache_result_code"),
    ("chm", "cache_hit"),
    ("cwr", "cache_write_result"),
    ("cwt", "cache_transform_result"),
    ("cwtr", "cache_transform_result"),
    ("cfsc", "client_finish"),
    ("pfsc", "proxy_finish"),
    ("prrp", "reason"),
    ("prscs", "status_setter"),
    ("crec", "client_error_received"),
    ("ctec", "client_error_sent"),
    ("sqpv", "upstream_protocol"),
    ("sshv", "upstream_http_version"),
    ("csshv", "cached_http_version"),
    ("cqssu", "ssl_curve"),
    ("cqssg", "ssl_group"),
    ("cqssa", "ssl_alpn"),
    ("puuid", "process_id"),
    ("psfid", "process_snowflake"),
    ("pitag", "plugin"),
    ("ppv", "proxy_protocol_version"),
    ("ppa", "proxy_protocol_authority"),
    ("pptc", "proxy_protocol_cipher"),
    ("pptv", "proxy_protocol_tls"),
    ("pptg", "proxy_protocol_group"),
    ("cqah", "request_header_fields"),
    ("pqah", "proxy_request_header_fields"),
    ("psah", "response_header_fields"),
    ("ssah", "upstream_header_fields"),
    ("cssah", "cached_header_fields"),
    ("mstsms", "milestones"),
    ("vbn", "build"),
    ("vs", "version"),
];

/// `%<code>`, with a header or a milestone in braces before the code, a part in brackets after it, and other fields for
/// its absence after `??`.
fn read(scan: &mut Scan<'_>, _: &Server) -> Result<Piece> {
    let at = scan.at;
    if !scan.rest().starts_with("%<") {
        return Ok(scan.next().map_or(Piece::Nothing, Piece::Char));
    }
    scan.at += 1;
    let Some(inner) = scan.enclosed('<', '>')? else { return Ok(Piece::Nothing) };
    let first = inner.split("??").next().unwrap_or_default();
    let field = first.strip_suffix("[:]").unwrap_or(first);
    if let Some((field, _)) = field.strip_suffix(']').and_then(|field| field.rsplit_once('[')) {
        let argument = field.trim_start_matches('{').replace('}', "_");
        return Ok(Piece::Directive(Directive {
            at,
            name: format!("[{field}]"),
            argument,
            ..Directive::default()
        }));
    }
    let (argument, code) = match field.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
        Some((argument, code)) => (Some(argument), code),
        None => (None, field),
    };
    Ok(Piece::Directive(Directive::braced(at, argument, code)))
}
