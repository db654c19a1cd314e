//! Documents as some write them: bases in feeds, line ends of robots.txt, a tag too many in a sitemap.

use serde_json::json;
use urimill_testkit::reading::Row;

use super::{links, rows};

/// The column `uri` of each row, or `error` where there is one; in chunks of several sizes.
fn uris(what: &str, input: &str) -> Vec<String> {
    let read = |what: &str| -> Vec<String> {
        let text = |row: &Row, name: &str| row[name].as_str().map(str::to_owned);
        let rows = rows(what, input);
        rows.iter()
            .map(|row| text(row, "error").or_else(|| text(row, "uri")).unwrap_or("null".into()))
            .collect()
    };
    let found = read(what);
    for sizes in ["--chunk 1", "--chunk 150 --threads 3"] {
        assert_eq!(read(&format!("{what} {sizes}")), found, "{what} {sizes}: {input}");
    }
    found
}

#[test]
fn links_of_feeds_have_the_bases_around_them() {
    let entry = |attributes: &str, link: &str| format!("<entry{attributes}><link {link}/></entry>");
    let feed = |attributes: &str, rest: &str| format!("<feed{attributes}>{rest}</feed>");
    let own = " xml:base='http://a/b/'";
    let filler = format!(" x='{}'", "x".repeat(200_000));
    let nested = |count: usize| {
        let elements: String = (0..count).map(|n| format!("<x xml:base='{n}/'>")).collect();
        feed(own, &format!("{elements}{}{}", entry("", "href='c'"), "</x>".repeat(count)))
    };
    // (options, feed, its rows): RFC 4287, 2; XML Base, 3 and 4
    let table: Vec<(&str, String, &[&str])> = vec![
        ("", feed(own, &entry("", "href='c'")), &["http://a/b/c"]),
        ("--base http://z/", feed(own, &entry("", "href='c'")), &["http://a/b/c"]),
        ("--base http://z/", feed(" xml:base='y/'", &entry("", "href='c'")), &["http://z/y/c"]),
        ("--base http://z/", feed("", &entry("", "href='c'")), &["http://z/c"]),
        ("", feed("", &entry("", "href='c'")), &["c"]),
        // Without a base it is relative.
        ("", feed(" xml:base='y/'", &entry("", "href='c'")), &["base_not_absolute"]),
        ("", feed(own, &entry(" xml:base='d/'", "xml:base='e/' href='c'")), &["http://a/b/d/e/c"]),
        ("", feed(own, &entry(" xml:base='//x/'", "href='c'")), &["http://x/c"]),
        // One entry has it, and the next has none.
        (
            "--base http://z/",
            feed("", &[entry(own, "href='c'"), entry("", "href='d'")].concat()),
            &["http://a/b/c", "http://z/d"],
        ),
        // The base of an author ends with the author.
        (
            "--base http://z/",
            feed("", &format!("<author{own}><name>x</name></author>{}", entry("", "href='c'"))),
            &["http://z/c"],
        ),
        ("", feed(own, &entry(" xml:base=''", "href='?q'")), &["http://a/b/?q"]),
        // A tag that is longer than what is read at once.
        ("", feed(&[&filler, own].concat(), &entry("", "href='c'")), &["http://a/b/c"]),
        ("", feed(&[own, &filler].concat(), &entry("", "href='c'")), &["http://a/b/c"]),
        // Too long, and too many.
        (
            "",
            feed(&format!(" xml:base='http://a/{}'", "b".repeat(8000)), &entry("", "href='c'")),
            &["record_malformed"],
        ),
        ("", nested(3), &["http://a/b/0/1/2/c"]),
        ("", nested(16), &["record_malformed"]),
        (
            "",
            format!(
                "<rss><channel{own}><item><link>c</link></item><item><guid>d</guid></item></channel></rss>"
            ),
            &["http://a/b/c", "http://a/b/d"],
        ),
        // Another root is a row, and says a base as the right one does.
        (
            "",
            format!("<x{own} xmlns:y='http://example.com/y'><item><link>c</link></item></x>"),
            &["record_malformed", "http://a/b/c"],
        ),
        ("--spec whatwg --base http://z/", feed(" xml:base='y/'", &entry("", "href='c'")), &["http://z/y/c"]),
    ];
    for (options, feed, expected) in table {
        assert_eq!(uris(&format!("feed {options}"), &feed), expected, "{options} {feed}");
    }
}

