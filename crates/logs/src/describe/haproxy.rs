//! HAProxy: the strings of `log-format`, with the aliases of all versions and sample expressions.

use urimill_base::error::Result;

use super::scan::{Directive, Piece, Scan};
use super::{Rows, Server, request_headers};
use crate::definition::{Escapes, Writer};

pub(super) static HAPROXY: Server = Server {
    name: "haproxy",
    title: "HAProxy",
    word: "alias",
    requests: "%r and %HU",
    read,
    nicknames: &[
        ("httplog", HTTP),
        ("${HAPROXY_HTTP_LOG_FMT}", HTTP),
        ("httplog clf", HTTP_CLF),
        ("${HAPROXY_HTTP_CLF_LOG_FMT}", HTTP_CLF),
        ("httpslog", HTTPS),
        ("${HAPROXY_HTTPS_LOG_FMT}", HTTPS),
    ],
    directives: &[
        ALIASES,
        EXPRESSIONS,
        request_headers!("[hdr(", ")]"),
        request_headers!("[req.hdr(", ")]"),
        request_headers!("[req.fhdr(", ")]"),
        &[("[*]", "*")],
    ],
    writer: Writer::Raw,
    escapes: Escapes::Hash,
    merges_spaces: true,
};

const HTTP: &str = "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr \
                    %hs %{+Q}r";

const HTTP_CLF: &str = "%{+Q}o %{-Q}ci - - [%trg] %r %ST %B \\\"\\\" \\\"\\\" %cp %ms %ft %b %s %TR %Tw %Tc %Tr %Ta %tsc \
                        %ac %fc %bc %sc %rc %sq %bq %CC %CS %hrl %hsl";

const HTTPS: &str = "%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc %ac/%fc/%bc/%sc/%rc %sq/%bq %hr \
                     %hs %{+Q}r %[fc_err]/%[ssl_fc_err,hex]/%[ssl_c_err]/%[ssl_c_ca_err]/%[ssl_fc_is_resumed] \
                     %[ssl_fc_sni]/%sslv/%sslc";

const ALIASES: Rows = &[
    ("T", "@pair"),
    ("Tl", "@pair"),
    ("Ts", "time:time"),
    ("t", "time:time"),
    ("tr", "time:time"),
    ("trg", "@pair"),
    ("trl", "@pair"),
    ("ms", "milliseconds:int"),
    ("Ta", "duration_us:ms=signed"),
    ("Tt", "duration_us:ms=signed"),
    ("Tc", "connect_us:ms=signed"),
    ("Td", "transfer_us:ms=signed"),
    ("Th", "handshake_us:ms=signed"),
    ("Ti", "idle_us:ms=signed"),
    ("Tq", "request_us:ms=signed"),
    ("TR", "request_us:ms=signed"),
    ("Tr", "response_us:ms=signed"),
    ("Tu", "user_us:ms=signed"),
    ("Tw", "queue_us:ms=signed"),
    ("B", "size:long=signed"),
    ("CC", "request_cookie"),
    ("CS", "response_cookie"),
    ("H", "hostname"),
    ("HM", ":method"),
    ("HP", ":path"),
    ("HPO", ":path"),
    ("HQ", ":query"),
    ("HU", ":url"),
    ("HV", "protocol:protocol"),
    ("ID", "unique_id"),
    ("OG", "log_origin"),
    ("ST", "status:int=status"),
    ("U", "request_size:long=signed"),
    ("ac", "process_connections:int=signed"),
    ("b", "backend=proxy"),
    ("bc", "backend_connections:int=signed"),
    ("bi", "backend_ip:addr"),
    ("bp", "backend_port:int"),
    ("bq", "backend_queue:int=signed"),
    ("ci", "client:addr"),
    ("cp", "client_port:int"),
    ("f", "frontend=proxy"),
    ("fc", "frontend_connections:int=signed"),
    ("fi", "server_ip:addr"),
    ("fp", "server_port:port"),
    ("ft", "frontend=proxy"),
    ("hr", "?request_headers"),
    ("hrl", "rest:rest"),
    ("hs", "?response_headers"),
    ("hsl", "rest:rest"),
    ("lc", "log_counter:long"),
    ("pid", "pid:int"),
    ("r", ":request"),
    ("rc", "retries:int=signed"),
    ("rt", "request_number:long"),
    ("s", "server=proxy?"),
    ("sc", "server_connections:int=signed"),
    ("si", "upstream_ip:addr"),
    ("sp", "upstream_port:int"),
    ("sq", "server_queue:int=signed"),
    ("sslc", "ssl_cipher:secure"),
    ("sslv", "ssl_protocol:secure"),
    ("ts", "termination_state=state"),
    ("tsc", "termination_state=state"),
];

/// The aliases of texts, which are in quotes where the string says so.
const TEXTS: &[&str] = &[
    "CC", "CS", "H", "HM", "HP", "HPO", "HQ", "HU", "HV", "ID", "OG", "b", "bi", "ci", "f", "fi", "ft", "hr",
    "hs", "r", "s", "si", "sslc", "sslv",
];

