//! The meaning of a field's name for its values: whether a value may name a host, or is a path. A client chooses most
//! texts of a log, so a value alone must not decide it.

/// The meaning of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// A host, or an authority.
    Host,
    /// A reference, which may have a host in it.
    Reference,
    /// A path, a query, or the target of a request.
    Path,
    /// An unknown meaning.
    Nothing,
}

const HOSTS: &[&str] =
    &["host", "hostname", "domain", "fqdn", "server", "servername", "authority", "netloc", "sni"];

const REFERENCES: &[&str] = &[
    "url",
    "uri",
    "iri",
    "href",
    "link",
    "loc",
    "location",
    "address",
    "referer",
    "referrer",
    "origin",
    "base",
    "site",
    "website",
    "homepage",
    "permalink",
    "canonical",
];

const PATHS: &[&str] = &[
    "path",
    "pathname",
    "stem",
    "target",
    "query",
    "querystring",
    "search",
    "args",
    "params",
    "fragment",
    "file",
    "filename",
    "folder",
    "dir",
    "directory",
    "slug",
    "route",
    "resource",
    "request",
];

/// The meaning of a name, by its last word with a meaning: `cs-host` is a host, `url.path` a path, `url.full` a URL,
/// `pageUrl` one too. The `request_uri` of servers comes from a client.
pub(super) fn says(name: &str) -> Says {
    let words = words(name);
    if matches!(words.as_slice(), [.., request, uri] if request == "request" && uri == "uri") {
        return Says::Path;
    }
    words
        .iter()
        .rev()
        .map(|word| word_says(word))
        .find(|&says| says != Says::Nothing)
        .unwrap_or(Says::Nothing)
}

/// The meaning of a word, or of its end: `vhost`, `requestpath`.
fn word_says(word: &str) -> Says {
    let is_any = |of: &[&str]| of.iter().any(|known| word.ends_with(known));
    match word {
        _ if is_any(PATHS) => Says::Path,
        _ if is_any(HOSTS) => Says::Host,
        _ if is_any(REFERENCES) => Says::Reference,
        _ => Says::Nothing,
    }
}

/// The words of a name, in lower case: letters and digits between other characters, and between cases.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            words.push(String::new());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_whether_its_values_are_hosts() {
        for (name, expected) in [
            ("host", Says::Host),
            ("cs-host", Says::Host),
            ("vhost", Says::Host),
            ("http.host", Says::Host),
            ("host.name", Says::Host),
            ("serverName", Says::Host),
            ("url", Says::Reference),
            ("URL", Says::Reference),
            ("url.full", Says::Reference),
            ("url.domain", Says::Host),
            ("url.path", Says::Path),
            ("requestUrl", Says::Reference),
            ("cs(Referer)", Says::Reference),
            ("Address", Says::Reference),
            ("cs-uri-stem", Says::Path),
            ("cs_uri_query", Says::Path),
            ("request_uri", Says::Path),
            ("requestURI", Says::Path),
            ("REQUEST_URI", Says::Path),
            ("p", Says::Nothing),
            ("2", Says::Nothing),
            ("n", Says::Nothing),
            ("", Says::Nothing),
        ] {
            assert_eq!(says(name), expected, "{name}");
        }
    }
}
