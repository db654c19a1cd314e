//! The scheme registry: what scheme-based normalization (RFC 3986 section 6.2.3) and the warnings of section 7 need to
//! know about a scheme, as data.

/// The properties of one scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme {
    /// In lower case.
    pub name: &'static str,
    /// The port that an absent or empty one stands for.
    pub default_port: Option<u16>,
    /// The host that an absent or empty one stands for (3.2.2).
    pub default_host: Option<&'static str>,
    /// Whether `scheme://host` and `scheme://host/` are the same resource.
    pub empty_path_is_root: bool,
    /// Whether a URI of this scheme names no resource without a host.
    pub host_required: bool,
    /// The part besides scheme and host that is case-insensitive.
    pub case_insensitive: CaseInsensitive,
}

impl Scheme {
    /// Whether its URIs are known to have a hierarchy below an authority (RFC 2396, 3: `hier_part`).
    #[must_use]
    pub fn is_hierarchical(&self) -> bool {
        self.host_required || self.name == "file"
    }
}

/// A part of a scheme's URIs that is the same in upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseInsensitive {
    /// None besides scheme and host.
    Nothing,
    /// The domain after the `@` of each address in the path (RFC 6068 section 2).
    MailDomains,
}

const fn scheme(
    name: &'static str,
    port: Option<u16>,
    empty_path_is_root: bool,
    host_required: bool,
) -> Scheme {
    let case_insensitive = CaseInsensitive::Nothing;
    Scheme {
        name,
        default_port: port,
        default_host: None,
        empty_path_is_root,
        host_required,
        case_insensitive,
    }
}

/// A scheme whose URIs mean the user's own machine if they name no host; an empty path means `/`.
const fn local(name: &'static str, port: Option<u16>) -> Scheme {
    Scheme { default_host: Some("localhost"), ..scheme(name, port, true, false) }
}

/// A scheme with this default port whose URIs need a host and whose empty path means `/`.
const fn web(name: &'static str, port: u16) -> Scheme {
    scheme(name, Some(port), true, true)
}

/// A scheme with this default port whose URIs need a host; an empty path and `/` differ.
const fn service(name: &'static str, port: u16) -> Scheme {
    scheme(name, Some(port), false, true)
}

/// A scheme without authority, or with one that has no port.
const fn plain(name: &'static str) -> Scheme {
    scheme(name, None, false, false)
}

/// The registry, sorted by name.
///
/// Sources: the IANA registries of URI schemes and of service names, and for paths the scheme's own definition (an AMQP
/// path is a virtual host, an SFTP or Git path a place in the file system, an MQTT path a topic: there the empty path
/// is not `/`).
pub const SCHEMES: &[Scheme] = &[
    service("amqp", 5672),
    service("amqps", 5671),
    web("coap", 5683),
    web("coaps", 5684),
    plain("data"),
    scheme("dns", Some(53), false, false),
    // RFC 8089, 2 and RFC 3986, 3.2.2.
    local("file", None),
    web("ftp", 21),
    web("ftps", 990),
    service("git", 9418),
    web("gopher", 70),
    web("http", 80),
    web("https", 443),
    web("imap", 143),
    web("imaps", 993),
    service("irc", 6667),
    service("ircs", 6697),
    plain("javascript"),
    // RFC 4516: without a host the client chooses the server.
    scheme("ldap", Some(389), true, false),
    scheme("ldaps", Some(636), true, false),
    Scheme { case_insensitive: CaseInsensitive::MailDomains, ..plain("mailto") },
    service("mongodb", 27017),
    service("mqtt", 1883),
    service("mqtts", 8883),
    scheme("mysql", Some(3306), false, false),
    // RFC 5538: `news:` names a group or an article, with or without a server.
    scheme("news", Some(119), true, false),
    web("nntp", 119),
    web("pop", 110),
    // The client library takes a missing host for the local socket, which is not the same as localhost.
    scheme("postgresql", Some(5432), false, false),
    // IANA's registration: every field after the scheme is optional; the clients that it describes use localhost.
    local("redis", Some(6379)),
    local("rediss", Some(6379)),
    web("rtsp", 554),
    web("rtsps", 322),
    service("sftp", 22),
    // RFC 3261: host and port are in the path, there is no authority.
    plain("sip"),
    plain("sips"),
    service("ssh", 22),
    web("svn", 3690),
    plain("tel"),
    web("telnet", 23),
    plain("urn"),
    service("vnc", 5900),
    web("ws", 80),
    web("wss", 443),
];

/// The entry of a scheme, whatever its case.
#[must_use]
pub fn find(name: &[u8]) -> Option<&'static Scheme> {
    match name {
        // Nearly every URI of a crawl has this scheme: no search.
        b"http" => Some(&SCHEMES[HTTP]),
        b"https" => Some(&SCHEMES[HTTP + 1]),
        _ => {
            let letter = usize::from(name.first()?.to_ascii_lowercase().checked_sub(b'a')?);
            let (from, to) = (*BY_LETTER.get(letter)?, *BY_LETTER.get(letter + 1)?);
            SCHEMES[from..to].iter().find(|scheme| scheme.name.as_bytes().eq_ignore_ascii_case(name))
        }
    }
}

/// Whether hosts of a scheme are names or addresses of a network, as they also are where there is no scheme yet; hosts
/// of others may be keys, as in `ios-app://334256223`.
#[must_use]
pub fn names_machines(name: &[u8]) -> bool {
    let is_known =
        |scheme: &Scheme| scheme.host_required || scheme.default_port.is_some() || scheme.name == "file";
    name.is_empty() || find(name).is_some_and(is_known)
}

/// The index of `http` in the registry; `https` is next to it.
const HTTP: usize = {
    let mut i = 0;
    while SCHEMES[i].name.len() != 4 || !SCHEMES[i].name.as_bytes()[0].eq_ignore_ascii_case(&b'h') {
        i += 1;
    }
    i
};

/// Where the names that begin with each letter start in the registry, and its end. A letter has five at most: `mailto`
/// is found in a third of the time of a search among all names.
const BY_LETTER: [usize; 27] = {
    let mut starts = [SCHEMES.len(); 27];
    let mut i = SCHEMES.len();
    let mut letter = 27;
    while letter > 0 {
        letter -= 1;
        while i > 0 && SCHEMES[i - 1].name.as_bytes()[0] - b'a' >= letter as u8 {
            i -= 1;
        }
        starts[letter] = i;
    }
    starts
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registry_is_sorted_and_found_in_any_case() {
        assert!(SCHEMES.windows(2).all(|pair| pair[0].name < pair[1].name));
        for entry in SCHEMES {
            assert_eq!(find(entry.name.to_ascii_uppercase().as_bytes()), Some(entry));
        }
        assert_eq!((SCHEMES[HTTP].name, SCHEMES[HTTP + 1].name), ("http", "https"));
        for name in ["", "htt", "-", "{", "\u{e9}", "zz", "x"] {
            assert_eq!(find(name.as_bytes()), None, "{name}");
        }
        assert_eq!(find(b"a-scheme-with-a-long-name"), None);
        assert_eq!(find(b"httpx"), None);
    }
}
