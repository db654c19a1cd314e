//! Requests with a body, as the tools put them into keys: two requests for one URL have two answers, and a replay tool
//! looks up the one with the same body. The method and the body become arguments of the URL, from which the key is
//! made: `http://h/find` with the form `q=a` is `http://h/find?__wb_method=POST&q=a`.

use urimill_read::Block;
use urimill_read::http::Message;

use super::arguments::{LONGEST, arguments};
use super::tool::Like;

/// A request with another method than GET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Post {
    /// The method in capitals.
    pub(super) method: String,
    /// The body as arguments; it may be empty.
    pub(super) body: String,
}

impl Post {
    /// The request in a block, if the tool puts its method into keys.
    pub(super) fn of(request: &[u8], like: Like) -> Option<Post> {
        let method = method(request)?.to_ascii_uppercase();
        let has_body = matches!(&*method, "POST" | "PUT");
        if !has_body && like == Like::CdxjIndexer {
            return None;
        }
        let message = Message::of(request).unwrap_or(Message { head: request, body: b"" });
        let body = if has_body { arguments(&message, like) } else { String::new() };
        Some(Post { method, body: body.chars().take(LONGEST).collect() })
    }

    /// The URL whose key is the key of the answer.
    pub(super) fn with(&self, url: &str, like: Like) -> String {
        let separator = if url.contains('?') { '&' } else { '?' };
        let mut with = format!("{url}{separator}__wb_method={}", self.method);
        if !self.body.is_empty() {
            with.push('&');
            with.push_str(&self.body);
        }
        // A URL contains no such characters: the key is made without them.
        with.retain(|c| !matches!(c, '\r' | '\n' | '\t'));
        // pywb's own script adds this to names.
        if like == Like::Pywb { with.replace("WB_wombat_", "") } else { with }
    }
}

/// Whether a block begins like a request with another method than GET.
pub(super) fn is_one(block: &[u8]) -> bool {
    !block.starts_with(b"HTTP/") && method(block).is_some_and(|method| !method.eq_ignore_ascii_case("GET"))
}

/// The method of a request: its first word.
fn method(block: &[u8]) -> Option<&str> {
    const LONGEST_METHOD: usize = 20;
    let end = block.iter().take(LONGEST_METHOD).position(|&b| b == b' ')?;
    let word = &block[..end];
    let is_token =
        !word.is_empty() && word.iter().all(|b| b.is_ascii_alphabetic() || matches!(b, b'-' | b'_'));
    std::str::from_utf8(word).ok().filter(|_| is_token)
}

