//! The references that `html` finds in pages, by the sections of the HTML Standard.

use super::html::read;
use super::link::Links;
use super::reference::{Against, Link};

/// `element attribute reference`, then the text and the relation if there are any.
fn rows(page: &str) -> (Vec<String>, Option<String>) {
    let mut links = Links::default();
    read(page, &mut links, &mut |_: Option<&str>, base: &[u8]| {
        Some(format!("http://h/{}", String::from_utf8_lossy(base)))
    });
    let name = |span| String::from_utf8_lossy(links.get(span));
    let row = |link: &Link| {
        let named = |span: Option<_>| span.map_or("-".into(), name);
        let mut row = format!("{} {} {}", named(link.element), named(link.attribute), name(link.raw));
        for (mark, span) in [('=', link.text), ('@', link.rel)] {
            if let Some(span) = span {
                row.push_str(&format!(" {mark}{}", name(span)));
            }
        }
        row
    };
    (links.list.iter().map(row).collect(), links.document.clone())
}

#[test]
fn references_of_pages() {
    // (page, references): HTML, 13.2 and the index of attributes
    let table: &[(&str, &[&str])] = &[
        ("<a href=b>c</a>", &["a href b =c"]),
        ("<A HREF='b&amp;c&#x2f;'>", &["a href b&c/"]),
        ("<a href=\" b\n\tc \">", &["a href bc"]),
        ("<a href>x", &["a href  =x"]),
        ("<a href=b href=c>", &["a href b"]),
        ("<a class=x>b</a><p href=c>", &[]),
        ("<a href=b>c<a href=d>e</a>f", &["a href b =c", "a href d =e"]),
        ("<a href=b> c\n <b>d</b> &lt;</a>", &["a href b =c d <"]),
        ("<a href=b>c<script>'d'</script><style>e</style><textarea>f</textarea>g</a>", &["a href b =cg"]),
        (
            "<a href=b rel='NoFollow  Tag' ping='c d'>",
            &["a href b @nofollow tag", "a ping c @nofollow tag", "a ping d @nofollow tag"],
        ),
        (
            "<img src=a srcset='b 1x, c 2x' alt=' d  e '>",
            &["img src a =d e", "img srcset b =d e", "img srcset c =d e"],
        ),
        ("<image src=a>", &["img src a"]),
        (
            "<link rel=preload imagesrcset='a 1x' href=b>",
            &["link imagesrcset a @preload", "link href b @preload"],
        ),
        (
            "<form action=a><button formaction=b><input formaction=c src=d>",
            &["form action a", "button formaction b", "input formaction c", "input src d"],
        ),
        (
            "<video poster=a src=b><source src=c><track src=d></video>",
            &["video poster a", "video src b", "source src c", "track src d"],
        ),
        (
            "<object data=a classid=b codebase=c archive='d e'><applet archive='f, g'>",
            &[
                "object data a",
                "object classid b",
                "object codebase c",
                "object archive d",
                "object archive e",
                "applet archive f",
                "applet archive g",
            ],
        ),
        ("<q cite=a><del cite=b><div cite=c>", &["q cite a", "del cite b"]),
        ("<meta http-equiv=Refresh content='0;url=a'><meta content='0;url=b'>", &["meta content a"]),
        (
            "<div style='a:url(b)' itemid=c itemtype='http://d/ e'>",
            &["div style b", "div itemid c", "div itemtype http://d/"],
        ),
        // An empty value of these is not fetched; for a form, a link and a quotation it is the page itself.
        (
            "<table><tr background><body background=''><img src longdesc lowsrc dynsrc usemap><link href=' '><script src>\
             </script><iframe src></iframe><video src poster><source src><track src><audio src><embed src><object data \
             classid codebase archive><input src><bgsound src><frame src><applet code codebase archive><html manifest>\
             <svg><image href /><use xlink:href /></svg>",
            &[],
        ),
        (
            "<a href><area href><form action><button formaction><q cite><div itemid><svg><a xlink:href></a></svg>",
            &[
                "a href ",
                "area href ",
                "form action ",
                "button formaction ",
                "q cite ",
                "div itemid ",
                "a xlink:href ",
            ],
        ),
        // References that crawlers follow: the properties of a page (Open Graph, schema.org).
        (
            "<meta property=og:image content=' a '><meta name=twitter:player content=b><meta itemprop='x url' content=c>\
             <meta property=og:image:width content=9><meta name=description content=d><meta property=og:url content>",
            &["meta content a @og:image", "meta content b @twitter:player", "meta content c @x url"],
        ),
        ("<style>@import 'a';b{c:url(d)}</style x><p>", &["style @import a", "style url() d"]),
        ("<style>a{b:url(c)}", &["style url() c"]),
        (
            "<html manifest=a><head profile='b c'><body background=d>",
            &["html manifest a", "head profile b", "head profile c", "body background d"],
        ),
        // Elements that hold only text (13.2.6.4, scripting disabled).
        ("<script><a href=b></script><a href=c>", &["a href c"]),
        ("<title><a href=b></title><textarea><a href=b></textarea><a href=c>", &["a href c"]),
        ("<iframe src=a><a href=b></iframe><noframes><a href=b></noframes>", &["iframe src a"]),
        ("<noscript><img src=a></noscript>", &["img src a"]),
        ("<!-- <a href=b> --><![CDATA[<a href=c>]]>", &[]),
        ("<plaintext><a href=b>", &[]),
        ("</a href=b><a href=c/>", &["a href c/"]),
        ("<a href=b", &[]),
        // SVG and MathML (13.2.6.5).
        (
            "<svg><title/><a xlink:href=b></a><use href=c /><![CDATA[<a href=d>]]></svg>",
            &["a xlink:href b", "use href c"],
        ),
        ("<svg><style>a{b:url(c)}</style><image href=d /></svg>", &["style url() c", "image href d"]),
        ("<svg><script/><a href=b></svg>", &["a href b"]),
        (
            "<svg><foreignObject><title><a href=b></title></foreignObject><title>x</title><a href=c>",
            &["a href c"],
        ),
        ("<svg><p><title><a href=b></title>", &[]),
        // A style sheet in SVG is ordinary text (13.2.6.5); in HTML it is not.
        (
            "<svg><style>@import url(b?c&amp;d);e{f:url(&quot;g&quot;)}</style></svg><style>h{i:url(j&amp;k)}</style>",
            &["style @import b?c&d", "style url() g", "style url() j&amp;k"],
        ),
        ("<svg><style><![CDATA[a{b:url(c&amp;d)}]]></style>", &["style url() c&amp;d"]),
        // A document in an attribute, four deep at most.
        (
            "<iframe srcdoc=\"<a href='b?c&amp;amp;d'>e</a><base href=/f/>\" src=g></iframe>",
            &["a href b?c&d =e", "base href /f/", "iframe src g"],
        ),
        ("<div srcdoc='<a href=b>'>", &[]),
        ("<math href=a><mi href=b>x</mi></math>", &["math href a", "mi href b"]),
    ];
    for (page, expected) in table {
        assert_eq!(rows(page).0, *expected, "{page}");
    }
}

