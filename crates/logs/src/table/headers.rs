//! The definitions of logs whose fields a header names: see [`crate::named`]. Names that are not
//! here get columns of text.

use super::Definition;
use super::Form::Named;
use super::HeaderKind;

pub(crate) const HEADERS: &[Definition] = &[
    Definition {
        name: "cloudfront",
        about: "Amazon CloudFront, standard logs, with or without their header",
        form: Named { head: HeaderKind::Extended(STANDARD_LISTS), fields: CLOUDFRONT },
    },
    Definition {
        name: "cloudfront-realtime",
        about: "Amazon CloudFront, real-time logs with all fields",
        form: Named { head: HeaderKind::Extended(REALTIME_LISTS), fields: CLOUDFRONT_REALTIME },
    },
    Definition {
        name: "w3c",
        about: "W3C extended log format: IIS, Azure and others, by #Fields",
        form: Named { head: HeaderKind::Extended(&[]), fields: EXTENDED },
    },
    Definition {
        name: "zeek",
        about: "Zeek's http.log, by #fields",
        form: Named { head: HeaderKind::Zeek, fields: ZEEK },
    },
    Definition {
        name: "gcs",
        about: "Google Cloud Storage, usage logs in CSV",
        form: Named { head: HeaderKind::Csv, fields: STORAGE },
    },
];

const ZEEK: super::Fields = &[
    ("ts", "time:time"),
    ("uid", "uid=uid"),
    ("id.orig_h", "client:addr"),
    ("id.orig_p", "client_port:int=whole"),
    ("id.resp_h", "server_ip:addr"),
    ("id.resp_p", "server_port:port=whole"),
    ("trans_depth", "trans_depth=whole"),
    ("method", ":method"),
    ("host", ":host~authority"),
    ("uri", ":url~path"),
    ("referrer", "referer~url"),
    ("version", "http_version=http-version"),
    ("user_agent", "user_agent"),
    ("origin", "origin"),
    ("username", "user"),
    ("password", "password"),
    ("request_body_len", "request_size:long=whole"),
    ("response_body_len", "size:long=whole"),
    ("status_code", "status:int=status"),
    ("status_msg", "status_msg"),
    ("info_code", "info_code=status"),
    ("info_msg", "info_msg"),
];

const STORAGE: super::Fields = &[
    ("time_micros", "time:time"),
    ("c_ip", "client:addr"),
    ("c_ip_type", "c_ip_type=ip-type"),
    ("c_ip_region", "c_ip_region=ip-region"),
    ("cs_method", ":method"),
    ("cs_uri", ":url~path"),
    ("sc_status", "status:int=status"),
    ("cs_bytes", "request_size:long=whole"),
    ("sc_bytes", "size:long=whole"),
    ("time_taken_micros", "duration_us:us=whole"),
    ("cs_host", ":host=site"),
    ("cs_referer", "referer~url"),
    ("cs_user_agent", "user_agent"),
    ("s_request_id", "request_id=storage-id"),
    ("cs_operation", "cs_operation=storage-operation"),
    ("cs_bucket", "cs_bucket=storage-bucket"),
    ("cs_object", "cs_object"),
];

/// Identifiers of the W3C's working draft, and those that servers added.
const EXTENDED: super::Fields = &[
    ("date", ":date=date"),
    ("time", ":clock=clock"),
    ("date-local", "date_local=date"),
    ("time-local", "time_local=clock"),
    ("c-ip", "client:addr"),
    ("c-port", "client_port:int=whole"),
    ("cs-username", "user=user"),
    ("s-computername", "server_name"),
    ("s-ip", "server_ip:addr"),
    ("s-sitename", "s_sitename"),
    ("s-port", "server_port:port=whole"),
    ("cs-method", ":method"),
    ("cs-uri", ":uri~path"),
    ("cs-uri-stem", ":path~stem"),
    ("cs-uri-query", ":query"),
    ("cs-protocol", ":scheme"),
    ("cs-host", ":host~authority"),
    ("x-host-header", ":host~authority"),
    ("cs(Host)", ":host~authority"),
    ("cs-version", "protocol:protocol=spoken"),
    ("cs-protocol-version", "protocol:protocol=spoken"),
    ("sc-status", "status:int=code"),
    ("c-status", "status:int=code"),
    ("sc-substatus", "substatus:int=whole"),
    ("sc-win32-status", "win32_status:long=whole"),
    ("sc-bytes", "size:long=whole"),
    ("cs-bytes", "request_size:long=whole"),
    ("time-taken", "duration_us:mixed"),
    ("TimeTakenMS", "duration_us:ms=whole"),
    ("cs(User-Agent)", "user_agent:plus"),
    ("cs(Referer)", "referer~url"),
    ("cs(Referrer)", "referer~url"),
    ("cs(Cookie)", "cookie:cookie"),
    ("x-forwarded-for", "forwarded_for~addresses"),
    ("cs(X-Forwarded-For)", "forwarded_for~addresses"),
    ("x-edge-location", "edge_location=edge"),
    ("x-edge-request-id", "request_id=edge-id"),
    ("x-edge-result-type", "cache_status=result"),
    ("ssl-protocol", "ssl_protocol:secure"),
    ("ssl-cipher", "ssl_cipher:secure"),
    ("crypt-protocol", "crypt_protocol:secure"),
    ("crypt-cipher", "crypt_cipher:secure"),
    ("cs-uri-scheme", ":scheme"),
    ("cs-uri-port", ":port=whole"),
    ("cs-uri-path", ":path~stem"),
];

