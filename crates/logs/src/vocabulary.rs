//! The words that values of logs are, or begin with, by the documentation of those who write the logs: see
//! [`crate::forms`].

pub(super) const AUTHENTICATIONS: &[&str] = &["AuthHeader", "QueryString"];
/// The states of nginx's cache.
pub(super) const CACHED: &[&str] =
    &["HIT", "MISS", "BYPASS", "EXPIRED", "STALE", "UPDATING", "REVALIDATED", "SCARCE"];
pub(super) const CLASSES: &[&str] = &["Acceptable", "Ambiguous", "Severe"];
pub(super) const TLS: &[&str] = &["TLSv", "TLSV", "SSLv"];

pub(super) const PROTOCOLS: &[&str] = &[
    "HTTP",
    "http",
    "https",
    "h2",
    "h2c",
    "h3",
    "http/1.0",
    "http/1.1",
    "http/2",
    "http/2.0",
    "http/3",
    "quic",
    "ws",
    "wss",
    "websocket",
];
/// The results of Squid's cache, and how Squid has found the server; the first of each are by far the most frequent.
pub(super) const RESULTS: &[&str] = &["TCP_", "NONE", "UDP_", "TAG_", "ERR_"];
pub(super) const HIERARCHIES: &[&str] = &[
    "HIER_",
    "DIRECT",
    "NONE",
    "TIMEOUT_",
    "SIBLING_",
    "PARENT_",
    "DEFAULT_PARENT",
    "SINGLE_PARENT",
    "FIRST",
    "NO_",
    "CLOSEST_",
    "SOURCE",
    "ROUNDROBIN_",
    "CACHE_DIGEST_",
    "CD_",
    "CARP",
    "ANY_",
    "USERHASH_",
    "PINNED",
    "ORIGINAL_DST",
    "STANDBY_POOL",
    "INVALID",
];
/// The output of CloudFront's encryption of single fields.
pub(super) const FIELD_LEVEL: &[&str] =
    &["Processed", "Forwarded", "Malformed", "Rejected", "ServerError", "Field", "RequestLength"];
pub(super) const SPOKEN: &[&str] = &["HTTP", "SMTP", "ESMTP", "NNTP", "FTP", "RTSP", "MMS"];
pub(super) const NO_TLS: &[&str] = &["none", "unknown", "off", "1.0", "1.1", "1.2", "1.3"];
/// The beginning of a target that is not a path.
pub(super) const TARGETS: &[&str] = &["*", "http:", "https:", "ws:", "wss:", "ftp:", "rtmp", "rtsp:", "mms:"];
pub(super) const MEDIA: &[&str] = &[
    "text/",
    "image/",
    "application/",
    "audio/",
    "video/",
    "font/",
    "multipart/",
    "message/",
    "model/",
    "binary/",
];

/// The beginning of the names of Istio's clusters, and of the names that its proxies request from one another.
pub(super) const CLUSTERS: &[&str] = &["outbound", "inbound"];
