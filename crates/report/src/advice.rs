//! Advice about records with a code: one sentence each, for people.

/// How to repair records with this code.
pub(super) fn mend(code: &str) -> &'static str {
    match code {
        "scheme_invalid_char" | "scheme_empty" => {
            "Write the scheme, or ./ before a relative reference whose first segment has a colon."
        }
        "userinfo_invalid_char" | "path_invalid_char" | "query_invalid_char" | "fragment_invalid_char" => {
            "Percent-encode the character; --repair does it as browsers do."
        }
        "host_invalid_char" => {
            "Correct the host. --repair maps international names and removes white space around the record."
        }
        "host_ipv6_malformed" | "host_ipvfuture_malformed" => {
            "Write a complete IPv6 address in the brackets; a zone is no part of a URI."
        }
        "port_invalid_char" => "Write digits after the colon; an IPv6 address needs brackets.",
        "percent_truncated" | "percent_invalid_digit" => {
            "Write %25 for a percent sign that is one; --repair does it."
        }
        "path_empty" => "Write what follows the scheme, or read the records by RFC 3986.",
        "not_utf8" => "Say the encoding of the inputs with --encoding.",
        "too_long" => "Raise --max-record, if such records are wanted.",
        "base_not_absolute" | "base_invalid" => "Give an absolute URI with --base.",
        "field_missing" => {
            "The line has too few fields: look whether it is truncated, or name the format with --from."
        }
        "record_malformed" => {
            "The line does not have the form of its format: look whether it is damaged, or name the format with --from."
        }
        "scheme_missing" => "Resolve relative references with --base.",
        _ => "See the code in docs/SEMANTICS.md, and the record with urimill explain.",
    }
}