#[test]
fn the_first_base_with_an_href_counts() {
    // (page, the base): HTML, 4.2.3
    for (page, base) in [
        ("<a href=b>", None),
        ("<base target=x><base href=' a '><base href=c>", Some("http://h/a")),
        ("<a href=b></a><p><base href=c>", Some("http://h/c")),
        ("<title><base href=a></title>", None),
        // The contents of a template are not in the document (4.12.3); in SVG it is another element.
        ("<template><p><base href=a></template><base href=b>", Some("http://h/b")),
        ("<template><template></template><base href=a>", None),
        ("</template><base href=a>", Some("http://h/a")),
        ("<svg><base href=a></svg><base href=b>", Some("http://h/b")),
        ("<svg><title><base href=a></title></svg>", Some("http://h/a")),
        // Among frames it is ignored (13.2.6.4.20); in a body there are none.
        ("<frameset><base href=a></frameset>", None),
        ("<body><frameset><base href=a>", Some("http://h/a")),
    ] {
        assert_eq!(rows(page).1.as_deref(), base, "{page}");
    }
}

#[test]
fn positions_are_those_of_values() {
    for (page, at) in [
        ("<a href=b>", 8),
        ("é<a href=\"b\">", 11),
        ("\r\n<a\r\nhref = 'b'>", 14),
        ("<a id='&amp;&notit;' href=b>", 26),
        ("<style>\r\n@import 'a'", 18),
        ("<svg><style>b{c:url(a)}", 20),
        ("<svg><style>b{c:url(a&amp;d)}", 12),
    ] {
        let mut links = Links::default();
        read(page, &mut links, &mut |_, _| None);
        let found: Vec<_> = links.list.iter().map(|link| link.position).collect();
        assert_eq!(found, [Some(at)], "{page:?}");
    }
}

