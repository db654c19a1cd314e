//! The escapes of each format: see [`Escapes`]. Fields with escapes of their own have them in their definitions;
//! [`crate::pattern`] finds the end of texts in quotes with backslashes.

use crate::escapes::Escapes;

/// The escapes of the format `name`.
pub(crate) fn escapes(name: &str) -> Escapes {
    match name {
        // Apache, nginx, and programs that write like them.
        "clf" | "log-format" | "nginx-ingress" | "nginx-proxy-manager" | "squid-combined" => {
            Escapes::Backslash
        }
        "cloudfront" | "cloudfront-realtime" => Escapes::Percent,
        "zeek" => Escapes::Zeek,
        "haproxy" => Escapes::Hash,
        // JSON has escapes of its own; Envoy, S3 and Traefik write a client's bytes as they came.
        _ => Escapes::None,
    }
}

/// Whether a format in JSON may have escapes that JSON does not have: nginx writes `\xHH` unless `escape=json` is
/// configured, and Apache always does.
pub(crate) fn has_escapes_beside_json(name: &str) -> bool {
    name == "nginx-json"
}
