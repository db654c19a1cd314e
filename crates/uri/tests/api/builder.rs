//! The builder encodes each part for its component, and makes nothing that the parser would read in another way.

use urimill_uri::encode::decode;
use urimill_uri::{Uri, UriBuilder, UriRef};

#[test]
fn parts_are_encoded_for_their_components() {
    let new = Uri::builder;
    let cases: [(UriBuilder, &str); 21] = [
        (new(), ""),
        (new().scheme("urn").path("isbn:1"), "urn:isbn:1"),
        (new().scheme("http").host("h"), "http://h"),
        (new().host("h").path("/"), "//h/"),
        (new().scheme("HTTP").host("Example").path("/A"), "HTTP://Example/A"),
        (new().scheme("a").host(""), "a://"),
        (new().scheme("file").host("").path("/etc"), "file:///etc"),
        (new().host("h").userinfo("u:p@q/"), "//u:p%40q%2F@h"),
        (new().host("bücher").port(0), "//b%C3%BCcher:0"),
        (new().host("b%C3%BCcher_1!"), "//b%C3%BCcher_1!"),
        (new().host("[::1]").host("[v1.a:b]"), "//[v1.a:b]"),
        (new().address([192, 0, 2, 1].into()), "//192.0.2.1"),
        (new().address([0, 0, 0, 0, 0, 0, 0, 1].into()).port(80), "//[::1]:80"),
        (new().path("a b/c?d#e%41"), "a%20b/c%3Fd%23e%2541"),
        (new().segments(["a/b", "", "c;d"]), "/a%2Fb//c;d"),
        (new().path("x").segments::<[&str; 0]>([]), ""),
        (new().query("a=b&c?/#"), "?a=b&c?/%23"),
        (new().query_pair("a b", "c&d").query_pair("", "+="), "?a%20b=c%26d&=%2B%3D"),
        (new().query("x").query_pair("y", "z"), "?x&y=z"),
        (new().fragment("a#b"), "#a%23b"),
        (new().query("").fragment(""), "?#"),
    ];
    for (builder, expected) in cases {
        let uri = builder.build().unwrap();
        assert_eq!(uri, expected);
        assert_eq!(UriRef::parse(expected).unwrap(), uri.as_uri_ref());
    }
}

#[test]
fn a_path_is_never_read_as_something_else() {
    let new = Uri::builder;
    // RFC 3986, 3.3 and 4.2.
    let cases: [(UriBuilder, &str, &str); 6] = [
        (new().path("//a"), "/.//a", "/.//a"),
        (new().scheme("s").path("//a"), "s:/.//a", "/.//a"),
        (new().host("h").path("//a"), "//h//a", "//a"),
        (new().path("a:b/c"), "./a:b/c", "./a:b/c"),
        (new().path("a/b:c"), "a/b:c", "a/b:c"),
        (new().segments(["", "a"]), "/.//a", "/.//a"),
    ];
    for (builder, expected, path) in cases {
        let uri = builder.build().unwrap();
        assert_eq!((uri.as_str(), uri.path()), (expected, path));
    }
}

#[test]
fn what_cannot_be_expressed_is_refused_with_the_reason() {
    let new = Uri::builder;
    let cases: [(UriBuilder, &str); 20] = [
        // RFC 3986, 3.2.2.
        (new().host("example.com:80"), "a colon begins a port, which is a part of its own"),
        (new().host("::1"), "an IPv6 address, which has brackets (byte 0"),
        (
            new().host("me@example.com"),
            "an @ ends user information, which is a part of its own, not of the host (byte 2",
        ),
        (new().host("http://h"), "\"http://h\" is no host"),
        (new().host("ex ample"), "it cannot have ' ' (byte 2"),
        (new().host("h/a"), "it cannot have '/' (byte 1"),
        (new().host("h\n"), "(byte 1"),
        (new().host("100%"), "a percent sign needs two hexadecimal digits after it (byte 3"),
        (new().host("a%E9b"), "not UTF-8"),
        (new().host("[::1]:80"), "text follows the closing bracket (byte 5"),
        (new().host("[::g]"), "the IP literal in brackets is malformed (byte 3"),
        (new().scheme(""), "\"\" is no scheme"),
        (new().scheme("1a"), "\"1a\" is no scheme"),
        (new().scheme("a b"), "\"a b\" is no scheme"),
        (new().scheme("ä"), "\"ä\" is no scheme"),
        (new().userinfo("u"), "need a host"),
        (new().port(80).path("/a"), "need a host"),
        (new().host("h").path("a"), "does not begin with a slash"),
        (new().segments(["a", ".."]), "\"..\" cannot be a segment"),
        (new().segments(["."]).path("/b"), "\".\" cannot be a segment"),
    ];
    for (builder, expected) in cases {
        let error = builder.clone().build().expect_err(expected);
        assert!(error.to_string().contains(expected), "{builder:?}: {error}");
    }
}

/// Every byte of data comes back from its component.
#[test]
fn data_comes_back() {
    let data: String = (0..0x250_u32).filter_map(char::from_u32).collect();
    let uri = Uri::builder()
        .scheme("s")
        .userinfo(&data)
        .host("h")
        .segments([data.as_str()])
        .query_pair(&data, &data)
        .fragment(&data)
        .build()
        .unwrap();
    let decoded = |text: &str| String::from_utf8(decode(text).unwrap().into_owned()).unwrap();
    let pair = uri.query_pairs().next().unwrap();
    let parts = [uri.userinfo(), uri.path().strip_prefix('/'), Some(pair.0), pair.1, uri.fragment()];
    for part in parts {
        assert_eq!(decoded(part.unwrap()), data);
    }
}

#[test]
fn debug_shows_the_parts_but_no_password() {
    let shown = format!("{:?}", Uri::builder().host("h").userinfo("joe:secret").path("/a"));
    assert!(shown.starts_with("UriBuilder {") && shown.contains("joe:***") && shown.contains("\"/a\""));
    assert!(!shown.contains("secret"), "{shown}");
}
