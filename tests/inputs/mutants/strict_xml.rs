//! A strict reader of XML, as far as the seeds need it: elements, attributes, text, references, comments, CDATA, and
//! instructions before the root.

/// An element.
#[derive(Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    pub(super) children: Vec<Element>,
    /// The element's own text, without that of its children.
    pub(super) text: String,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }
}

/// The root of a document, if the document is whole.
pub(super) fn root(mut text: &str) -> Option<Element> {
    loop {
        text = text.trim_start_matches(is_space);
        if let Some(rest) = text.strip_prefix("<?") {
            text = rest.split_once("?>")?.1;
        } else if let Some(rest) = text.strip_prefix("<!--") {
            text = rest.split_once("-->")?.1;
        } else {
            break;
        }
    }
    let root = element(&mut text)?;
    text.trim_start_matches(is_space).is_empty().then_some(root)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_' | '.')
}

fn name(text: &mut &str) -> Option<String> {
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    *text = rest;
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then(|| name.to_owned())
}

fn element(text: &mut &str) -> Option<Element> {
    *text = text.strip_prefix('<')?;
    let mut element = Element { name: name(text)?, ..Element::default() };
    loop {
        let rest = text.trim_start_matches(is_space);
        if let Some(rest) = rest.strip_prefix("/>") {
            *text = rest;
            return Some(element);
        }
        if let Some(rest) = rest.strip_prefix('>') {
            *text = rest;
            break;
        }
        // White space precedes an attribute.
        if rest.len() == text.len() {
            return None;
        }
        *text = rest;
        let name = name(text)?;
        let rest = text.strip_prefix('=')?;
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, rest) = rest[1..].split_once(quote)?;
        *text = rest;
        if value.contains(['<', '\t', '\r', '\n']) || element.attribute(&name).is_some() {
            return None;
        }
        element.attributes.push((name, resolved(value)?));
    }
    loop {
        let end = text.find('<')?;
        let (before, rest) = text.split_at(end);
        if before.contains("]]>") || before.contains('\r') {
            return None;
        }
        element.text.push_str(&resolved(before)?);
        *text = rest;
        if let Some(rest) = rest.strip_prefix("</") {
            *text = rest;
            let is_own = name(text)? == element.name;
            *text = text.trim_start_matches(is_space).strip_prefix('>')?;
            return is_own.then_some(element);
        }
        if let Some(rest) = rest.strip_prefix("<!--") {
            let (comment, rest) = rest.split_once("-->")?;
            if comment.contains("--") || comment.ends_with('-') {
                return None;
            }
            *text = rest;
        } else if let Some(rest) = rest.strip_prefix("<![CDATA[") {
            let (own, rest) = rest.split_once("]]>")?;
            element.text.push_str(own);
            *text = rest;
        } else {
            element.children.push(self::element(text)?);
        }
    }
}

/// A text with its references resolved; `None` if a reference is malformed.
fn resolved(text: &str) -> Option<String> {
    let mut pieces = text.split('&');
    let mut out = pieces.next()?.to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once(';')?;
        out.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "apos" => '\'',
            _ => return None,
        });
        out.push_str(rest);
    }
    let is_allowed = |c: char| c >= ' ' || is_space(c);
    out.chars().all(is_allowed).then_some(out)
}
