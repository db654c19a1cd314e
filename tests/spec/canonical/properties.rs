//! Properties of every form of every URI: checked on the corpora, and on URIs made of the pieces that the rules are
//! about.

use std::collections::BTreeMap;

use urimill::UriRef;
use urimill::canonical::wayback::{self, Rules};
use urimill::canonical::{Canonical, DropParams, SurtOptions, surt, write_surt};

use crate::shared;

/// The reason why the form of a form may differ, as the modules document it; `None` if it must not differ.
fn may_change(form: Canonical, uri: &UriRef<'_>, once: &str) -> Option<&'static str> {
    if form == Canonical::CrawlerCommons {
        return None;
    }
    if UriRef::parse(once).is_err() {
        return Some("no URI");
    }
    if form == Canonical::W3lib {
        return None;
    }
    let lower = uri.as_str().to_ascii_lowercase();
    let laid_bare = ["%3f", "%40", "%2f", "%25", "%26", "%3a"].iter().any(|triplet| lower.contains(triplet));
    let ids = |name: &str| lower.matches(name).count() > 1;
    match () {
        () if laid_bare => Some("laid bare"),
        () if lower.contains("//www") => Some("www"),
        () if ids("sid=") || ids("sessid=") || ids("cfid=") || ids("sessionid") || lower.contains(")/") => {
            Some("session identifiers")
        }
        () if uri.host().is_none_or(str::is_empty) && uri.path().ends_with("//") => {
            Some("slashes at the end")
        }
        () if lower.starts_with("http") && lower.matches("http").count() > 1 => Some("URI inside"),
        () => None,
    }
}

/// Returns whether a second pass changes the form, for a known reason.
fn holds(form: Canonical, uri: &UriRef<'_>) -> Option<&'static str> {
    let once = form.form(uri)?;
    assert!(once.is_ascii() && !once.contains(['#', ' ']), "{form}: {uri} -> {once}");
    let mut out = b"before".to_vec();
    assert!(form.write(uri, &DropParams::none(), &mut out));
    assert_eq!(out, format!("before{once}").into_bytes(), "{form}: what stands before it stays");
    let scheme = uri.scheme().unwrap_or_default().to_ascii_lowercase();
    if form != Canonical::Wayback {
        assert!(once.starts_with(&format!("{scheme}:")), "{form}: {uri} -> {once}");
    }
    let reason = may_change(form, uri, &once);
    let Ok(again) = UriRef::parse(&once) else {
        assert!(reason.is_some(), "{form}: {uri} -> {once}, which is no URI");
        return reason;
    };
    let twice = form.form(&again);
    if twice.as_deref() == Some(&*once) {
        return None;
    }
    assert!(reason.is_some(), "{form}: {uri} -> {once} -> {twice:?}");
    reason
}

/// A key begins with the reversed host of the cleaned form and ends with its path and query.
fn key_holds(uri: &UriRef<'_>) {
    let mut key = b"before".to_vec();
    write_surt(uri, &SurtOptions::default(), &mut key);
    let key = String::from_utf8(key).expect("a key is ASCII");
    let key = key.strip_prefix("before").expect("what stands before it stays");
    assert_eq!(key, surt(uri));
    assert!(key.is_ascii() && !key.contains(' '), "{uri} -> {key}");
    let form = Canonical::Wayback.form(uri).expect("a URI has the form");
    let (_, rest) = form.split_once(':').expect("a form has a scheme");
    // An IPv6 address has colons, and loses its brackets.
    let Some(rest) = rest.strip_prefix("//").filter(|rest| !rest.starts_with(['/', '['])) else {
        assert!(
            key == form || uri.scheme() == Some("filedesc") || form.contains("//["),
            "{uri}: {key}, {form}"
        );
        return;
    };
    let end = rest.find('/').unwrap_or(rest.len());
    let host = rest[..end].split(':').next().unwrap_or_default();
    let turned: Vec<&str> = host.split('.').rev().collect();
    assert_eq!(key, format!("{}{}){}", turned.join(","), &rest[host.len()..end], &rest[end..]), "{uri}");
}

/// The number of URIs, and the number of forms that a second pass changes.
fn check<'a>(texts: impl Iterator<Item = &'a [u8]>) -> (usize, [usize; 3]) {
    let (mut count, mut changing, mut reasons) = (0, [0; 3], BTreeMap::new());
    for text in texts {
        let Ok(uri) = UriRef::parse(text) else { continue };
        if !uri.is_uri() {
            continue;
        }
        count += 1;
        for (form, changing) in Canonical::ALL.into_iter().zip(&mut changing) {
            if let Some(reason) = holds(form, &uri) {
                *changing += 1;
                *reasons.entry((form.as_str(), reason)).or_insert(0) += 1;
            }
        }
        let lower = uri.as_str().to_ascii_lowercase();
        if !["%2f", "%25", "%3a"].iter().any(|triplet| lower.contains(triplet)) {
            key_holds(&uri);
        }
    }
    println!("{count} URIs; forms that a second time changes: {reasons:?}");
    (count, changing)
}

#[test]
fn canonical_forms_of_the_corpora() {
    let Some(uris) = shared::corpora() else { return };
    let (count, changing) = check(uris.iter().map(Vec::as_slice));
    assert!(count > 200_000, "only {count} URIs");
    assert!(changing[0] < count / 100 && changing[1] == 0 && changing[2] < 50, "{changing:?} of {count}");
}

/// Every path and query of up to three of these pieces, after each of these beginnings.
#[test]
fn canonical_forms_of_generated_uris() {
    const BEGINNINGS: [&str; 9] = [
        "http://h",
        "HTTPS://U@Www.H.com:443",
        "ftp://1.2",
        "file://",
        "file://h",
        "foo://h",
        "foo:",
        "urn:x",
        "http:",
    ];
    const SEGMENTS: [&str; 12] =
        ["a", "B;c", "..", ".", "", "%2e", "%7E%c3%a9", "%41", "a;", "%3B", "x.aspx", "+"];
    const PIECES: [&str; 10] = ["b", "a=1", "A=", "=x", "", "a+%20=%41", "utm_id=1", "%7e", "a-b", "a=0;c"];
    let mut texts = Vec::new();
    for beginning in BEGINNINGS {
        for i in 0..SEGMENTS.len().pow(3) {
            let (a, b, c) = (i % 12, i / 12 % 12, i / 144);
            let path = format!("/{}/{}/{}", SEGMENTS[a], SEGMENTS[b], SEGMENTS[c]);
            let (p, q, r) = (i % 10, i / 10 % 10, i / 100 % 10);
            texts.push(format!("{beginning}{path}?{}&{}&{}#f", PIECES[p], PIECES[q], PIECES[r]));
            texts.push(format!("{beginning}{path}"));
        }
        texts.push(format!("{beginning}?{}", PIECES[1]));
        texts.push(beginning.to_owned());
    }
    let (count, changing) = check(texts.iter().map(String::as_bytes));
    assert!(count > 25_000 && changing[1] == 0 && changing[2] == 0, "{changing:?} of {count}");
}

/// A form without some parameters is its own form, too.
#[test]
fn dropping_twice_is_dropping_once() {
    let drops = DropParams::none().and_patterns(["a*"]).expect("a pattern").and_tracking();
    for query in ["a", "b&utm_a", "%2561=1&b", "utm%5fx=1&c=%3D", "fbclid=1&fbclid=2", "b=1&a&b=0", "gclid"] {
        let text = format!("http://h/?{query}");
        let uri = UriRef::parse(&text).expect("a URI");
        for form in Canonical::ALL {
            let once = form.form_without(&uri, &drops).expect("it has the form");
            let again = UriRef::parse(&once).expect("these forms are URIs");
            assert_eq!(form.form_without(&again, &drops).as_deref(), Some(&*once), "{form}: {query}");
        }
    }
}

/// Lists of tens of thousands of pieces, dots and triplets take no longer per byte than short ones.
#[test]
fn hostile_texts_end() {
    let n = 100_000;
    let texts = [
        format!("http://h/{}", "%25".repeat(n)),
        format!("http://h/{}41", "%25".repeat(n)),
        format!("http://h/{}", "../".repeat(n)),
        format!("http://h/{}", "a/../".repeat(n)),
        format!("http://h{}", "/".repeat(n)),
        format!("http://h/?{}", "b&a&".repeat(n)),
        format!("http://h/?{}", "sid=&".repeat(n)),
        format!("http://h/?{}", "cfid=1&cftoken=".repeat(n)),
        format!("http://h/{}x.aspx", "(4hqa0555fwsecu455xqckv45)/".repeat(n)),
        format!("http://h/{}", "(4hqa0555fwsecu455xqckv45)/".repeat(n)),
        format!("http://h/{}%3F.aspx", "(4hqa0555fwsecu455xqckv45)/".repeat(n)),
        format!("http://h/{}", "(4hqa0555fwsecu455xqckv45)/x.aspx%3F".repeat(n)),
        format!("http://h/({})/x.aspx", "a(4hqa0555fwsecu455xqckv45)".repeat(n)),
        "http://".repeat(n),
        format!("http:{}", "/".repeat(n)),
        format!("http://{}", "a.".repeat(n)),
        format!("http://{}", "9".repeat(n)),
        format!("http://{}", "%2E".repeat(n)),
    ];
    let start = std::time::Instant::now();
    for text in &texts {
        let uri = UriRef::parse(text).unwrap_or_else(|reject| panic!("{}: {reject:?}", &text[..20]));
        for form in Canonical::ALL {
            let _ = form.form(&uri);
        }
        let _ = surt(&uri);
        let _ = wayback::form(&uri, &Rules::CLEANING);
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