/// Pairs requests with their answers: for each record the number of the other one, if it has one. Two adjacent records
/// are a pair if the first is not yet part of one.
pub(super) fn pairs(blocks: &[Block<'_>]) -> Vec<Option<usize>> {
    let mut pairs = vec![None; blocks.len()];
    for at in 1..blocks.len() {
        if pairs[at - 1].is_none() && blocks[at - 1].is_of_one_exchange(&blocks[at]) {
            (pairs[at - 1], pairs[at]) = (Some(at), Some(at - 1));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, kind: &str, length: &str, body: &[u8]) -> Vec<u8> {
        let kind = if kind.is_empty() { String::new() } else { format!("Content-Type: {kind}\r\n") };
        let length = match length {
            "" => format!("Content-Length: {}\r\n", body.len()),
            "none" => String::new(),
            other => format!("content-length: {other}\r\n"),
        };
        [format!("{method} /path HTTP/1.1\r\n{kind}{length}\r\n").as_bytes(), body].concat()
    }

    const BOTH: [Like; 2] = Like::ALL;
    const OWN: [Like; 2] = [Like::CdxjIndexer; 2];
    const PYWB: [Like; 2] = [Like::Pywb; 2];

    /// The cases of the tools' own tests and of warcio.js, and similar ones.
    #[test]
    fn bodies_become_arguments() {
        let form = "application/x-www-form-urlencoded";
        let parts = "multipart/form-data; boundary=----WebKitFormBoundaryWUBf9liofZK0nuJd";
        let chunks: &[u8] = b"4\r\nsome\r\nd\r\nchunk-encoded\r\n4\r\ndata\r\n0\r\n\r\n";
        let two_parts = "--x\r\nContent-Disposition: form-data; name=\"test\"\r\n\r\nsome data\r\n--x\r\n\
                         Content-Disposition: form-data; name=\"another\"\r\nContent-Type: text/plain\r\n\r\n\
                         more^data\r\n--x--\r\n";
        // (method, media type, length, body, arguments; tools)
        type Case<'a> = (&'a str, &'a str, &'a str, &'a [u8], &'a str, [Like; 2]);
        let table: &[Case<'_>] = &[
            ("POST", form, "", b"foo=bar&dir=%2Fbaz", "foo=bar&dir=/baz", BOTH),
            ("PUT", form, "", b"foo=bar&dir=%2Fbaz", "foo=bar&dir=/baz", BOTH),
            ("POST", form, "14", b"foo=bar&dir=%2Fbaz", "foo=bar&dir=%2", BOTH),
            ("POST", form, "22", b"foo=bar&dir=%2Fbaz", "foo=bar&dir=/baz", BOTH),
            ("POST", form, "0", b"foo=bar&dir=%2Fbaz", "", BOTH),
            ("POST", form, "abc", b"foo=bar&dir=%2Fbaz", "", BOTH),
            ("POST", form, "none", b"foo=bar", "foo=bar", OWN),
            ("POST", form, "none", b"foo=bar", "", PYWB),
            ("POST", "Application/X-WWW-Form-Urlencoded; charset=UTF-8", "", b"a=b+c%20d", "a=b c d", BOTH),
            ("POST", form, "", "a=%C3%A9\u{e9}".as_bytes(), "a=\u{e9}\u{e9}", BOTH),
            ("POST", form, "", b"a=%ff%", "a=\u{fffd}%", BOTH),
            (
                "POST",
                form,
                "",
                b"\x816l`L\xa04P\x0e\xe0r\x02\xb5\x89\x19\x00fP\xdb\x0e\xb0\x02,",
                "__wb_post_data=gTZsYEygNFAO4HICtYkZAGZQ2w6wAiw=",
                BOTH,
            ),
            (
                "POST",
                "application/octet-stream",
                "",
                b"foo=bar&dir=%2Fbaz",
                "__wb_post_data=Zm9vPWJhciZkaXI9JTJGYmF6",
                BOTH,
            ),
            ("POST", "text/plain", "", b"foo=bar&dir=%2Fbaz", "__wb_post_data=Zm9vPWJhciZkaXI9JTJGYmF6", BOTH),
            ("POST", "", "", b"\x01\x02\x03\x04\x05\x06", "__wb_post_data=AQIDBAUG", BOTH),
            ("POST", "application/x-amf", "", b"\0", "__wb_post_data=AA==", BOTH),
            (
                "POST",
                "multipart/form-data",
                "",
                b"{\"text\": \"default\"}",
                "__wb_post_data=eyJ0ZXh0IjogImRlZmF1bHQifQ==",
                BOTH,
            ),
            (
                "POST",
                parts,
                "",
                b"------WebKitFormBoundaryWUBf9liofZK0nuJd\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\n\
                  [{\"webSessionId\":\"pb2tr7:vx83uz:fdi8ta\",\"user\":\"0\"}]\r\n\
                  ------WebKitFormBoundaryWUBf9liofZK0nuJd--\r\n",
                "q=%5B%7B%22webSessionId%22%3A%22pb2tr7%3Avx83uz%3Afdi8ta%22%2C%22user%22%3A%220%22%7D%5D",
                BOTH,
            ),
            (
                "POST",
                "multipart/form-data; boundary=\"x\"",
                "",
                two_parts.as_bytes(),
                "test=some+data&another=more%5Edata",
                BOTH,
            ),
            // A line that only begins like a boundary is part of a value; quotes may hold characters that end a
            // parameter.
            (
                "POST",
                "multipart/form-data; Boundary=x; charset=UTF-8",
                "",
                b"--xy\r\n--x\r\nContent-Disposition: form-data; name=\"a;b\"\r\n\r\n1\r\n--xy\r\n--x \r\n\
                  Content-Disposition: form-data; filename=\"; name=z\"; Name=\"c\\\"d\"\r\n\r\n\r\n--x--\r\n\
                  --x\r\nContent-Disposition: form-data; name=e\r\n\r\n2\r\n",
                "a%3Bb=1%0D%0A--xy&c%22d=",
                BOTH,
            ),
            (
                "POST",
                "multipart/form-data; boundary=x",
                "",
                b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\ncut o",
                "a=cut+o",
                BOTH,
            ),
            ("POST", "application/json", "", b"{\"a\": -0, \"b\": -0.0, \"c\": -1.5, \"d\": 0.0000001}", "a=0&b=0&c=-1.5&d=1e-7", BOTH),
            ("POST", "text/plain", "none", chunks, "__wb_post_data=NA0Kc29tZQ0KZA0KY2h1bmstZW5jb2RlZA0KNA0KZGF0YQ0KMA0KDQo=", OWN),
            (
                "POST",
                "application/json",
                "",
                b"{\"a\": \"b\", \"c\": {\"a\": 2}, \"d\": \"e\"}",
                "a=b&a.2_=2&d=e",
                BOTH,
            ),
            (
                "POST",
                "application/json",
                "",
                b"[{\"a\": \"b\", \"c\": {\"a\": 2}}, {\"d\": \"e\"}, \"ignored\", false, null, 0]",
                "a=b&a.2_=2&d=e",
                BOTH,
            ),
            (
                "POST",
                "application/json",
                "",
                b"{\"a\": \"b\"}\n{\"c\": {\"a\": 2}, \"d\": \"e\"}",
                "a=b&a.2_=2&d=e",
                OWN,
            ),
            // The last value of a name counts, as in Python.
            ("POST", "application/json", "", b"{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 3}", "a=3&a.2_=2", BOTH),
            ("POST", "application/json", "", b"{\"a\": \"b\"}\n{\"c\": {\"a\": 2}, \"d\": \"e\"}", "", PYWB),
            (
                "POST",
                "application/json",
                "",
                b"{\"a\": \"b\", \"c\": {\"a\": 2}, \"d\": \"e\", \"f\": true, \"g\": [false, null]}",
                "a=b&a.2_=2&d=e&f=true&g=false&g.2_=null",
                BOTH,
            ),
            (
                "POST",
                "text/plain",
                "",
                b"{\"type\": \"event\", \"id\": 44.0, \"float\": 35.7, \"values\": [true, false, null], \"source\": \
                  {\"type\": \"component\", \"id\": \"a+b&c= d\", \"values\": [3, 4]}}",
                "type=event&id=44&float=35.7&values=true&values.2_=false&values.3_=null&type.2_=component&\
                 id.2_=a%2Bb%26c%3D+d&values.4_=3&values.5_=4",
                BOTH,
            ),
            (
                "POST",
                "application/json",
                "",
                b"{\"abc\": \"def\", \"some\": {\"data\": \"bar\", \"bar\": 2, \"a\": 3}, \"a\": \"4\", \"foo\": \
                  {\"bar\": \"123\", \"a\": \"5\"}}",
                "abc=def&data=bar&bar=2&a=3&a.2_=4&bar.2_=123&a.3_=5",
                BOTH,
            ),
            ("POST", "application/json", "", b"{\"a\": ", "", BOTH),
            ("OPTIONS", "", "0", b"", "", PYWB),
            ("HEAD", "", "none", b"", "", PYWB),
        ];
        for (method, kind, length, body, expected, tools) in table {
            for &like in tools {
                let found = Post::of(&request(method, kind, length, body), like).expect("a request");
                assert_eq!((&*found.method, &*found.body), (*method, *expected), "{kind} {length} {like:?}");
            }
        }
        // Chunk sizes are removed if the header has them.
        let head = b"POST /post HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        let found = Post::of(&[&head[..], chunks].concat(), Like::CdxjIndexer).expect("a request");
        assert_eq!(found.body, "__wb_post_data=c29tZWNodW5rLWVuY29kZWRkYXRh");
        let long = Post::of(&request("POST", form, "", &[b'a'; 10_000]), Like::Pywb).expect("a request");
        assert_eq!(long.body.len(), LONGEST);
        for (method, like) in [("GET", Like::Pywb), ("OPTIONS", Like::CdxjIndexer), ("HTTP/1.1", Like::Pywb)]
        {
            let block = request(method, "", "", b"");
            assert!(method == "OPTIONS" || !is_one(&block), "{method}");
            assert!(method != "OPTIONS" || Post::of(&block, like).is_none(), "{method}");
        }
    }

    #[test]
    fn arguments_are_added_to_a_url() {
        let post = |body: &str| Post { method: "POST".into(), body: body.into() };
        for (body, url, expected) in [
            ("a=b", "http://h/", "http://h/?__wb_method=POST&a=b"),
            ("a=b", "http://h/?123=ABC", "http://h/?123=ABC&__wb_method=POST&a=b"),
            ("", "http://h/", "http://h/?__wb_method=POST"),
            ("a=b\r\nc", "http://h/", "http://h/?__wb_method=POST&a=bc"),
        ] {
            assert_eq!(post(body).with(url, Like::Pywb), expected);
        }
        assert_eq!(post("WB_wombat_a=1").with("h", Like::Pywb), "h?__wb_method=POST&a=1");
    }
}
