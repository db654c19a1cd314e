//! Values that hold several references, or a reference among other things: `srcset`, `ping`, a refresh, the header
//! field `Link`.

/// The URLs of a list of image candidates (HTML, 4.8.4.2.1, "parse a srcset attribute").
pub(super) fn candidates(value: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        while value.get(at).is_some_and(|&b| b.is_ascii_whitespace() || b == b',') {
            at += 1;
        }
        if at == value.len() {
            return found;
        }
        let len = value[at..].iter().position(u8::is_ascii_whitespace).unwrap_or(value.len() - at);
        let url = &value[at..at + len];
        at += len;
        let commas = url.iter().rev().take_while(|&&b| b == b',').count();
        found.push(&url[..len - commas]);
        if commas > 0 {
            continue;
        }
        // The descriptors, up to a comma outside brackets.
        let mut is_within = false;
        while let Some(&b) = value.get(at) {
            at += 1;
            match b {
                b'(' => is_within = true,
                b')' => is_within = false,
                b',' if !is_within => break,
                _ => {}
            }
        }
    }
}

/// Tokens with white space between them.
pub(super) fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty())
}

/// Items with commas between them.
pub(super) fn items(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&b| b == b',').map(<[u8]>::trim_ascii).filter(|item| !item.is_empty())
}

/// The URL of a refresh (HTML, 4.2.5.3, "shared declarative refresh steps"); `None` if the page itself is reloaded.
pub(super) fn refresh(value: &[u8]) -> Option<&[u8]> {
    let value = value.trim_ascii_start();
    let digits = value.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 && value.first() != Some(&b'.') {
        return None;
    }
    let rest = &value[digits..];
    let rest = &rest[rest.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count()..];
    if rest.first().is_some_and(|b| !matches!(b, b';' | b',') && !b.is_ascii_whitespace()) {
        return None;
    }
    let rest = rest.trim_ascii_start();
    let rest = if matches!(rest.first(), Some(b';' | b',')) { &rest[1..] } else { rest };
    let rest = rest.trim_ascii_start();
    let named = || {
        let name = rest.get(..3).filter(|name| name.eq_ignore_ascii_case(b"url"))?;
        let behind = rest[name.len()..].trim_ascii_start();
        behind.strip_prefix(b"=").map(<[u8]>::trim_ascii_start)
    };
    let rest = named().unwrap_or(rest);
    let url = match rest.first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let inner = &rest[1..];
            &inner[..memchr::memchr(quote, inner).unwrap_or(inner.len())]
        }
        _ => rest,
    };
    (!url.is_empty()).then_some(url)
}

/// The targets of a header field `Link`, each with its relation (RFC 8288, 3 and appendix B.2).
pub(super) fn header_links(value: &[u8]) -> Vec<(&[u8], Option<Vec<u8>>)> {
    let mut found = Vec::new();
    let mut rest = value;
    loop {
        rest = &rest[rest.iter().take_while(|b| b.is_ascii_whitespace() || **b == b',').count()..];
        let Some(inner) = rest.strip_prefix(b"<") else { return found };
        let Some(end) = memchr::memchr(b'>', inner) else { return found };
        let target = &inner[..end];
        rest = &inner[end + 1..];
        let mut rel = None;
        loop {
            rest = rest.trim_ascii_start();
            let Some(behind) = rest.strip_prefix(b";") else { break };
            let (name, value, behind) = parameter(behind);
            if name.eq_ignore_ascii_case(b"rel") && rel.is_none() {
                rel = Some(value);
            }
            rest = behind;
        }
        found.push((target, rel));
        // Text that is not a parameter is skipped up to the next link.
        let Some(comma) = memchr::memchr(b',', rest) else { return found };
        rest = &rest[comma..];
    }
}

