//! The attributes that hold URLs by the HTML Standard, obsolete ones too, and the form in which their values hold them.

/// How a value holds references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// One reference; an empty value is the document itself.
    One,
    /// The same, but an empty value is the URI of the document, whatever a `base` says (4.10.21.3).
    Action,
    /// One reference, or nothing: an empty value is not fetched.
    Filled,
    /// Like `Filled`, but resolved against the URI of the document: no `base` can come before it (HTML 5, 8.2.5.4.2).
    FilledOfDocument,
    /// The name of a map in the document after a `#` (2.3.8). A `base` does not change it.
    Map,
    /// Several, with white space between them.
    List,
    /// Several, with white space between them, that are names: they are not resolved, and those without a scheme are
    /// not URIs (5.2.2).
    Names,
    /// Several, with commas between them.
    Commas,
    /// Candidates with descriptors: `srcset`.
    Candidates,
    /// Declarations of CSS.
    Style,
    /// A document.
    Html,
    /// The content of a `meta`: a number and a reference, if it refreshes the page; a reference, if it is a property
    /// whose values are URIs.
    Content,
}

/// An attribute, the elements on which it holds references (an empty list: on all), and the form of its values.
struct Row(&'static str, &'static [&'static str], Holds);

/// By the index of attributes in the standard, then its section on obsolete features and HTML 4.01, then SVG and MathML.
#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row("action", &["form", "isindex"], Holds::Action),
    Row("cite", &["blockquote", "del", "ins", "q"], Holds::One),
    Row("content", &["meta"], Holds::Content),
    Row("data", &["object"], Holds::Filled),
    Row("formaction", &["button", "input"], Holds::Action),
    Row("href", &["a", "area", "base"], Holds::One),
    Row("href", &["link"], Holds::Filled),
    Row("imagesrcset", &["link"], Holds::Candidates),
    Row("itemid", &[], Holds::One),
    Row("itemtype", &[], Holds::Names),
    Row("ping", &["a", "area"], Holds::List),
    Row("poster", &["video"], Holds::Filled),
    Row("src", &["audio", "embed", "iframe", "img", "input", "script", "source", "track", "video"], Holds::Filled),
    Row("srcdoc", &["iframe"], Holds::Html),
    Row("srcset", &["img", "source"], Holds::Candidates),
    Row("style", &[], Holds::Style),
    // 16.2, and HTML 4.01
    Row("archive", &["object"], Holds::List),
    Row("archive", &["applet"], Holds::Commas),
    Row("background", &["body", "table", "tbody", "td", "tfoot", "th", "thead", "tr"], Holds::Filled),
    Row("background", &["ilayer", "layer"], Holds::Filled),
    Row("classid", &["object"], Holds::Filled),
    Row("code", &["applet"], Holds::Filled),
    Row("codebase", &["applet", "object"], Holds::Filled),
    Row("dynsrc", &["img"], Holds::Filled),
    Row("longdesc", &["frame", "iframe", "img"], Holds::Filled),
    Row("lowsrc", &["img"], Holds::Filled),
    Row("manifest", &["html"], Holds::FilledOfDocument),
    Row("object", &["applet"], Holds::Filled),
    Row("profile", &["head"], Holds::List),
    Row("src", &["bgsound", "frame", "ilayer", "layer", "portal", "xml"], Holds::Filled),
    Row("usemap", &["img", "input", "object"], Holds::Map),
    // SVG 2, 16.1; MathML 3, 2.1.6. The parser makes `img` of `image` outside SVG.
    Row("href", &["maction", "math", "mglyph", "mi", "mn", "mo", "mrow", "mtext"], Holds::One),
    Row("href", &[
        "altglyph", "animate", "animatecolor", "animatemotion", "animatetransform", "cursor", "discard", "feimage",
        "filter", "font-face-uri", "glyphref", "image", "lineargradient", "mpath", "pattern", "radialgradient",
        "script", "set", "textpath", "tref", "use",
    ], Holds::Filled),
    Row("src", &["mglyph"], Holds::Filled),
    Row("xlink:href", &["a", "maction", "math", "mi", "mn", "mo", "mrow", "mtext"], Holds::One),
    Row("xlink:href", &[], Holds::Filled),
];

/// Whether an attribute is resolved against the `codebase` of its element (HTML 4.01, 13.3 and 13.4). `data` of an
/// `object` is not: it is in the HTML Standard, which has no `codebase`.
pub(super) fn is_in_codebase(element: &[u8], Name(name): Name) -> bool {
    match element {
        b"applet" => matches!(name, "archive" | "code" | "object"),
        b"object" => matches!(name, "archive" | "classid"),
        _ => false,
    }
}

/// An attribute that is kept while its tag is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name(pub(super) &'static str);

/// The attribute of this name, in lower case, if it matters on some element: it holds references, or describes them.
/// Most attributes do not, so this compares lengths first and does not search the table.
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
        b"itemprop" => "itemprop",
        b"itemtype" => "itemtype",
        b"longdesc" => "longdesc",
        b"lowsrc" => "lowsrc",
        b"manifest" => "manifest",
        b"name" => "name",
        b"object" => "object",
        b"ping" => "ping",
        b"poster" => "poster",
        b"profile" => "profile",
        b"property" => "property",
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

/// The form in which an attribute of an element holds references, if it does.
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
