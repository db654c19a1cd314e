//! Envoy: the command operators of access logs.

use urimill_base::error::Result;

use super::scan::{Directive, Piece, Scan};
use super::{Rows, Server, request_headers};
use crate::definition::{Escapes, Writer};

pub(super) static ENVOY: Server = Server {
    name: "envoy",
    title: "Envoy",
    word: "command operator",
    requests: "%REQ(:PATH)% and %PATH%",
    read,
    nicknames: &[(
        "default",
        r#"[%START_TIME%] "%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%" %RESPONSE_CODE% %RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION% %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% "%REQ(X-FORWARDED-FOR)%" "%REQ(USER-AGENT)%" "%REQ(X-REQUEST-ID)%" "%REQ(:AUTHORITY)%" "%UPSTREAM_HOST%""#,
    )],
    directives: &[OPERATORS, TEXTS, request_headers!("REQ(", ")")],
    writer: Writer::Raw,
    escapes: Escapes::None,
    merges_spaces: false,
};

const OPERATORS: Rows = &[
    ("START_TIME", "time:time"),
    ("START_TIME(*)", "@moment"),
    ("START_TIME_LOCAL", "time:time"),
    ("START_TIME_LOCAL(*)", "@moment"),
    ("EMIT_TIME", "emit_time:time"),
    ("EMIT_TIME(*)", "emit_moment"),
    ("EMIT_TIME_LOCAL", "emit_time:time"),
    ("EMIT_TIME_LOCAL(*)", "emit_moment"),
    ("REQ(:method)", ":method"),
    ("REQ(:path)", ":url"),
    ("REQ(x-envoy-original-path)", ":url"),
    ("REQ(:authority)", ":host"),
    ("REQ(x-envoy-original-host)", ":host"),
    ("REQ(:scheme)", ":scheme"),
    ("REQ(x-forwarded-proto)", "request_x_forwarded_proto:secure"),
    ("REQ(x-request-id)", "request_id"),
    ("REQ_WITHOUT_QUERY(:path)", ":path"),
    ("REQ_WITHOUT_QUERY(x-envoy-original-path)", ":path"),
    ("REQ_WITHOUT_QUERY(*)", "request_*"),
    ("PATH", ":url"),
    ("PATH(wq)", ":url"),
    ("PATH(wq:*)", ":url"),
    ("PATH(:*)", ":url"),
    ("PATH(nq)", ":path"),
    ("PATH(nq:*)", ":path"),
    ("QUERY_PARAMS", ":query"),
    ("QUERY_PARAMS(orig)", ":query"),
    ("QUERY_PARAMS(*)", "query_parameters"),
    ("QUERY_PARAM(*)", "query_*"),
    ("PROTOCOL", "protocol:protocol"),
    ("RESPONSE_CODE", "status:int=status"),
    ("RESPONSE_FLAGS", "response_flags=flags"),
    ("BYTES_RECEIVED", "request_size:long=whole"),
    ("BYTES_SENT", "size:long=whole"),
    ("DURATION", "duration_us:ms=whole"),
    ("REQUEST_DURATION", "request_us:ms=whole"),
    ("REQUEST_TX_DURATION", "request_sent_us:ms=whole"),
    ("RESPONSE_DURATION", "response_us:ms=whole"),
    ("RESPONSE_TX_DURATION", "response_sent_us:ms=whole"),
    ("ROUNDTRIP_DURATION", "roundtrip_us:ms=whole"),
    ("DOWNSTREAM_HANDSHAKE_DURATION", "handshake_us:ms=whole"),
    ("UPSTREAM_CONNECTION_POOL_READY_DURATION", "connection_pool_us:ms=whole"),
    ("COMMON_DURATION(*)", "duration_*"),
    ("RESP(x-envoy-upstream-service-time)", "upstream_us:ms=whole"),
    ("RESP(*)", "response_*"),
    ("TRAILER(*)", "response_*"),
    ("UPSTREAM_HOST", "upstream=socket"),
    ("DOWNSTREAM_REMOTE_ADDRESS", "client:endpoint"),
    ("DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT", "client:addr"),
    ("DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT(*)", "client_network"),
    ("DOWNSTREAM_REMOTE_PORT", "client_port:int"),
    ("DOWNSTREAM_DIRECT_REMOTE_ADDRESS", "connection_client:endpoint"),
    ("DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT", "connection_client:addr"),
    ("DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT(*)", "connection_client_network"),
    ("DOWNSTREAM_DIRECT_REMOTE_PORT", "connection_client_port:int"),
    ("DOWNSTREAM_LOCAL_ADDRESS", "downstream_local:listener=socket"),
    ("DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT", "server_ip:addr"),
    ("DOWNSTREAM_LOCAL_ADDRESS_WITHOUT_PORT(*)", "server_network"),
    ("DOWNSTREAM_LOCAL_PORT", "server_port:port"),
    ("REQUESTED_SERVER_NAME", "server_name"),
    ("REQUESTED_SERVER_NAME(*)", "server_name"),
    ("DOWNSTREAM_TLS_VERSION", "ssl_protocol:secure"),
    ("DOWNSTREAM_TLS_CIPHER", "ssl_cipher:secure"),
    ("UPSTREAM_CLUSTER", "upstream_cluster"),
    ("UPSTREAM_CLUSTER_RAW", "upstream_cluster"),
    ("UPSTREAM_LOCAL_ADDRESS", "upstream_local=socket"),
    ("RESPONSE_CODE_DETAILS", "response_details"),
    ("RESPONSE_CODE_DETAILS(*)", "response_details"),
    ("CONNECTION_TERMINATION_DETAILS", "termination_details"),
    ("UPSTREAM_TRANSPORT_FAILURE_REASON", "upstream_failure"),
    ("REQUEST_HEADERS_BYTES", "request_header_size:long=whole"),
    ("RESPONSE_HEADERS_BYTES", "header_size:long=whole"),
    ("RESPONSE_TRAILERS_BYTES", "trailer_size:long=whole"),
    ("UPSTREAM_REQUEST_ATTEMPT_COUNT", "request_attempts:int=whole"),
    ("CONNECTION_ID", "connection:long=whole"),
    ("UPSTREAM_CONNECTION_ID", "upstream_connection:long=whole"),
    ("GRPC_STATUS", "grpc_status"),
    ("GRPC_STATUS(*)", "grpc_status"),
    ("GRPC_STATUS_NUMBER", "grpc_code"),
    ("DYNAMIC_METADATA(*)", "metadata_*"),
    ("CLUSTER_METADATA(*)", "cluster_metadata_*"),
    ("UPSTREAM_METADATA(*)", "upstream_metadata_*"),
    ("METADATA(*)", "metadata_*"),
    ("FILTER_STATE(*)", "filter_state_*"),
    ("UPSTREAM_FILTER_STATE(*)", "upstream_filter_state_*"),
    ("ENVIRONMENT(*)", "environment_*"),
    ("COALESCE(*)", "coalesced"),
    ("CEL(*)", "cel_*"),
    ("TYPED_CEL(*)", "cel_*"),
];

