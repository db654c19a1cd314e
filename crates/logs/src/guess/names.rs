//! The names of members that urimill knows in JSON of any shape: each meaning has a field of the dictionary, names from
//! the more specific ones on, and the values that such a member may have.

use super::values::Values;

/// What a member may be.
#[derive(Debug)]
pub(crate) struct Meaning {
    /// The field, in the [notation](crate::notation) of format files.
    pub(crate) field: &'static str,
    /// The values of such members.
    pub(crate) values: Values,
    /// The names, in lower case and without separators, with spaces between; those before are preferred.
    pub(crate) names: &'static str,
}

impl Meaning {
    /// The place of a name among the names.
    pub(super) fn rank(&self, name: &str) -> Option<usize> {
        self.names.split(' ').position(|known| known == name)
    }
}

const fn meaning(field: &'static str, values: Values, names: &'static str) -> Meaning {
    Meaning { field, values, names }
}

/// The members that may be the URI.
pub(crate) const URL: Meaning = meaning(
    ":url",
    Values::Url,
    "urlfull fullurl fulluri absoluteurl absoluteuri requestfullurl requesturlfull urloriginal \
     originalurl originaluri requesturl requesturi clientrequesturl clientrequesturi requrl \
     requri requestedurl requesteduri requesttarget requestendpoint rawurl rawuri url uri csuri \
     targeturl pageurl",
);

/// The members that may be a request line.
pub(crate) const REQUEST: Meaning =
    meaning("request", Values::Request, "requestline request firstrequestline firstline reqline rawrequest");

/// The members that may be the path of the URI.
pub(crate) const PATH: Meaning = meaning(
    ":path",
    Values::Path,
    "urlpath uripath requestpath requesturlpath reqpath requestpathname clientrequestpath rawpath \
     csuristem uristem path pathname",
);

/// The members that may be the query of the URI.
pub(crate) const QUERY: Meaning = meaning(
    ":query",
    Values::Query,
    "urlquery uriquery requestquerystring requestquery requestargs clientrequestquery querystring \
     queryargs csuriquery query args qs",
);

/// The members that may be the scheme of the URI.
pub(crate) const SCHEME: Meaning = meaning(
    ":scheme",
    Values::Scheme,
    "urlscheme urischeme requestscheme clientrequestscheme scheme xforwardedprotocol \
     requestprotocol csprotocol protocol",
);

/// The members that may be the host that the client asked for.
pub(crate) const HOST: Meaning = meaning(
    ":host",
    Values::Host,
    "urlhost urldomain urlhostname urihost requestheadershost headershost httphost requesthost \
     requestedhost requesthostname requestdomain clientrequesthost requestauthority authority \
     cshost xforwardedhost vhost virtualhost domain domainname",
);

/// A member whose name may be that of the machine, too: its values have a dot in them.
pub(crate) const DOUBTFUL_HOST: Meaning = meaning(":doubtful-host", Values::Domain, "host");

/// The port that the client asked for.
pub(crate) const PORT: Meaning = meaning(":port", Values::Port, "urlport uriport requestport");

/// The members that show that the connection was encrypted.
pub(crate) const SECURE: Meaning = meaning(
    ":secure",
    Values::Switch,
    "https ishttps tls istls ssl isssl secure issecure requesttls requestsecure tlsenabled \
     sslenabled tlsestablished",
);

/// A day and a time of day, where no member is a moment.
pub(crate) const DATE: Meaning = meaning(":date", Values::Date, "requestdate eventdate date day");
pub(crate) const CLOCK: Meaning =
    meaning(":clock", Values::Clock, "requesttime eventtime timeofday clock time");

/// The method and the protocol, which a request line has itself.
pub(crate) const OF_REQUEST_LINE: &[Meaning] = &[
    meaning(
        ":method",
        Values::Method,
        "requestmethod clientrequestmethod httpmethod method requestverb httpverb verb reqmethod \
         csmethod",
    ),
    meaning(
        "protocol",
        Values::Protocol,
        "requestprotocol serverprotocol httpprotocol protocol csprotocolversion protocolversion \
         requesthttpversion httpversion requestversion",
    ),
];

