//! The dictionary of fields: the name, kind and meaning that a field has in every format, so that tables of several
//! formats go together. A definition that names a field of it need not say its kind.

/// A name, the kind of its values and perhaps their form as in [`crate::notation`] (after a colon if the field has no
/// column: it makes the URI), and its meaning.
type Word = (&'static str, &'static str, &'static str);

/// The fields that the logs of several servers have.
pub(crate) const WORDS: &[Word] = &[
    // What makes the URI.
    ("request", ":request", "the request line: method, target and protocol"),
    ("url", ":url", "the target of the request, or its URI"),
    ("path", ":path", "the path of the URI"),
    ("query", ":query", "the query of the URI, with or without its question mark"),
    ("scheme", ":scheme", "the scheme of the URI"),
    ("host", ":host", "the host that the client asked for, with or without a port"),
    ("port", ":port", "the port that the client asked for"),
    // The request.
    ("time", "time", "when the server got or answered the request"),
    ("date", ":date", "the day of the request; with `clock` it makes the column `time`"),
    ("clock", ":clock", "the time of day of the request"),
    ("client", "endpoint", "the address of who asked; a port after it is the column `client_port`"),
    ("client_port", "int", "the port of who asked"),
    ("user", "", "the user whom the server has authenticated"),
    ("ident", "", "the user by the client's ident"),
    ("method", ":method", "the method of the request"),
    ("protocol", "protocol", "the protocol of the request, such as HTTP/1.1"),
    ("http_version", "", "the version of HTTP alone, such as 1.1"),
    ("referer", "", "the request's header Referer"),
    ("user_agent", "", "the request's header User-Agent"),
    ("cookie", "", "the request's header Cookie"),
    ("origin", "", "the request's header Origin"),
    ("forwarded_for", "", "the request's header X-Forwarded-For"),
    ("request_id", "", "the identifier of the request"),
    ("request_size", "long", "the bytes of the request"),
    ("country", "", "the country of the client"),
    ("city", "", "the city of the client"),
    // The response.
    ("status", "int=status", "the status of the response"),
    ("status_text", "", "the words beside the status"),
    ("size", "long", "the bytes of the response"),
    ("content_length", "long", "the response's header Content-Length"),
    ("mime", "", "the media type of the response"),
    ("cache_status", "", "the result of the cache: a hit, a miss"),
    ("response_flags", "", "the proxy's reasons for the response"),
    ("error_code", "", "the server's code of the error"),
    ("redirect_url", "", "the URI to which the response leads"),
    // Durations, in microseconds.
    ("duration_us", "us", "from the first byte of the request to the last one of the response"),
    ("response_us", "us", "until the first byte of the response"),
    ("connect_us", "us", "to connect to the server behind"),
    ("queue_us", "us", "in queues"),
    ("upstream_us", "us", "of the server behind"),
    ("upstream_first_us", "us", "until the first byte of the server behind"),
    ("turn_around_us", "us", "of the server, without the transfer"),
    // The server.
    ("server_name", "", "the name of the server, or of the virtual host"),
    ("server_ip", "addr", "the address of the server"),
    ("server_port", "port", "the port of the server"),
    ("upstream", "", "the server behind"),
    ("upstream_status", "int=status", "the status of the server behind"),
    ("upstream_cluster", "", "the group of the server behind"),
    ("target", "endpoint", "the address of the server behind a load balancer"),
    ("target_status", "int=status", "its status"),
    ("router", "", "the rule that has chosen the server behind"),
    ("service", "", "the service behind"),
    ("ssl_protocol", "secure", "the version of TLS"),
    ("ssl_cipher", "secure", "the cipher of TLS"),
    ("tls_version", "secure", "the version of TLS"),
    ("pid", "int", "the number of the server's process"),
    // The log.
    ("level", "", "how severe the record is"),
    ("logger", "", "the part of the program that wrote the record"),
    ("message", "", "the text of the record"),
    ("rest", "rest", "the text after the last field"),
    // Security products.
    ("action", "", "what the product did with the request: allowed, blocked"),
    ("category", "", "the category of the site"),
    ("rule", "", "the rule that applied"),
    ("threat", "", "the threat that was found"),
];

/// The meaning of a column; nothing if only its format knows it.
pub(crate) fn meaning(name: &str) -> &'static str {
    let own = WORDS.iter().chain(MADE).find(|(own, ..)| *own == name).map(|(.., meaning)| *meaning);
    let port = || name.strip_suffix("_port").is_some_and(|name| find(name) == Some("endpoint"));
    own.unwrap_or_else(|| if port() { "the port after the address" } else { "" })
}

/// Columns that are made of several fields.
const MADE: &[Word] = &[
    ("method", "", "the method of the request"),
    ("vhost", "", "the host that the client asked for"),
    ("vhost_port", "", "the port that the client asked for"),
    ("extra", "", "the fields without a column, as a JSON object"),
    ("prefix", "", "what stood before the line"),
];

/// The kind and the form of a name.
pub(crate) fn find(name: &str) -> Option<&'static str> {
    // A field without a kind is mostly text that no other format has.
    WORDS.iter().find(|(own, ..)| *own == name).map(|(_, notation, _)| *notation)
}