const EXPRESSIONS: Rows = &[
    ("[src]", "client:addr"),
    ("[src_port]", "client_port:int"),
    ("[dst]", "server_ip:addr"),
    ("[dst_port]", "server_port:port"),
    ("[accept_date]", "time:time"),
    ("[request_date]", "time:time"),
    ("[method]", ":method"),
    ("[capture.req.method]", ":method"),
    ("[path]", ":path"),
    ("[pathq]", ":url"),
    ("[url]", ":url"),
    ("[capture.req.uri]", ":url"),
    ("[query]", ":query"),
    ("[req.ver]", "http_version"),
    ("[capture.req.ver]", "protocol:protocol"),
    ("[status]", "status:int=status"),
    ("[txn.status]", "status:int=status"),
    ("[res.bytes_in]", "size:long=signed"),
    ("[req.bytes_in]", "request_size:long=signed"),
    ("[fe_name]", "frontend=proxy"),
    ("[be_name]", "backend=proxy"),
    ("[srv_name]", "server=proxy?"),
    ("[bc_src]", "backend_ip:addr"),
    ("[bc_src_port]", "backend_port:int"),
    ("[bc_dst]", "upstream_ip:addr"),
    ("[bc_dst_port]", "upstream_port:int"),
    ("[act_conn]", "process_connections:int=signed"),
    ("[fe_conn]", "frontend_connections:int=signed"),
    ("[be_conn]", "backend_connections:int=signed"),
    ("[bc_be_queue]", "backend_queue:int=signed"),
    ("[bc_srv_queue]", "server_queue:int=signed"),
    ("[txn.sess_term_state]", "termination_state=state"),
    ("[hostname]", "hostname"),
    ("[pid]", "pid:int"),
    ("[unique-id]", "unique_id"),
    ("[ssl_fc]", "ssl:secure"),
    ("[ssl_fc_sni]", "server_name"),
    ("[ssl_fc_cipher]", "ssl_cipher:secure"),
    ("[ssl_fc_protocol]", "ssl_protocol:secure"),
    ("[res.hdr(*)]", "response_*"),
    ("[res.fhdr(*)]", "response_*"),
    ("[var(*)]", "*"),
];

/// A percent sign, a name in parentheses, flags in braces, and an alias or an expression in brackets:
/// `%(agent){+Q}[capture.req.hdr(0)]`.
fn read(scan: &mut Scan<'_>, _: &Server) -> Result<Piece> {
    let at = scan.at;
    if scan.eat("\\\n") || scan.eat("\\\r\n") {
        scan.take_while(char::is_whitespace);
        return Ok(Piece::Char(' '));
    }
    match scan.next() {
        Some('\\') => return scan.escaped(""),
        Some('%') if scan.eat("%") => return Ok(Piece::Char('%')),
        Some('%') => {}
        Some(c) => return Ok(Piece::Char(c)),
        None => return Ok(Piece::Nothing),
    }
    let own_name = scan.enclosed('(', ')')?.and_then(|name| name.split(':').next());
    let own_name = own_name.filter(|name| !name.is_empty()).map(str::to_owned);
    let begin = scan.at;
    let (mut quotes, mut is_hexadecimal) = (scan.quotes, false);
    for flag in scan.enclosed('{', '}')?.unwrap_or_default().split(',').map(str::trim) {
        let (is_set, flag) = match flag.strip_prefix('-') {
            Some(flag) => (false, flag),
            None => (true, flag.strip_prefix('+').unwrap_or(flag)),
        };
        match flag {
            "Q" => quotes = is_set,
            "X" => is_hexadecimal = is_set,
            "E" if is_set => scan.writer = Writer::Escapes,
            "E" | "M" | "bin" | "" => {}
            "json" | "cbor" if !is_set => {}
            "json" | "cbor" => {
                return Err(scan.wrong(begin, "a log in JSON or CBOR has no form of lines: see --from jsonl"));
            }
            _ => return Err(scan.wrong(begin, "HAProxy has no such flag: Q, X, E, M and bin are some")),
        }
    }
    if let Some(expression) = expression(scan)? {
        let lower = expression.to_ascii_lowercase();
        let name = lower.split_once(",lower").map_or(lower.as_str(), |(before, _)| before);
        let argument = expression.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        // The argument alone names a header.
        let argument = match name.split_once('(') {
            Some((function, _)) if HEADERS.contains(&function) => {
                argument.split_once('(').map_or(argument, |(_, inner)| inner)
            }
            _ => argument,
        };
        let (name, argument) = (format!("[{name}]"), argument.to_owned());
        let directive = Directive { at, name, argument, own_name, is_quoted: quotes, is_hexadecimal };
        return Ok(Piece::Directive(directive));
    }
    let alias = scan.take_while(|c| c.is_ascii_alphanumeric());
    if alias == "o" {
        scan.quotes = quotes;
        return Ok(Piece::Nothing);
    }
    if alias.is_empty() {
        return Err(scan.wrong(at, "a percent sign without an alias, an expression, or a second one"));
    }
    let is_quoted = quotes && TEXTS.contains(&alias);
    let name = alias.to_owned();
    Ok(Piece::Directive(Directive { at, name, own_name, is_quoted, is_hexadecimal, ..Directive::default() }))
}

/// Functions whose argument is the name of a field.
const HEADERS: &[&str] = &["hdr", "req.hdr", "req.fhdr", "res.hdr", "res.fhdr", "var"];

/// The expression in brackets, if one is next. Its own brackets are in parentheses.
fn expression<'t>(scan: &mut Scan<'t>) -> Result<Option<&'t str>> {
    let begin = scan.at;
    if !scan.eat("[") {
        return Ok(None);
    }
    let (mut depth, from) = (0_usize, scan.at);
    while let Some(c) = scan.next() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ']' if depth == 0 => return Ok(Some(&scan.text[from..scan.at - 1])),
            _ => {}
        }
    }
    Err(scan.wrong(begin, "the bracket is not closed"))
}
