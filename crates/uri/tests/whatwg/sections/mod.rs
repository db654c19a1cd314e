//! The URL Standard, section by section: what an input is, alone or against a base.

mod components;
mod files;
mod hosts;
mod states;
mod validation;

use urimill_uri::whatwg::Url;

/// (input, base, href, or the failure and its byte, section)
type Row = (&'static str, &'static str, Result<&'static str, (&'static str, usize)>, &'static str);

/// Parses each input, and compares the result with the row and with `Url::validate`.
fn check(rows: &[Row]) {
    let told: Vec<_> = rows.iter().filter_map(difference).collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

fn difference(&(input, base, expected, section): &Row) -> Option<String> {
    let base = (!base.is_empty()).then(|| Url::parse(base, None).unwrap());
    let found = Url::parse(input, base.as_ref());
    assert_eq!(Url::validate(input, base.as_ref()).0, found, "{input:?}");
    let answer = match &found {
        Ok(url) => Ok(url.href()),
        Err(failure) => Err((failure.error.as_str(), failure.offset)),
    };
    if let Ok(url) = &found {
        agrees_with_itself(url);
    }
    (answer != expected)
        .then(|| format!("{input:?} against {base:?} is {answer:?} and not {expected:?} ({section})"))
}

/// The getters are parts of the serialization (4.5, 6.1), and so are the offsets. The serialization is its own.
fn agrees_with_itself(url: &Url<'_>) {
    let credentials = match (url.username(), url.password()) {
        ("", "") => String::new(),
        (name, "") => format!("{name}@"),
        (name, password) => format!("{name}:{password}@"),
    };
    let authority = if url.has_host() { format!("//{credentials}{}", url.host()) } else { String::new() };
    let dot = if !url.has_host() && url.pathname().starts_with("//") { "/." } else { "" };
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    let fragment = url.fragment().map_or(String::new(), |fragment| format!("#{fragment}"));
    let whole = [url.protocol(), &authority, dot, url.pathname(), &query, &fragment].concat();
    assert_eq!(whole, url.href());
    let (href, split) = (url.href(), url.split());
    let part = |from: u32, to: u32| &href[from as usize..to as usize];
    assert_eq!(part(0, split.scheme_end), url.scheme());
    assert_eq!(part(split.host_start, split.host_end), url.hostname());
    assert_eq!(part(split.path_start, split.path_end), [dot, url.pathname()].concat());
    assert_eq!(part(split.path_end, split.query_end), query);
    assert_eq!(part(split.query_end, split.end), fragment);
    let again = Url::parse(href, None).unwrap();
    assert_eq!((again.href(), again.split()), (href, split), "it is its own serialization");
}
