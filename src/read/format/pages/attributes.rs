//! The attributes to which the HTML Standard gives URLs, also those that it calls obsolete, and how their values hold
//! them.

/// How a value holds references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// It is one.
    One,
    /// Several, with white space between.
    List,
    /// Several, with commas between.
    Commas,
    /// Candidates with descriptors: `srcset`.
    Candidates,
    /// Declarations of CSS.
    Style,
    /// It is a document.
    Html,
    /// Of `meta`, if that refreshes the page: a number, then one.
    Refresh,
}

/// An attribute, the elements on which it holds references (none: on every one), and how.
struct Row(&'static str, &'static [&'static str], Holds);

/// By the index of attributes in the standard, then its section on obsolete features and HTML 4.01, then SVG and MathML.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row("action", &["form", "isindex"], Holds::One),
    Row("cite", &["blockquote", "del", "ins", "q"], Holds::One),
    Row("content", &["meta"], Holds::Refresh),
    Row("data", &["object"], Holds::One),
    Row("formaction", &["button", "input"], Holds::One),
    Row("href", &["a", "area", "base", "link"], Holds::One),
    Row("imagesrcset", &["link"], Holds::Candidates),
    Row("itemid", &[], Holds::One),
    Row("itemtype", &[], Holds::List),
    Row("ping", &["a", "area"], Holds::List),
    Row("poster", &["video"], Holds::One),
    Row("src", &["audio", "embed", "iframe", "img", "input", "script", "source", "track", "video"], Holds::One),
    Row("srcdoc", &["iframe"], Holds::Html),
    Row("srcset", &["img", "source"], Holds::Candidates),
    Row("style", &[], Holds::Style),
    // 16.2, and HTML 4.01
    Row("archive", &["object"], Holds::List),
    Row("archive", &["applet"], Holds::Commas),
    Row("background", &["body", "table", "tbody", "td", "tfoot", "th", "thead", "tr"], Holds::One),
    Row("classid", &["object"], Holds::One),
    Row("code", &["applet"], Holds::One),
    Row("codebase", &["applet", "object"], Holds::One),
    Row("dynsrc", &["img"], Holds::One),
    Row("longdesc", &["frame", "iframe", "img"], Holds::One),
    Row("lowsrc", &["img"], Holds::One),
    Row("manifest", &["html"], Holds::One),
    Row("profile", &["head"], Holds::List),
    Row("src", &["bgsound", "frame", "layer", "portal", "xml"], Holds::One),
    Row("usemap", &["img", "input", "object"], Holds::One),
    // SVG 2, 16.1; MathML 3, 2.1.6. The parser makes `img` of `image` outside SVG.
    Row("href", &[
        "altglyph", "animate", "animatecolor", "animatemotion", "animatetransform", "cursor", "discard", "feimage",
        "filter", "font-face-uri", "glyphref", "image", "lineargradient", "math", "maction", "mglyph", "mi", "mn", "mo",
        "mpath", "mrow", "mtext", "pattern", "radialgradient", "script", "set", "textpath", "tref", "use",
    ], Holds::One),
    Row("src", &["mglyph"], Holds::One),
    Row("xlink:href", &[], Holds::One),
];

/// An attribute that is kept while its tag is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name(pub(super) &'static str);

/// The attribute of this name, in lower case, if it matters on some element: it holds references, or says something about
/// them. Most attributes do not, so this is a comparison by length first, not a search of the table.
pub(super) fn known(name: &[u8]) -> Option<Name> {
    Some(Name(match name {
        b"action" => "action",
        b"alt" => "alt",
        b"archive" => "archive",
        b"background" => "background",
        b"cite" => "cite",
        b"classid" => "classid",
        b"code" => "code",
        b"codebase" => "codebase",
        b"content" => "content",
        b"data" => "data",
        b"dynsrc" => "dynsrc",
        b"formaction" => "formaction",
        b"href" => "href",
        b"http-equiv" => "http-equiv",
        b"imagesrcset" => "imagesrcset",
        b"itemid" => "itemid",
        b"itemtype" => "itemtype",
        b"longdesc" => "longdesc",
        b"lowsrc" => "lowsrc",
        b"manifest" => "manifest",
        b"ping" => "ping",
        b"poster" => "poster",
        b"profile" => "profile",
        b"rel" => "rel",
        b"src" => "src",
        b"srcdoc" => "srcdoc",
        b"srcset" => "srcset",
        b"style" => "style",
        b"usemap" => "usemap",
        b"xlink:href" => "xlink:href",
        _ => return None,
    }))
}

/// How an attribute of an element holds references, if it does.
pub(super) fn holds(element: &[u8], Name(name): Name) -> Option<Holds> {
    let is_on =
        |elements: &[&str]| elements.is_empty() || elements.iter().any(|known| known.as_bytes() == element);
    TABLE.iter().find(|row| row.0 == name && is_on(row.1)).map(|row| row.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_of_the_table_is_known() {
        for row in TABLE {
            assert_eq!(known(row.0.as_bytes()), Some(Name(row.0)));
        }
        assert_eq!(known(b"class"), None);
    }
}