/// Operators whose columns have their names.
const TEXTS: Rows = &[
    ("RESPONSE_FLAGS_LONG", "response_flags_long"),
    ("ROUTE_NAME", "route_name"),
    ("VIRTUAL_CLUSTER_NAME", "virtual_cluster_name"),
    ("UPSTREAM_PROTOCOL", "upstream_protocol"),
    ("BYTES_RETRANSMITTED", "bytes_retransmitted"),
    ("PACKETS_RETRANSMITTED", "packets_retransmitted"),
    ("UPSTREAM_WIRE_BYTES_SENT", "upstream_wire_bytes_sent"),
    ("UPSTREAM_WIRE_BYTES_RECEIVED", "upstream_wire_bytes_received"),
    ("UPSTREAM_HEADER_BYTES_SENT", "upstream_header_bytes_sent"),
    ("UPSTREAM_DECOMPRESSED_HEADER_BYTES_SENT", "upstream_decompressed_header_bytes_sent"),
    ("UPSTREAM_HEADER_BYTES_RECEIVED", "upstream_header_bytes_received"),
    ("UPSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED", "upstream_decompressed_header_bytes_received"),
    ("DOWNSTREAM_WIRE_BYTES_SENT", "downstream_wire_bytes_sent"),
    ("DOWNSTREAM_WIRE_BYTES_RECEIVED", "downstream_wire_bytes_received"),
    ("DOWNSTREAM_HEADER_BYTES_SENT", "downstream_header_bytes_sent"),
    ("DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_SENT", "downstream_decompressed_header_bytes_sent"),
    ("DOWNSTREAM_HEADER_BYTES_RECEIVED", "downstream_header_bytes_received"),
    ("DOWNSTREAM_DECOMPRESSED_HEADER_BYTES_RECEIVED", "downstream_decompressed_header_bytes_received"),
    ("UPSTREAM_HOST_NAME", "upstream_host_name"),
    ("UPSTREAM_HOST_NAME_WITHOUT_PORT", "upstream_host_name_without_port"),
    ("UPSTREAM_HOSTS_ATTEMPTED", "upstream_hosts_attempted"),
    ("UPSTREAM_HOSTS_ATTEMPTED_WITHOUT_PORT", "upstream_hosts_attempted_without_port"),
    ("UPSTREAM_HOST_NAMES_ATTEMPTED", "upstream_host_names_attempted"),
    ("UPSTREAM_HOST_NAMES_ATTEMPTED_WITHOUT_PORT", "upstream_host_names_attempted_without_port"),
    ("UPSTREAM_LOCAL_ADDRESS_WITHOUT_PORT", "upstream_local_address_without_port"),
    ("UPSTREAM_LOCAL_ADDRESS_WITHOUT_PORT(*)", "upstream_local_address_without_port"),
    ("UPSTREAM_LOCAL_PORT", "upstream_local_port"),
    ("UPSTREAM_REMOTE_ADDRESS", "upstream_remote_address"),
    ("UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT", "upstream_remote_address_without_port"),
    ("UPSTREAM_REMOTE_ADDRESS_WITHOUT_PORT(*)", "upstream_remote_address_without_port"),
    ("UPSTREAM_REMOTE_PORT", "upstream_remote_port"),
    ("UPSTREAM_REMOTE_ADDRESS_ENDPOINT_ID", "upstream_remote_address_endpoint_id"),
    ("UPSTREAM_DETECTED_CLOSE_TYPE", "upstream_detected_close_type"),
    ("UPSTREAM_LOCAL_CLOSE_REASON", "upstream_local_close_reason"),
    ("DOWNSTREAM_TRANSPORT_FAILURE_REASON", "downstream_transport_failure_reason"),
    ("DOWNSTREAM_LOCAL_CLOSE_REASON", "downstream_local_close_reason"),
    ("DOWNSTREAM_DETECTED_CLOSE_TYPE", "downstream_detected_close_type"),
    ("DOWNSTREAM_DIRECT_LOCAL_ADDRESS", "downstream_direct_local_address"),
    ("DOWNSTREAM_DIRECT_LOCAL_ADDRESS_WITHOUT_PORT", "downstream_direct_local_address_without_port"),
    ("DOWNSTREAM_DIRECT_LOCAL_ADDRESS_WITHOUT_PORT(*)", "downstream_direct_local_address_without_port"),
    ("DOWNSTREAM_DIRECT_LOCAL_PORT", "downstream_direct_local_port"),
    ("DOWNSTREAM_LOCAL_ADDRESS_ENDPOINT_ID", "downstream_local_address_endpoint_id"),
    ("DOWNSTREAM_DIRECT_LOCAL_ADDRESS_ENDPOINT_ID", "downstream_direct_local_address_endpoint_id"),
    ("UPSTREAM_CONNECTION_IDS_ATTEMPTED", "upstream_connection_ids_attempted"),
    ("STREAM_ID", "stream_id"),
    ("DOWNSTREAM_LOCAL_IP_SAN", "downstream_local_ip_san"),
    ("DOWNSTREAM_PEER_IP_SAN", "downstream_peer_ip_san"),
    ("DOWNSTREAM_LOCAL_DNS_SAN", "downstream_local_dns_san"),
    ("DOWNSTREAM_PEER_DNS_SAN", "downstream_peer_dns_san"),
    ("DOWNSTREAM_LOCAL_URI_SAN", "downstream_local_uri_san"),
    ("DOWNSTREAM_PEER_URI_SAN", "downstream_peer_uri_san"),
    ("DOWNSTREAM_LOCAL_EMAIL_SAN", "downstream_local_email_san"),
    ("DOWNSTREAM_PEER_EMAIL_SAN", "downstream_peer_email_san"),
    ("DOWNSTREAM_LOCAL_OTHERNAME_SAN", "downstream_local_othername_san"),
    ("DOWNSTREAM_PEER_OTHERNAME_SAN", "downstream_peer_othername_san"),
    ("DOWNSTREAM_LOCAL_SUBJECT", "downstream_local_subject"),
    ("DOWNSTREAM_PEER_SUBJECT", "downstream_peer_subject"),
    ("DOWNSTREAM_PEER_ISSUER", "downstream_peer_issuer"),
    ("DOWNSTREAM_TLS_SESSION_ID", "downstream_tls_session_id"),
    ("DOWNSTREAM_TLS_GROUP", "downstream_tls_group"),
    ("DOWNSTREAM_PEER_FINGERPRINT_256", "downstream_peer_fingerprint_256"),
    ("DOWNSTREAM_PEER_FINGERPRINT_1", "downstream_peer_fingerprint_1"),
    ("DOWNSTREAM_PEER_SERIAL", "downstream_peer_serial"),
    ("DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_256", "downstream_peer_chain_fingerprints_256"),
    ("DOWNSTREAM_PEER_CHAIN_FINGERPRINTS_1", "downstream_peer_chain_fingerprints_1"),
    ("DOWNSTREAM_PEER_CHAIN_SERIALS", "downstream_peer_chain_serials"),
    ("DOWNSTREAM_PEER_ISSUER_FINGERPRINT_256", "downstream_peer_issuer_fingerprint_256"),
    ("DOWNSTREAM_PEER_ISSUER_SERIAL", "downstream_peer_issuer_serial"),
    ("DOWNSTREAM_PEER_CERT", "downstream_peer_cert"),
    ("TLS_JA3_FINGERPRINT", "tls_ja3_fingerprint"),
    ("TLS_JA4_FINGERPRINT", "tls_ja4_fingerprint"),
    ("DOWNSTREAM_PEER_CERT_V_START", "downstream_peer_cert_v_start"),
    ("DOWNSTREAM_PEER_CERT_V_START(*)", "downstream_peer_cert_v_start"),
    ("DOWNSTREAM_PEER_CERT_V_END", "downstream_peer_cert_v_end"),
    ("DOWNSTREAM_PEER_CERT_V_END(*)", "downstream_peer_cert_v_end"),
    ("UPSTREAM_PEER_SUBJECT", "upstream_peer_subject"),
    ("UPSTREAM_PEER_ISSUER", "upstream_peer_issuer"),
    ("UPSTREAM_TLS_SESSION_ID", "upstream_tls_session_id"),
    ("UPSTREAM_TLS_CIPHER", "upstream_tls_cipher"),
    ("UPSTREAM_TLS_GROUP", "upstream_tls_group"),
    ("UPSTREAM_TLS_VERSION", "upstream_tls_version"),
    ("UPSTREAM_SERVER_NAME", "upstream_server_name"),
    ("UPSTREAM_PEER_CERT", "upstream_peer_cert"),
    ("UPSTREAM_PEER_CERT_V_START", "upstream_peer_cert_v_start"),
    ("UPSTREAM_PEER_CERT_V_START(*)", "upstream_peer_cert_v_start"),
    ("UPSTREAM_PEER_CERT_V_END", "upstream_peer_cert_v_end"),
    ("UPSTREAM_PEER_CERT_V_END(*)", "upstream_peer_cert_v_end"),
    ("UPSTREAM_PEER_URI_SAN", "upstream_peer_uri_san"),
    ("UPSTREAM_PEER_DNS_SAN", "upstream_peer_dns_san"),
    ("UPSTREAM_PEER_IP_SAN", "upstream_peer_ip_san"),
    ("UPSTREAM_LOCAL_URI_SAN", "upstream_local_uri_san"),
    ("UPSTREAM_LOCAL_DNS_SAN", "upstream_local_dns_san"),
    ("UPSTREAM_LOCAL_IP_SAN", "upstream_local_ip_san"),
    ("HOSTNAME", "hostname"),
    ("LOCAL_REPLY_BODY", "local_reply_body"),
    ("FILTER_CHAIN_NAME", "filter_chain_name"),
    ("ACCESS_LOG_TYPE", "access_log_type"),
    ("UNIQUE_ID", "unique_id"),
    ("TRACE_ID", "trace_id"),
    ("SPAN_ID", "span_id"),
    ("CUSTOM_FLAGS", "custom_flags"),
];

