//! Which escapes the texts of each format have: see [`Escapes`]. Fields with escapes of their own say so where they are
//! defined; what stands in quotes before which a backslash stands [`crate::read::format::log::pattern`] knows.

use crate::read::format::log::escapes::Escapes;

/// Those of the format `name`.
pub(in crate::read::format::log) fn escapes(name: &str) -> Escapes {
    match name {
        // What Apache and nginx write, and what is written after their manner.
        "clf" | "log-format" | "nginx-ingress" | "nginx-proxy-manager" | "squid-combined" => {
            Escapes::Backslash
        }
        "cloudfront" | "cloudfront-realtime" => Escapes::Percent,
        "zeek" => Escapes::Zeek,
        "haproxy" => Escapes::Hash,
        // Those of JSON; Envoy, S3 and Traefik write a client's bytes as they came.
        _ => Escapes::None,
    }
}

/// Whether a format in JSON may have escapes that JSON does not have: nginx writes `\xHH` unless `escape=json` is said,
/// and Apache always.
pub(in crate::read::format::log) fn has_escapes_beside_json(name: &str) -> bool {
    name == "nginx-json"
}