/// The other members. One that an earlier row takes is not in a later one.
pub(crate) const OTHERS: &[Meaning] = &[
    meaning(
        "time",
        Values::Time,
        "timestamp requesttimestamp eventtimestamp timestampms timestampus timestampns timeiso8601 \
         timelocal datetime time ts tsms requesttimeepoch requesttime starttime requeststarttime \
         starteddatetime eventtime accesstime logtime unixtime epoch epochms date receivedat \
         startedat loggedat crawledat fetchedat crawltime fetchtime asctime createdat when t",
    ),
    meaning(
        "client",
        Values::Address,
        "clientip clientaddress clientipaddress clientremoteip requestclientip requestremoteip \
         requestremoteaddress trueclientip xrealip realip remoteaddress remoteip remoteipaddress \
         remotehost sourceip sourceaddress sourceipaddress ipsource peeraddress peerip userip cip \
         requestip requestsourceip client clienthost ipaddress ip",
    ),
    meaning("client_port", Values::Port, "clientport remoteport requestremoteport sourceport"),
    meaning("user", Values::Text, "remoteuser authuser requestuser username user"),
    meaning("http_version", Values::Version, "httpversion requesthttpversion protocolversion"),
    meaning(
        "referer",
        Values::Text,
        "requestheadersreferer headersreferer requestreferer clientrequestreferer httpreferer \
         csreferer referer refererurl",
    ),
    meaning(
        "user_agent",
        Values::Text,
        "useragentoriginal requestheadersuseragent headersuseragent requestuseragent \
         clientrequestuseragent httpuseragent csuseragent useragent agent",
    ),
    meaning(
        "forwarded_for",
        Values::Text,
        "requestheadersxforwardedfor headersxforwardedfor httpxforwardedfor xforwardedfor \
         forwardedfor xff",
    ),
    meaning("request_id", Values::Word, "requestheadersxrequestid headersxrequestid xrequestid requestid"),
    meaning("country", Values::Text, "clientcountry geocountry countrycode country"),
    meaning(
        "status",
        Values::Status,
        "responsestatuscode responsestatus edgeresponsestatus responsecode respcode respstatus \
         httpstatuscode httpstatus httpcode statuscode scstatus status returncode code",
    ),
    meaning(
        "status_text",
        Values::Text,
        "statustext statusmessage responsestatustext responsereason reasonphrase",
    ),
    meaning(
        "size",
        Values::Count,
        "bodybytessent bytessent sentbytes bytesout scbytes responsebytes responsesize responselength \
         responsebodybytes responsebodysize size bytes",
    ),
    meaning(
        "request_size",
        Values::Count,
        "bytesreceived receivedbytes bytesin csbytes requestbytes requestsize requestlength \
         requestbodybytes requestbodysize",
    ),
    meaning(
        "content_length",
        Values::Count,
        "responseheaderscontentlength responsecontentlength senthttpcontentlength",
    ),
    meaning(
        "mime",
        Values::Mime,
        "responseheaderscontenttype responsecontenttype senthttpcontenttype responsemimetype mimetype \
         mediatype mime",
    ),
    meaning("cache_status", Values::Text, "cachestatus upstreamcachestatus cacheresult xcache"),
    meaning(
        "duration_us",
        Values::Duration,
        "duration requestduration responseduration totalduration durationtotal latency requestlatency \
         elapsed elapsedtime took requesttime responsetime totaltime totalresponsetime timetaken \
         processingtime executiontime runtime",
    ),
    meaning("response_us", Values::Duration, "timetofirstbyte firstbytetime ttfb"),
    meaning("connect_us", Values::Duration, "connecttime connectiontime upstreamconnecttime"),
    meaning("queue_us", Values::Duration, "queuetime timeinqueue"),
    meaning(
        "upstream_us",
        Values::Duration,
        "upstreamresponsetime upstreamtime upstreamduration upstreamlatency backendtime \
         backendduration",
    ),
    meaning("upstream", Values::Text, "upstreamaddress upstreamhost upstream backend"),
    meaning("upstream_status", Values::Status, "upstreamstatus upstreamresponsestatus backendstatus"),
    meaning("server_name", Values::Text, "servername"),
    meaning("server_ip", Values::BareAddress, "serverip serveraddress destinationip destinationaddress"),
    meaning("ssl_protocol", Values::Tls, "sslprotocol tlsprotocol"),
    meaning("tls_version", Values::Tls, "tlsversion sslversion"),
    meaning("ssl_cipher", Values::Cipher, "sslcipher tlscipher tlsciphersuite ciphersuite"),
    meaning("level", Values::Text, "loglevel levelname level lvl severity"),
    meaning("logger", Values::Text, "logger loggername"),
    meaning("message", Values::Text, "message msg"),
    meaning("pid", Values::Count, "processid pid"),
];

