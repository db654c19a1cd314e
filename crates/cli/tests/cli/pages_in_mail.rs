//! `urimill links` of messages: how a saved page is known, and what the summary counts.

use super::run::{dir, urimill, write};

/// A message with these header fields; line ends are CR LF.
fn message(text: &str) -> String {
    format!("MIME-Version: 1.0\nMessage-ID: <1@h.example>\n{text}").replace('\n', "\r\n")
}

#[test]
fn messages_of_a_mailbox_are_counted() {
    let message = |number: u8, text: &str| {
        format!(
            "From a@h Mon Nov 23 00:00:00 2026\nMessage-ID: <{number}@h>\nContent-Type: text/html\n\n{text}\n\n"
        )
    };
    let input = [message(1, "<a href=b>"), message(2, "<a href=c>"), message(3, "text")].concat();
    for input in [input.clone(), input.replace('\n', "\r\n")] {
        let done = urimill("links --to csv --summary json").stdin(&input).ok();
        let pages = &done.summary()["pages"];
        assert_eq!(
            (&pages["pages"], &pages["with_links"], &pages["without_links"]),
            (&3.into(), &2.into(), &1.into())
        );
    }
}

#[test]
fn a_saved_page_is_known_by_its_name_or_its_beginning() {
    let dir = dir();
    let page = message("Content-Type: text/html\nContent-Location: http://h/a\n\n<a href=b>");
    write(dir.path(), "a.mhtml", &page);
    write(dir.path(), "b", &page);
    let done = urimill("links a.mhtml b --columns uri --to csv --summary none").within(dir.path()).ok();
    assert_eq!(done.text(), "uri\nhttp://h/b\nhttp://h/b\n");
}