#[test]
fn lines_of_robots_and_seeds_end_as_on_any_system() {
    // (the text, its rows): RFC 9309, 2.2: EOL = CR / LF / CR LF
    let table: &[(&str, &[&str])] = &[
        (
            "User-agent: *\rSitemap: http://h/1\rSitemap: http://h/2 # x\rSitemap: http://h/3",
            &["http://h/1", "http://h/2", "http://h/3"],
        ),
        (
            "Sitemap: http://h/1\r\nSitemap: http://h/2\n\rSitemap: http://h/3\r",
            &["http://h/1", "http://h/2", "http://h/3"],
        ),
        ("# a comment\rSitemap: http://h/1\n", &["http://h/1"]),
        ("\u{feff}Sitemap: http://h/1\n\u{feff}Sitemap: http://h/2\n", &["http://h/1", "http://h/2"]),
        ("Site-map: http://h/1\nnonsense\r", &["http://h/1", "record_malformed"]),
        // A colon that is missing, as Google's parser has it: one word follows a name that it knows.
        ("user-agent bot\ndisallow /\nsitemap http://h/1 # x\nsite-map\turn:x\n", &["http://h/1", "urn:x"]),
        (
            "a: b\nSitemap http://h/1 http://h/2\nfoo /bar\nDisallow\n",
            &["record_malformed", "record_malformed", "record_malformed"],
        ),
        ("Disallow /a:b\nsitemap : http://h/1\n", &["http://h/1"]),
    ];
    for (text, expected) in table {
        assert_eq!(uris("robots", text), *expected, "{text:?}");
    }
    assert_eq!(
        uris("seeds", "http://h/1\rhttp://h/2\tk=v\r\nhttp://h/3"),
        ["http://h/1", "http://h/2", "http://h/3"]
    );
    assert_eq!(rows("robots", "a: b\r\rSitemap: http://h/\r")[0]["record"], 3);
}

#[test]
fn bases_that_make_too_much_are_left_out() {
    let base = format!("<base href='http://h/{}/'>", "b".repeat(7900));
    // More references than are held in memory.
    let items = "c,".repeat(150_000);
    // (the page, the flag and the base of its last reference)
    let table = [
        (format!("{base}<applet codebase=a archive='{items}'>"), json!(["base_too_long", null])),
        (format!("{base}{}", "<a href=a>".repeat(2000)), json!(["base_too_long", null])),
        (format!("<applet codebase=http://h/a/ archive='{items}'>"), json!([null, "http://h/a/"])),
        (format!("<base href='http://h/{}/'><a href=a>", "b".repeat(8000)), json!(["base_too_long", null])),
    ];
    for (page, expected) in table {
        let rows = links("html --columns base --keep page_flags", &page);
        let row = rows.last().expect("a row");
        assert_eq!(json!([row["page_flags"], row["base"]]), expected, "{}", &page[page.len() - 40..]);
    }
}

#[test]
fn a_record_of_a_sitemap_may_be_within_its_location() {
    let map = |rest: &str| format!("<urlset>{rest}</urlset>");
    // (the contents of the root, its rows): seen in sitemaps, and in the tests of crawler-commons
    let table: &[(&str, &[&str])] = &[
        (
            "<url><loc><url>http://h/1</url></loc><priority>1</priority></url><url><loc>http://h/2</loc></url>",
            &["http://h/1", "http://h/2"],
        ),
        ("<url><loc> <url><![CDATA[http://h/?a&b]]></url> </loc></url>", &["http://h/?a&b"]),
        // An end tag is missing: the next record is whole.
        ("<url><loc>http://h/1<url><loc>http://h/2</loc></url>", &["record_malformed", "http://h/2"]),
        ("<url><loc>http://h/1</loc><url><loc>http://h/2</loc></url>", &["record_malformed", "http://h/2"]),
        ("<url><loc><url>http://h/1</url>x</loc></url>", &["record_malformed"]),
        // Without the element of the location.
        (
            "<url>\nhttp://h/?a&amp;b\n</url><url><![CDATA[http://h/2]]></url>",
            &["http://h/?a&b", "http://h/2"],
        ),
        ("<url>h/1</url><url a='b'>http://h/2</url>", &["record_malformed", "record_malformed"]),
        (
            "<url>http://h/1 x</url><url>http://h/2<priority>1</priority></url>",
            &["record_malformed", "record_malformed"],
        ),
    ];
    for (text, expected) in table {
        assert_eq!(uris("sitemap", &map(text)), *expected, "{text}");
    }
}

#[test]
fn entries_have_moments_of_any_vocabulary() {
    // (elements of an item, published, updated): those of RSS, Dublin Core and its terms
    let table = [
        ("<pubDate>Wed, 31 Dec 2003 10:14:55 GMT</pubDate>", json!("2003-12-31T10:14:55Z"), json!(null)),
        ("<dc:date>2003-12-31T10:14:55Z</dc:date>", json!("2003-12-31T10:14:55Z"), json!(null)),
        (
            "<dcterms:issued>2003-12-31</dcterms:issued><dcterms:modified>2004-01-01</dcterms:modified>",
            json!("2003-12-31T00:00:00Z"),
            json!("2004-01-01T00:00:00Z"),
        ),
    ];
    for (elements, published, updated) in table {
        let feed = format!("<rss><item><link>http://h/</link>{elements}</item></rss>");
        let row = &rows("feed", &feed)[0];
        assert_eq!((&row["published"], &row["updated"]), (&published, &updated), "{elements}");
    }
}