/// All of them, for the documentation.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = &'static Meaning> {
    [&URL, &REQUEST, &PATH, &QUERY, &HOST, &DOUBTFUL_HOST, &SCHEME, &PORT]
        .into_iter()
        .chain(OF_REQUEST_LINE)
        .chain([&SECURE, &DATE, &CLOCK])
        .chain(OTHERS)
}

/// Words that say nothing of a member: those at the beginning of a path may be left out.
pub(crate) const NEUTRAL: &[&str] = &[
    "http",
    "event",
    "data",
    "log",
    "logs",
    "access",
    "accesslog",
    "payload",
    "json",
    "jsonpayload",
    "fields",
    "properties",
    "attributes",
    "attrs",
    "detail",
    "details",
    "record",
    "entry",
    "context",
    "ctx",
    "extra",
    "info",
    "message",
    "msg",
    "nginx",
    "apache",
    "proxy",
    "web",
];

/// Words for words of names.
const WORDS: &[(&str, &str)] = &[
    ("req", "request"),
    ("res", "response"),
    ("resp", "response"),
    ("rsp", "response"),
    ("addr", "address"),
    ("hdr", "headers"),
    ("hdrs", "headers"),
    ("header", "headers"),
    ("meth", "method"),
    ("proto", "protocol"),
    ("referrer", "referer"),
    ("ua", "useragent"),
    ("src", "source"),
    ("dst", "destination"),
    ("dest", "destination"),
    ("arguments", "args"),
];

/// The words of a name: in lower case, as separators and upper-case letters divide it.
pub(crate) fn words(name: &str, out: &mut Vec<String>) {
    let mut word = String::new();
    let mut put = |word: &mut String| {
        let known = WORDS.iter().find(|(own, _)| own == word).map(|(_, other)| (*other).to_owned());
        let taken = known.unwrap_or_else(|| word.clone());
        // `httpRequest.requestUrl` has one request.
        if !word.is_empty() && out.last() != Some(&taken) {
            out.push(taken);
        }
        word.clear();
    };
    let letters: Vec<char> = name.chars().collect();
    for (at, &letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let is_next_lower = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
        let begins = letter.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase() || before.is_ascii_digit() || before.is_uppercase() && is_next_lower
            });
        if begins || !letter.is_alphanumeric() {
            put(&mut word);
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
    }
    put(&mut word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_words() {
        let cases = [
            ("request_url", "request url"),
            ("requestURL", "request url"),
            ("URLPath", "url path"),
            ("resp-code", "response code"),
            ("@timestamp", "timestamp"),
            ("cs(User-Agent)", "cs user agent"),
            ("HTTPMethod", "http method"),
            ("time_iso8601", "time iso8601"),
            ("referrer", "referer"),
            ("_", ""),
        ];
        for (name, expected) in cases {
            let mut found = Vec::new();
            words(name, &mut found);
            assert_eq!(found.join(" "), expected, "{name}");
        }
    }

    #[test]
    fn no_name_is_twice_in_a_row() {
        for Meaning { field, names, .. } in all() {
            let names: Vec<&str> = names.split(' ').collect();
            for (at, name) in names.iter().enumerate() {
                assert!(!names[..at].contains(name), "{field}: {name}");
                assert!(
                    name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()),
                    "{field}: {name}"
                );
            }
        }
    }
}