/// A parameter: its name, its value without quotes, and the text after it.
fn parameter(text: &[u8]) -> (&[u8], Vec<u8>, &[u8]) {
    let text = text.trim_ascii_start();
    let len = text.iter().position(|b| matches!(b, b'=' | b';' | b',')).unwrap_or(text.len());
    let (name, rest) = (text[..len].trim_ascii(), &text[len..]);
    let Some(value) = rest.strip_prefix(b"=").map(<[u8]>::trim_ascii_start) else {
        return (name, Vec::new(), rest);
    };
    if value.first() != Some(&b'"') {
        let len = value.iter().position(|b| matches!(b, b';' | b',')).unwrap_or(value.len());
        return (name, value[..len].trim_ascii().to_vec(), &value[len..]);
    }
    let (mut out, mut at) = (Vec::new(), 1);
    while let Some(&b) = value.get(at) {
        at += 1;
        match b {
            b'"' => break,
            b'\\' if at < value.len() => {
                out.push(value[at]);
                at += 1;
            }
            b => out.push(b),
        }
    }
    (name, out, &value[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(found: Vec<&[u8]>) -> Vec<&str> {
        found.into_iter().map(|text| std::str::from_utf8(text).expect("ASCII")).collect()
    }

    #[test]
    fn candidates_of_images() {
        // (value, URLs): HTML, 4.8.4.2.1
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            (" , ", &[]),
            ("a.png", &["a.png"]),
            ("a.png 1x, b.png 2x", &["a.png", "b.png"]),
            ("a.png, b.png", &["a.png", "b.png"]),
            ("a.png,b.png", &["a.png,b.png"]),
            ("a.png ,b.png", &["a.png", "b.png"]),
            ("data:image/png,AA 1x,\n\tb.png 100w", &["data:image/png,AA", "b.png"]),
            ("a 1x (b, c), d", &["a", "d"]),
            ("a,, b", &["a", "b"]),
        ];
        for (value, urls) in table {
            assert_eq!(texts(candidates(value.as_bytes())), *urls, "{value}");
        }
    }

    #[test]
    fn refreshes() {
        // (value, URL): HTML, 4.2.5.3
        let table: &[(&str, Option<&str>)] = &[
            ("5", None),
            ("0;url=/a", Some("/a")),
            ("0; URL = '/a b' x", Some("/a b")),
            ("0,url=\"/a", Some("/a")),
            ("3.5 ; url=/a", Some("/a")),
            ("0 /a", Some("/a")),
            ("0;/a", Some("/a")),
            ("0;urls", Some("urls")),
            (".5;url=/a", Some("/a")),
            ("x;url=/a", None),
            ("0x;url=/a", None),
            ("", None),
            ("0;url=", None),
        ];
        for (value, url) in table {
            assert_eq!(refresh(value.as_bytes()), url.map(str::as_bytes), "{value}");
        }
    }

    #[test]
    fn links_of_headers() {
        // (value, targets and relations): RFC 8288, 3
        type Case = (&'static str, &'static [(&'static str, Option<&'static str>)]);
        let table: &[Case] = &[
            ("<a>", &[("a", None)]),
            ("<a>; rel=\"next\", <b>;rel=prev", &[("a", Some("next")), ("b", Some("prev"))]),
            ("<a>; title=\"x, <y>\"; REL=\"next start\"", &[("a", Some("next start"))]),
            ("<a>; rel=next; rel=last", &[("a", Some("next"))]),
            ("<a,b>;crossorigin;rel=preload,<c>", &[("a,b", Some("preload")), ("c", None)]),
            ("<a>; title=\"\\\"\"; rel=x", &[("a", Some("x"))]),
            ("<a> x, <b>", &[("a", None), ("b", None)]),
            ("a; rel=next", &[]),
            ("<a", &[]),
        ];
        for (value, links) in table {
            let found = header_links(value.as_bytes());
            let found: Vec<_> = found
                .iter()
                .map(|(target, rel)| {
                    let rel = rel.as_deref().map(|rel| std::str::from_utf8(rel).expect("ASCII"));
                    (std::str::from_utf8(target).expect("ASCII"), rel)
                })
                .collect();
            assert_eq!(found, *links, "{value}");
        }
    }
}