/// The same for a service whose own name is the host if there is no other.
const CLOUDFRONT: super::Fields = &[
    ("date", ":date=date"),
    ("time", ":clock=clock"),
    ("c-ip", "client:addr"),
    ("c-port", "client_port:int=whole"),
    ("cs-method", ":method"),
    ("cs-uri-stem", ":path~stem"),
    ("cs-uri-query", ":query"),
    ("cs-protocol", ":scheme=scheme"),
    ("x-host-header", ":host=viewed"),
    ("cs(Host)", "distribution:host=viewed"),
    ("cs-protocol-version", "protocol:protocol=protocol"),
    ("sc-status", "status:int=status"),
    ("sc-bytes", "size:long=whole"),
    ("cs-bytes", "request_size:long=whole"),
    ("time-taken", "duration_us:s=fraction"),
    ("time-to-first-byte", "response_us:s=fraction"),
    ("cs(User-Agent)", "user_agent"),
    ("cs(Referer)", "referer~url"),
    ("cs(Cookie)", "cookie"),
    ("x-forwarded-for", "forwarded_for~addresses"),
    ("x-edge-location", "edge_location=edge"),
    ("x-edge-request-id", "request_id=edge-id"),
    ("x-edge-result-type", "cache_status=result"),
    ("sc-content-len", "content_length:long=whole"),
    ("ssl-protocol", "ssl_protocol:secure=tls"),
    ("ssl-cipher", "ssl_cipher:secure=cipher"),
    ("x-edge-response-result-type", "x_edge_response_result_type=result"),
    ("x-edge-detailed-result-type", "x_edge_detailed_result_type=result"),
    ("fle-status", "fle_status=fle"),
    ("fle-encrypted-fields", "fle_encrypted_fields=whole"),
    ("sc-content-type", "sc_content_type~media"),
    ("sc-range-start", "sc_range_start=whole"),
    ("sc-range-end", "sc_range_end=whole"),
];

/// The query is in the stem here, as it was requested; `cs-host` is the host that the client asked for, and
/// `x-host-header` the name of the distribution, unlike in standard logs.
const CLOUDFRONT_REALTIME: super::Fields = &[
    ("timestamp", "time:time"),
    ("c-ip", "client:addr"),
    ("c-port", "client_port:int=whole"),
    ("cs-method", ":method"),
    ("cs-uri-stem", ":url~path"),
    ("cs-protocol", ":scheme=scheme"),
    ("cs-host", ":host=viewed"),
    ("x-host-header", "distribution:host=viewed"),
    ("cs-protocol-version", "protocol:protocol=protocol"),
    ("sc-status", "status:int=status"),
    ("sc-bytes", "size:long=whole"),
    ("cs-bytes", "request_size:long=whole"),
    ("time-taken", "duration_us:s=fraction"),
    ("time-to-first-byte", "response_us:s=fraction"),
    ("origin-fbl", "upstream_first_us:s=fraction"),
    ("origin-lbl", "upstream_us:s=fraction"),
    ("cs-user-agent", "user_agent"),
    ("cs-referer", "referer~url"),
    ("cs-cookie", "cookie"),
    ("x-forwarded-for", "forwarded_for~addresses"),
    ("x-edge-location", "edge_location=edge"),
    ("x-edge-request-id", "request_id=edge-id"),
    ("x-edge-result-type", "cache_status=result"),
    ("sc-content-len", "content_length:long=whole"),
    ("c-country", "country=country"),
    ("ssl-protocol", "ssl_protocol:secure=tls"),
    ("ssl-cipher", "ssl_cipher:secure=cipher"),
    ("x-edge-response-result-type", "x_edge_response_result_type=result"),
    ("x-edge-detailed-result-type", "x_edge_detailed_result_type=result"),
    ("fle-status", "fle_status=fle"),
    ("fle-encrypted-fields", "fle_encrypted_fields=whole"),
    ("sc-content-type", "sc_content_type~media"),
    ("sc-range-start", "sc_range_start=whole"),
    ("sc-range-end", "sc_range_end=whole"),
    ("s-ip", "server_ip:addr"),
    ("c-ip-version", "c_ip_version=ip-version"),
    ("cs-uri-query", "cs_uri_query"),
    ("cs-accept-encoding", "cs_accept_encoding"),
    ("cs-accept", "cs_accept"),
    ("cache-behavior-path-pattern", "cache_behavior_path_pattern"),
    ("cs-headers", "cs_headers"),
    ("cs-header-names", "cs_header_names"),
    ("cs-headers-count", "cs_headers_count=whole"),
    ("primary-distribution-id", "primary_distribution_id=distribution"),
    ("primary-distribution-dns-name", "primary_distribution_dns_name=viewed"),
    ("asn", "asn=whole"),
];

