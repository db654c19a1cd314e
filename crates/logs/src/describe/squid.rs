//! Squid: the format codes of `logformat`.

use urimill_base::error::Result;

use super::scan::{Directive, Piece, Scan};
use super::{Rows, Server, request_headers};
use crate::definition::{Escapes, Writer};

pub(super) static SQUID: Server = Server {
    name: "squid",
    title: "Squid",
    word: "format code",
    requests: "%ru",
    read,
    nicknames: &[
        ("squid", "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt"),
        ("common", r#"%>a - %[un [%tl] "%rm %ru HTTP/%rv" %>Hs %<st %Ss:%Sh"#),
        (
            "combined",
            r#"%>a - %[un [%tl] "%rm %ru HTTP/%rv" %>Hs %<st "%{Referer}>h" "%{User-Agent}>h" %Ss:%Sh"#,
        ),
        ("referrer", "%ts.%03tu %>a %{Referer}>h %ru"),
    ],
    directives: &[CODES, request_headers!("{", "}>h"), request_headers!("{", "}>ha")],
    writer: Writer::Escapes,
    escapes: Escapes::Backslash,
    merges_spaces: false,
};

const CODES: Rows = &[
    ("sn", "sequence_number:long"),
    ("err_code", "error_code"),
    ("err_detail", "error_detail"),
    ("note", "notes"),
    ("{*}note", "note_*"),
    ("byte", "!a byte of its own is no field: write it as it is in the log"),
    ("{*}byte", "!a byte of its own is no field: write it as it is in the log"),
    ("master_xaction", "master_transaction:long"),
    ("transport::>connection_id", "connection:long"),
    // Connections.
    (">a", "client:addr"),
    (">A", "client"),
    (">p", "client_port:int"),
    (">eui", "client_eui"),
    (">la", "server_ip:addr"),
    (">lp", "server_port:int"),
    ("la", "server_ip:addr"),
    ("lp", "server_port:int"),
    (">qos", "client_tos"),
    ("<qos", "peer_tos"),
    (">nfmark", "client_mark"),
    ("<nfmark", "peer_mark"),
    (">handshake", "handshake"),
    ("<a", "peer"),
    ("<A", "peer"),
    ("<p", "peer_port:int"),
    ("<la", "peer_local:addr"),
    ("oa", "peer_local:addr"),
    ("<lp", "peer_local_port:int"),
    ("proxy_protocol::>h", "proxy_protocol_header"),
    ("{*}proxy_protocol::>h", "proxy_protocol_*"),
    // Times.
    ("ts", "time:time"),
    ("tu", "milliseconds:int"),
    ("tl", "@pair"),
    ("{*}tl", "@moment"),
    ("tg", "@pair"),
    ("{*}tg", "@moment"),
    ("tS", "time:time"),
    ("tr", "duration_us:ms=signed"),
    ("dt", "dns_us:ms=signed"),
    ("busy_time", "busy_us:ns"),
    ("<pt", "peer_response_us:ms=signed"),
    ("<tt", "forwarding_us:ms=signed"),
    // Users.
    ("et", "acl_tag"),
    ("ea", "acl_log"),
    ("un", "user:percent"),
    ("ul", "user:percent"),
    ("ue", "user:percent"),
    ("us", "user:percent"),
    ("ui", "ident"),
    ("credentials", "credentials"),
    // Requests; their codes may begin with `http::`.
    ("rm", ":method"),
    (">rm", ":method"),
    ("<rm", "peer_method"),
    ("ru", ":proxied"),
    (">ru", ":proxied"),
    ("<ru", "peer_url"),
    (">rs", ":scheme"),
    ("<rs", "peer_scheme"),
    (">rd", ":host"),
    ("<rd", "peer_host"),
    (">rP", "server_port:port"),
    ("<rP", "peer_url_port:int"),
    ("rp", ":url"),
    (">rp", ":url"),
    ("<rp", "peer_path"),
    ("rv", "http_version"),
    (">rv", "http_version"),
    (">v", "http_version"),
    ("<rv", "peer_http_version"),
    ("rG", "url_group"),
    (">h", "request_header_fields"),
    (">ha", "request_header_fields"),
    // Answers.
    (">Hs", "status:int=status"),
    ("Hs", "status:int=status"),
    ("<Hs", "upstream_status:int=status"),
    ("<h", "response_header_fields"),
    ("{*}<h", "response_*"),
    ("mt", "mime=mime"),
    // Sizes.
    ("st", "transferred:long=signed"),
    (">st", "request_size:long=signed"),
    ("<st", "size:long=signed"),
    (">sh", "request_header_size:long=signed"),
    ("<sh", "header_size:long=signed"),
    ("<sH", "high_offset:long=signed"),
    ("<sS", "object_size:long=signed"),
    ("<bs", "upstream_size_bytes:long=signed"),
    // Squid's own decisions.
    ("Ss", "cache_result=cache"),
    ("Sh", "hierarchy=hierarchy"),
    ("request_attempts", "request_attempts:int"),
    // TLS.
    ("ssl::bump_mode", "ssl_bump_mode"),
    ("ssl::>sni", "server_name"),
    ("ssl::>cert_subject", "client_certificate_subject"),
    ("ssl::>cert_issuer", "client_certificate_issuer"),
    ("ssl::<cert_subject", "peer_certificate_subject"),
    ("ssl::<cert_issuer", "peer_certificate_issuer"),
    ("ssl::<cert_errors", "peer_certificate_errors"),
    ("{*}ssl::<cert_errors", "peer_certificate_errors"),
    ("ssl::<cert", "peer_certificate"),
    ("ssl::>negotiated_version", "ssl_protocol:secure"),
    ("ssl::<negotiated_version", "peer_ssl_protocol"),
    ("ssl::>negotiated_cipher", "ssl_cipher:secure"),
    ("ssl::<negotiated_cipher", "peer_ssl_cipher"),
    ("ssl::>received_hello_version", "hello_version"),
    ("ssl::<received_hello_version", "peer_hello_version"),
    ("ssl::>received_supported_version", "supported_version"),
    ("ssl::<received_supported_version", "peer_supported_version"),
    // Adaptation.
    ("adapt::all_trs", "adaptation_times"),
    ("adapt::sum_trs", "adaptation_time_sums"),
    ("{*}adapt::all_trs", "adaptation_times"),
    ("{*}adapt::sum_trs", "adaptation_time_sums"),
    ("adapt::<last_h", "adaptation_header_fields"),
    ("{*}adapt::<last_h", "adaptation_*"),
    ("icap::tt", "icap_total_us:ms=signed"),
    ("icap::<last_h", "icap_header_fields"),
    ("{*}icap::<last_h", "icap_*"),
    ("icap::<A", "icap_server"),
    ("icap::<service_name", "icap_service"),
    ("icap::ru", "icap_url"),
    ("icap::rm", "icap_method"),
    ("icap::>st", "icap_request_size:long"),
    ("icap::<st", "icap_size:long"),
    ("icap::<bs", "icap_body_size:long"),
    ("icap::>h", "icap_request_header_fields"),
    ("{*}icap::>h", "icap_request_*"),
    ("icap::<h", "icap_response_header_fields"),
    ("{*}icap::<h", "icap_response_*"),
    ("icap::tr", "icap_response_us:ms=signed"),
    ("icap::tio", "icap_io_us:ms=signed"),
    ("icap::to", "icap_outcome"),
    ("icap::Hs", "icap_status:int=status"),
];

/// A percent sign, how it is escaped, its width, an argument in braces, and a code, after which the argument may stand
/// instead: `%"6{Referer}>h`.
fn read(scan: &mut Scan<'_>, server: &Server) -> Result<Piece> {
    let at = scan.at;
    match scan.next() {
        Some('%') if scan.eat("%") => return Ok(Piece::Char('%')),
        Some('%') => {}
        Some('\\') => return scan.escaped("\"\\"),
        Some(c) => return Ok(Piece::Char(c)),
        None => return Ok(Piece::Nothing),
    }
    for escaping in ["\"", "[", "#", "/", "'"] {
        if scan.eat(escaping) {
            break;
        }
    }
    let is_left = scan.eat("-");
    let width = scan.take_while(|c| c.is_ascii_digit() || c == '.');
    // Digits are filled with zeros, other texts with spaces.
    if is_left || !width.is_empty() && !width.starts_with(['0', '.']) {
        scan.writer = Writer::Pads;
    }
    let before = scan.enclosed('{', '}')?;
    let _ = scan.eat("http::");
    let space = if scan.eat("tls::") { "ssl::" } else { "" };
    let codes = server.directives.iter().copied().flatten();
    let codes = codes.map(|(key, _)| key.rsplit_once('}').map_or(*key, |(_, code)| code));
    let codes = codes.filter_map(|code| code.strip_prefix(space));
    let Some(code) = codes.filter(|code| scan.rest().starts_with(*code)).max_by_key(|code| code.len()) else {
        let word = scan.take_while(|c| c.is_ascii_alphanumeric() || "<>_:".contains(c));
        if word.is_empty() {
            return Err(scan.wrong(at, "a percent sign without a format code"));
        }
        return Ok(Piece::Directive(Directive {
            at,
            name: format!("{space}{word}"),
            ..Directive::default()
        }));
    };
    scan.eat(code);
    let may_follow = || {
        server.directives.iter().copied().flatten().any(|(key, _)| key.ends_with(&format!("}}{space}{code}")))
    };
    let argument = match before {
        None if may_follow() => scan.enclosed('{', '}')?,
        before => before,
    };
    // The separator of a header's elements is no part of its name.
    let argument = argument.map(|argument| match code {
        "tl" | "tg" => argument,
        _ => argument.split(':').next().unwrap_or_default(),
    });
    Ok(Piece::Directive(Directive::braced(at, argument, &format!("{space}{code}"))))
}
