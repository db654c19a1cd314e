//! The slots of a log's fields that make its URIs, or are made from others.

use super::secure::Secure;

/// Where a reader puts a field.
pub(super) type Slot = usize;

/// The slots of the fields that make the URI, and of fields that are made from others.
#[derive(Debug, Clone, Default)]
pub(super) struct Roles {
    /// A request line.
    pub(super) request: Option<Slot>,
    /// Whether a backslash in it begins an escape.
    pub(super) is_request_escaped: bool,
    /// The target of a request, or a URI.
    pub(super) target: Option<Slot>,
    /// Whether it is a log of web servers with nothing around its lines. In such a log only `-` means that there is no
    /// request (in others, any number of dashes does), malformed lines keep the certain parts of their requests and
    /// virtual hosts, and the rest of a line stays as written.
    pub(super) is_bare: bool,
    /// Whether a proxy writes `error:` and a word where it got no request.
    pub(super) has_errors: bool,
    /// Whether it may be a host with a path, as some servers write URIs, with its query in a field of its own.
    pub(super) may_lack_scheme: bool,
    /// A path, which a query may follow in its own field.
    pub(super) path: Option<Slot>,
    /// Whether the path may have the query already, because some servers write the whole target there.
    pub(super) may_have_query: bool,
    pub(super) query: Option<Slot>,
    pub(super) scheme: Option<Slot>,
    /// Host, perhaps with a port; the more specific ones first.
    pub(super) hosts: Vec<Slot>,
    /// The one in which some servers write an address of their own, or the client's.
    pub(super) doubtful_host: Option<Slot>,
    /// The first of them that the first header names.
    pub(super) named_host: Option<Slot>,
    pub(super) port: Option<Slot>,
    /// The fields that may show that the scheme is https.
    pub(super) secure: Vec<(Slot, Secure)>,
    pub(super) method: Option<Slot>,
    /// The address at the other end of the connection: the client, where no other is known.
    pub(super) peer: Option<Slot>,
    pub(super) client: Option<Slot>,
    pub(super) protocol: Option<Slot>,
    pub(super) vhost: Option<Slot>,
    pub(super) vhost_port: Option<Slot>,
    /// A date and a time of day, which make the column `time`.
    pub(super) date: Option<Slot>,
    pub(super) clock: Option<Slot>,
    pub(super) time: Option<Slot>,
    /// All fields without a column, as a JSON object.
    pub(super) extra: Option<Slot>,
    /// Fields that only a later header names and that make the URI without being a whole part of it.
    pub(super) later: Vec<Slot>,
    /// What is around the line: see `wrappers`.
    pub(super) prefix: Option<Slot>,
    /// The time and the host that a wrapper has.
    pub(super) log_time: Option<Slot>,
    pub(super) log_host: Option<Slot>,
    /// The text after the last field.
    pub(super) rest: Option<Slot>,
}
