//! The first part of the page: the records that were not read, and why.

use std::fmt::Write;

use urimill_uri::Code;

use super::text::{count, escaped, share};
use super::{cell, table};
use crate::State;
use crate::advice::mend;

pub(super) fn section(state: &State, page: &mut String) {
    let accounts = state.accounts();
    page.push_str("<section id=\"unread\"><h2>What was not read, and why</h2>");
    if state.damage_count + accounts.rejects + accounts.nulls + accounts.cut == 0 {
        page.push_str("<p>Nothing: every input is whole, and every record is a URI reference.</p>");
    }
    if state.damage_count > 0 {
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "<div class=\"card bad\"><h3>Inputs that are truncated or damaged: {}</h3>",
            count(state.damage_count)
        );
        table(
            page,
            "",
            "Damaged inputs",
            &[("Input", false), ("Damage", false), ("Records before it", true)],
        );
        for (source, sentence, records) in &state.damages {
            let _ =
                write!(page, "<tr><td class=\"t\">{}</td><td>{}</td>", escaped(source), escaped(sentence));
            cell(page, *records, &count(*records));
            page.push_str("</tr>");
        }
        page.push_str("</tbody></table></div></div>");
    }
    if accounts.rejects > 0 {
        let _ = write!(
            page,
            "<p>{} of {} records ({}) are no URI references. The figures of hosts, paths and other parts leave them out.</p>",
            count(accounts.rejects),
            count(accounts.records),
            share(accounts.rejects, accounts.records)
        );
        rejects(state, page);
    }
    let others = [
        (accounts.nulls, "records have no URI where that is allowed"),
        (accounts.cut, "records are too long; their beginnings were read"),
        (accounts.not_utf8, "records are not UTF-8"),
        (accounts.blank, "lines are blank or comments"),
        (accounts.headers, "lines are headers"),
    ];
    let others: Vec<_> = others.into_iter().filter(|(number, _)| *number > 0).collect();
    if !others.is_empty() {
        page.push_str("<ul>");
        for (number, what) in others {
            let _ = write!(page, "<li>{} {what}</li>", count(number));
        }
        page.push_str("</ul>");
    }
    inputs(state, page);
    page.push_str("</section>\n");
}

fn inputs(state: &State, page: &mut String) {
    let held = state.inputs.len() as u64;
    let _ = write!(page, "<details><summary>Inputs: {}", count(state.inputs()));
    if held < state.inputs() {
        let _ = write!(page, "; the names of {}", count(held));
    }
    page.push_str("</summary><ul>");
    for name in &state.inputs {
        let _ = write!(page, "<li class=\"t\">{}</li>", escaped(name));
    }
    page.push_str("</ul></details>");
}

/// The meaning of a code.
fn sentence(code: &str) -> &'static str {
    let known = Code::ALL.into_iter().find(|known| known.as_str() == code);
    known.map_or("a code of another version of urimill", Code::sentence)
}

fn rejects(state: &State, page: &mut String) {
    let mut codes: Vec<_> = state.codes.iter().collect();
    codes.sort_by(|a, b| b.1.records.cmp(&a.1.records).then_with(|| a.0.cmp(b.0)));
    page.push_str("<div class=\"card bad\"><h3>Rejects by code</h3>");
    table(
        page,
        "rejects",
        "Rejects by code",
        &[("Code", false), ("Records", true), ("Why, and how to mend", false)],
    );
    for (code, rejected) in &codes {
        let _ = write!(page, "<tr><td>{}</td>", coded(code));
        cell(page, rejected.records, &count(rejected.records));
        let why = capital(sentence(code));
        let _ = write!(page, "<td class=\"why\">{}. {}</td></tr>", escaped(&why), with_flags(mend(code)));
    }
    page.push_str("</tbody></table></div></div>");
    page.push_str("<div class=\"card bad\"><h3>Examples of rejects</h3>");
    let heads = [("Code", false), ("Input", false), ("Record", true), ("Byte", true), ("Text", false)];
    table(page, "", "Examples of rejects", &heads);
    for (code, rejected) in &codes {
        for example in &rejected.examples {
            let source = escaped(&example.source);
            let _ = write!(page, "<tr><td>{}</td><td class=\"t\">{source}</td>", coded(code));
            let record = u64::try_from(example.record).unwrap_or(0);
            cell(page, record, &count(record));
            cell(page, example.offset, &count(example.offset));
            let _ = write!(page, "<td class=\"t\">{}</td></tr>", escaped(&example.text));
        }
    }
    page.push_str("</tbody></table></div></div>");
}

/// A code, which a narrow page breaks between its words.
fn coded(code: &str) -> String {
    format!("<code>{}</code>", escaped(code).replace('_', "_<wbr>"))
}

/// A sentence in which flags are not broken between lines.
fn with_flags(sentence: &str) -> String {
    let words = sentence.split(' ').map(|word| match word.starts_with("--") {
        true => format!("<code>{}</code>", escaped(word)),
        false => escaped(word),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