#[test]
fn words_are_cut_at_a_character() {
    let page = format!("<a href=b>{}é</a>", "x ".repeat(511) + "x");
    let mut links = Links::default();
    read(&page, &mut links, &mut |_, _| None);
    assert_eq!(links.list[0].text.map(|text| text.len), Some(1023));
}

#[test]
fn documents_in_attributes_have_bases_of_their_own() {
    // (page, reference and the base against which it is resolved): HTML, 4.8.5 and 2.4.3
    let table: &[(&str, &[&str])] = &[
        ("<iframe srcdoc='<a href=b>'>", &["b outer"]),
        (
            "<base href=//h/><iframe srcdoc='<a href=b>'></iframe><a href=c>",
            &["//h/ outer", "b document", "c document"],
        ),
        (
            "<iframe srcdoc='<a href=b><base href=c>'></iframe><a href=d><base href=//h/>",
            &["b >c", "c document", "d document", "//h/ outer"],
        ),
        (
            "<base href=//h/><iframe srcdoc='<base href=c><a href=b>'>",
            &["//h/ outer", "c document", "b //h/>c"],
        ),
        // Attributes with a base of their own: HTML 4.01, 13.3 and 13.4; 2.3.8 and 8.2.5.4.2 of HTML 5.
        (
            "<applet codebase=c code=a archive='d,e'><applet code=f><base href=//h/>",
            &["c document", "a //h/>c", "d //h/>c", "e //h/>c", "f document", "//h/ outer"],
        ),
        ("<object codebase=c classid=a archive=b data=d>", &["c outer", "a >c", "b >c", "d outer"]),
        ("<base href=//h/><html manifest=a><img usemap=x#m>", &["//h/ outer", "a outer", "#m outer"]),
        // 4.10.21.3 of the HTML Standard.
        (
            "<base href=//h/><form action><button formaction=''><form action=a><q cite><a href>",
            &["//h/ outer", " outer", " outer", "a document", " document", " document"],
        ),
    ];
    for (page, expected) in table {
        let mut links = Links::default();
        read(page, &mut links, &mut |within, said| {
            let said = String::from_utf8_lossy(said);
            Some(if said.starts_with('/') {
                said.into_owned()
            } else {
                format!("{}>{said}", within.unwrap_or(""))
            })
        });
        let against = |link: &Link| match link.against {
            Against::Outer => "outer".to_owned(),
            Against::Document if links.document.is_none() => "outer".to_owned(),
            Against::Document => "document".to_owned(),
            Against::Element(number) => links.bases[number as usize].0.clone(),
        };
        let rows: Vec<_> = links
            .list
            .iter()
            .map(|link| format!("{} {}", String::from_utf8_lossy(links.get(link.raw)), against(link)))
            .collect();
        assert_eq!(rows, *expected, "{page}");
    }
}
