//! The public suffix list: under which names of the DNS others can be registered. Stands behind the completion of
//! suffix references (RFC 3986 section 4.5), where nothing else tells a host from a file.

use psl::Type;

/// Whether a name of several labels may be one of the public DNS: it stands below an entry of the list, or is
/// an entry that a company made for its customers (`github.io`). An internationalized name is given in its
/// ASCII form, in either case.
pub fn is_public_name(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    psl::suffix(&lower).is_some_and(|suffix| {
        let is_below = suffix.as_bytes().len() < lower.len();
        suffix.is_known() && (is_below || suffix.typ() == Some(Type::Private))
    })
}

#[cfg(test)]
mod tests {
    use super::is_public_name;

    #[test]
    fn names() {
        for name in ["a.com", "A.COM", "a.b.de", "a.xn--p1ai", "a.b.ck", "a.ac.za", "github.io", "a.b.co.uk"]
        {
            assert!(is_public_name(name.as_bytes()), "{name}");
        }
        for name in ["a.html", "main.js", "a.example", "co.uk", "com", "a.b", "1.2", "a.xn--zzzz", "a.za", ""]
        {
            assert!(!is_public_name(name.as_bytes()), "{name}");
        }
    }
}
