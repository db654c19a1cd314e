//! URIs in JSON are strings.

use urimill_uri::{Uri, UriRef};

#[test]
fn a_uri_is_a_string() {
    let text = "\"http://example.com/?a=\\u0062\"";
    let uri: Uri = serde_json::from_str(text).unwrap();
    assert_eq!(uri, "http://example.com/?a=b");
    assert_eq!(serde_json::to_string(&uri).unwrap(), "\"http://example.com/?a=b\"");
    let borrowed: UriRef<'_> = serde_json::from_str("\"/a\"").unwrap();
    assert_eq!(serde_json::to_string(&borrowed).unwrap(), "\"/a\"");
}

#[test]
fn what_is_none_is_refused_with_the_reason() {
    for (json, expected) in
        [("\"a b\"", "path_invalid_char"), ("1", "a URI reference"), ("null", "a URI reference")]
    {
        let error = serde_json::from_str::<Uri>(json).unwrap_err().to_string();
        let by_code = UriRef::parse("a b").unwrap_err().to_string();
        assert!(error.contains(expected) || error.contains(&by_code), "{json}: {error}");
    }
}
