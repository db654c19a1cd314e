//! The sentence that refuses a log whose fields have changed places.

use super::run::urimill;

/// A refusal of fields that have changed places shows the line, with a caret under the first of them.
#[test]
fn a_refusal_shows_fields_that_have_changed_places() {
    let line = |forwarded: &str, host: &str| {
        format!(
            "[2016-04-15T20:17:00.310Z] \"GET /a HTTP/1.1\" 204 - 154 0 226 100 \"{forwarded}\" \"curl/8\" \
             \"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\" \"{host}\" \"tcp://10.0.2.1:80\"\n"
        )
    };
    let swapped = line("www.example.com", "192.0.2.7, 10.0.0.1");
    let run = urimill("normalize --from envoy --to csv").stdin(swapped.repeat(2)).go();
    assert_eq!((run.code, run.text()), (Some(2), ""), "{}", run.stderr);
    let lines: Vec<&str> = run.stderr.lines().collect();
    let caret = lines.iter().position(|line| line.trim() == "^").expect("a caret");
    let shown: String = lines[caret - 1].chars().skip(lines[caret].find('^').expect("a caret")).collect();
    assert!(shown.starts_with("www.example.com"), "{}", run.stderr);
}