/// `%NAME%`, with an argument in parentheses, and after it the most bytes that are written: `%REQ(X?Y):10%`.
fn read(scan: &mut Scan<'_>, _: &Server) -> Result<Piece> {
    let at = scan.at;
    match scan.next() {
        Some('%') if scan.eat("%") => return Ok(Piece::Char('%')),
        Some('%') => {}
        Some('\\') => return scan.escaped(""),
        Some(c) => return Ok(Piece::Char(c)),
        None => return Ok(Piece::Nothing),
    }
    let name = scan.take_while(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let argument = argument(scan)?;
    if scan.eat(":") {
        scan.take_while(|c| c.is_ascii_digit());
    }
    if name.is_empty() || !scan.eat("%") {
        return Err(scan.wrong(at, "a command operator is a name in capitals between percent signs"));
    }
    let name = match name {
        "REQUEST_HEADER" => "REQ",
        "RESPONSE_HEADER" => "RESP",
        "RESPONSE_TRAILER" => "TRAILER",
        name => name,
    };
    let Some(argument) = argument else {
        return Ok(Piece::Directive(Directive { at, name: name.to_owned(), ..Directive::default() }));
    };
    // The second header is written where the first one is missing.
    let first = match name {
        "REQ" | "RESP" | "TRAILER" | "REQ_WITHOUT_QUERY" => argument.split('?').next().unwrap_or_default(),
        _ => argument,
    };
    let name = format!("{name}({})", first.to_ascii_lowercase());
    // A column has no colon before its name.
    let argument = first.trim_start_matches(':').to_owned();
    Ok(Piece::Directive(Directive { at, name, argument, ..Directive::default() }))
}

/// The argument in parentheses, if one is next. It may have parentheses; after it comes the end of the operator.
fn argument<'t>(scan: &mut Scan<'t>) -> Result<Option<&'t str>> {
    let begin = scan.at;
    if !scan.eat("(") {
        return Ok(None);
    }
    let rest = scan.rest();
    let is_end = |&(at, _): &(usize, &str)| {
        let behind = &rest[at + 1..];
        let length =
            behind.strip_prefix(':').map(|behind| behind.trim_start_matches(|c: char| c.is_ascii_digit()));
        behind.starts_with('%') || length.is_some_and(|behind| behind.starts_with('%'))
    };
    let Some((end, _)) = rest.match_indices(')').find(is_end) else {
        return Err(scan.wrong(begin, "the bracket is not closed"));
    };
    scan.at += end + 1;
    Ok(Some(&rest[..end]))
}
