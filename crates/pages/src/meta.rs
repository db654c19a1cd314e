//! The properties of a page in elements `meta` whose values are URIs: those of Open Graph, of Twitter's cards, of
//! schema.org and of scholarly papers. Crawlers follow them; the HTML Standard does not define them.

/// Values of `property` and `name`: the prefix of a vocabulary and its properties.
const PROPERTIES: &[(&str, &[&str])] = &[
    (
        "og:",
        &[
            "audio",
            "audio:secure_url",
            "audio:url",
            "image",
            "image:secure_url",
            "image:url",
            "logo",
            "see_also",
            "url",
            "video",
            "video:secure_url",
            "video:url",
        ],
    ),
    ("article:", &["author", "publisher"]),
    ("book:", &["author"]),
    ("music:", &["album", "creator", "musician", "song"]),
    ("video:", &["actor", "director", "series", "writer"]),
    (
        "twitter:",
        &["image", "image0", "image1", "image2", "image3", "image:src", "player", "player:stream", "url"],
    ),
    (
        "msapplication-",
        &[
            "config",
            "square150x150logo",
            "square310x310logo",
            "square70x70logo",
            "starturl",
            "tileimage",
            "wide310x150logo",
        ],
    ),
    (
        "citation_",
        &["abstract_html_url", "fulltext_html_url", "full_html_url", "pdf_url", "public_url", "xml_url"],
    ),
    ("", &["thumbnail"]),
];

/// Values of `itemprop`: properties of schema.org, in lower case.
const ITEM_PROPERTIES: &[&str] = &[
    "contenturl",
    "discussionurl",
    "downloadurl",
    "embedurl",
    "image",
    "installurl",
    "isbasedonurl",
    "logo",
    "paymenturl",
    "replytourl",
    "sameas",
    "screenshot",
    "thumbnail",
    "thumbnailurl",
    "trackingurl",
    "url",
];

/// The property that makes the content of a `meta` a reference, from its attributes `property`, `name` and `itemprop`.
pub(super) fn property([property, name, itemprop]: [Option<&[u8]>; 3]) -> Option<&[u8]> {
    let named = property.filter(|name| is_reference(name)).or(name.filter(|name| is_reference(name)));
    named.or(itemprop.filter(|names| is_item_reference(names)))
}

/// Whether the content of a `meta` with this `property` or `name` is a reference.
fn is_reference(name: &[u8]) -> bool {
    let name = name.trim_ascii().to_ascii_lowercase();
    let is_one = |prefix: &str, names: &[&str]| {
        let rest = name.strip_prefix(prefix.as_bytes());
        rest.is_some_and(|rest| names.iter().any(|known| known.as_bytes() == rest))
    };
    PROPERTIES.iter().any(|(prefix, names)| is_one(prefix, names))
}

/// The same for `itemprop`, a list of names; those of schema.org may have its URI before them.
fn is_item_reference(names: &[u8]) -> bool {
    names.split(u8::is_ascii_whitespace).any(|name| {
        let name = name.rsplit(|&b| b == b'/').next().unwrap_or(name).to_ascii_lowercase();
        ITEM_PROPERTIES.iter().any(|known| known.as_bytes() == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_whose_values_are_references() {
        let table = [
            ("og:url", true),
            ("OG:Image", true),
            ("og:image:secure_url", true),
            ("og:video", true),
            ("og:video:height", false),
            ("og:video:type", false),
            ("og:title", false),
            ("twitter:image", true),
            ("twitter:site", false),
            ("twitter:player:stream", true),
            ("video:actor", true),
            ("video:tag", false),
            ("citation_pdf_url", true),
            ("citation_title", false),
            ("description", false),
            ("strangeproperty", false),
            ("", false),
        ];
        for (name, expected) in table {
            assert_eq!(is_reference(name.as_bytes()), expected, "{name}");
        }
        let table = [
            ("url", true),
            ("name contentUrl", true),
            ("https://schema.org/image", true),
            ("name", false),
            ("", false),
        ];
        for (names, expected) in table {
            assert_eq!(is_item_reference(names.as_bytes()), expected, "{names}");
        }
    }
}