/// The fields of standard logs in September 2019, in their order.
const STANDARD: &[&str] = &[
    "date",
    "time",
    "x-edge-location",
    "sc-bytes",
    "c-ip",
    "cs-method",
    "cs(Host)",
    "cs-uri-stem",
    "sc-status",
    "cs(Referer)",
    "cs(User-Agent)",
    "cs-uri-query",
    "cs(Cookie)",
    "x-edge-result-type",
    "x-edge-request-id",
    "x-host-header",
    "cs-protocol",
    "cs-bytes",
    "time-taken",
    "x-forwarded-for",
    "ssl-protocol",
    "ssl-cipher",
    "x-edge-response-result-type",
    "cs-protocol-version",
    "fle-status",
    "fle-encrypted-fields",
    "c-port",
    "time-to-first-byte",
    "x-edge-detailed-result-type",
    "sc-content-type",
    "sc-content-len",
    "sc-range-start",
    "sc-range-end",
];

/// The lists of fields that standard logs have had, each with more at its end than the one before: since 2012.
const STANDARD_LISTS: &[&[&str]] = &[
    STANDARD,
    STANDARD.split_at(26).0,
    STANDARD.split_at(24).0,
    STANDARD.split_at(23).0,
    STANDARD.split_at(19).0,
    STANDARD.split_at(18).0,
    STANDARD.split_at(15).0,
    STANDARD.split_at(12).0,
];

/// Real-time logs with every field, in order: with the first ones after the address of the client, and the second ones
/// after the number of headers.
macro_rules! realtime {
    ([$($server:literal)?] [$($more:literal)*]) => {
        &[
            "timestamp",
            "c-ip",
            $($server,)?
            "time-to-first-byte",
            "sc-status",
            "sc-bytes",
            "cs-method",
            "cs-protocol",
            "cs-host",
            "cs-uri-stem",
            "cs-bytes",
            "x-edge-location",
            "x-edge-request-id",
            "x-host-header",
            "time-taken",
            "cs-protocol-version",
            "c-ip-version",
            "cs-user-agent",
            "cs-referer",
            "cs-cookie",
            "cs-uri-query",
            "x-edge-response-result-type",
            "x-forwarded-for",
            "ssl-protocol",
            "ssl-cipher",
            "x-edge-result-type",
            "fle-encrypted-fields",
            "fle-status",
            "sc-content-type",
            "sc-content-len",
            "sc-range-start",
            "sc-range-end",
            "c-port",
            "x-edge-detailed-result-type",
            "c-country",
            "cs-accept-encoding",
            "cs-accept",
            "cache-behavior-path-pattern",
            "cs-headers",
            "cs-header-names",
            "cs-headers-count",
            $($more,)*
        ]
    };
}

const REALTIME: &[&str] = realtime!([] [
    "primary-distribution-id" "primary-distribution-dns-name" "origin-fbl" "origin-lbl" "asn"
]);

/// The fields of today.
const REALTIME_OF_TODAY: &[&str] = realtime!(["s-ip"] [
    "primary-distribution-id" "primary-distribution-dns-name" "origin-fbl" "origin-lbl" "asn"
    "cmcd-encoded-bitrate" "cmcd-buffer-length" "cmcd-buffer-starvation" "cmcd-content-id" "cmcd-object-duration"
    "cmcd-deadline" "cmcd-measured-throughput" "cmcd-next-object-request" "cmcd-next-range-request" "cmcd-object-type"
    "cmcd-playback-rate" "cmcd-requested-maximum-throughput" "cmcd-streaming-format" "cmcd-session-id" "cmcd-stream-type"
    "cmcd-startup" "cmcd-top-bitrate" "cmcd-version" "r-host" "sr-reason" "x-edge-mqcs" "distribution-tenant-id"
    "connection-id"
]);

/// The lists that they have had since 2020.
const REALTIME_LISTS: &[&[&str]] = &[
    REALTIME,
    REALTIME_OF_TODAY,
    REALTIME_OF_TODAY.split_at(46).0,
    realtime!([] ["origin-fbl" "origin-lbl" "asn"]),
    REALTIME.split_at(40).0,
];
