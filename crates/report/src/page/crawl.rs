//! Facts about all records of a crawl together: parameters by the contents that they change, contents with many URIs,
//! and circles of redirects.

use std::fmt::Write;

use super::text::{count, escaped};
use super::{cell, table};
use crate::State;
use crate::crawl::{Parameter, SameContent, shell_word};

/// The most rows of a table: they are longer than those of figures.
const MOST_ROWS: usize = 50;
/// The most names on a command line.
const MOST_NAMES: usize = 50;

pub(super) fn cards(state: &State, rows: usize, page: &mut String) {
    let rows = rows.min(MOST_ROWS);
    parameters(state, rows, page);
    same_contents(state, rows, page);
    circles(state, rows, page);
}

/// A remark about a sample that is not complete.
fn about(share: f64, what: &str) -> String {
    match share < 1.0 {
        true if share < 0.01 => format!(" These are {:.3} % of {what}, chosen by hash.", 100.0 * share),
        true => format!(" These are {:.1} % of {what}, chosen by hash.", 100.0 * share),
        false => String::new(),
    }
}

fn parameters(state: &State, rows: usize, page: &mut String) {
    let found = state.parameters();
    if found.all_hosts.is_empty() {
        return;
    }
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<section class=\"card span\" id=\"parameters\"><h3>Parameters that change the content</h3><p class=\"soft\">Pairs of \
         URIs that differ in one parameter only, by whether their digests are the same.{}</p>",
        about(found.share, "the groups of such URIs")
    );
    match found.drop_params.len() {
        0 => page
            .push_str("<p>Each of them changed a content, or was seen with fewer than three contents.</p>"),
        number => {
            let names = &found.drop_params[..number.min(MOST_NAMES)];
            let _ = write!(page, "<p>{} never changed a content: <code>--drop-params ", count(number as u64));
            // Longer than other texts, because it is to be copied whole.
            for (at, part) in shell_word(names).split_inclusive(',').enumerate() {
                page.push_str(if at > 0 { "<wbr>" } else { "" });
                page.push_str(&escaped(part));
            }
            page.push_str("</code></p>");
        }
    }
    for (parameters, caption) in
        [(&found.all_hosts, "Parameters of all hosts"), (&found.by_host, "Parameters by host")]
    {
        let heads =
            [("Parameter", false), ("Same", true), ("Different", true), ("Host", false), ("Example", false)];
        table(page, "", caption, &heads);
        parameters.iter().take(rows).for_each(|parameter| row(parameter, page));
        page.push_str("</tbody></table></div>");
    }
    page.push_str("</section>");
}

fn row(parameter: &Parameter, page: &mut String) {
    let _ = write!(page, "<tr><td class=\"t\">{}</td>", escaped(&parameter.name));
    cell(page, parameter.same, &count(parameter.same));
    cell(page, parameter.different, &count(parameter.different));
    match parameter.host.as_str() {
        "" if parameter.hosts == 1 => page.push_str("<td>1 host</td>"),
        "" => {
            let _ = write!(page, "<td>{} hosts</td>", count(parameter.hosts));
        }
        host => {
            let _ = write!(page, "<td class=\"t\">{}</td>", escaped(host));
        }
    }
    let example = parameter.different_example.as_ref().or(parameter.same_example.as_ref());
    let [one, other] = example.map_or([""; 2], |pair| [pair[0].as_str(), pair[1].as_str()]);
    let _ = write!(page, "<td class=\"t\">{}<br>{}</td></tr>", escaped(one), escaped(other));
}

fn same_contents(state: &State, rows: usize, page: &mut String) {
    let (found, share) = state.crawl.same_contents();
    if found.is_empty() {
        return;
    }
    let _ = write!(
        page,
        "<section class=\"card span\" id=\"same_content\"><h3>One content, many URIs</h3><p class=\"soft\">Contents that \
         many URIs of one host have: {}. Each is a crawler trap, an error with the status 200, or a file that is \
         everywhere.{}</p>",
        count(found.len() as u64),
        about(share, "all URIs")
    );
    let heads = [("Host", false), ("URIs", true), ("Digest", false), ("Examples", false)];
    table(page, "", "One content, many URIs", &heads);
    let is_exact = share >= 1.0;
    found.iter().take(rows).for_each(|content| content_row(content, is_exact, page));
    page.push_str("</tbody></table></div></section>");
}

fn content_row(content: &SameContent, is_exact: bool, page: &mut String) {
    let _ = write!(page, "<tr><td class=\"t\">{}</td>", escaped(&content.host));
    let about = if is_exact { "" } else { "about " };
    cell(page, content.uris, &format!("{about}{}", count(content.uris)));
    let examples: Vec<String> = content.examples.iter().map(|uri| escaped(uri)).collect();
    let digest = escaped(&content.digest);
    let _ = write!(page, "<td class=\"t\">{digest}</td><td class=\"t\">{}</td></tr>", examples.join("<br>"));
}

fn circles(state: &State, rows: usize, page: &mut String) {
    let found = state.circles();
    if found.pairs == 0 {
        return;
    }
    let _ = write!(
        page,
        "<section class=\"card span\" id=\"circles\"><h3>Circles of redirects</h3><p class=\"soft\">URIs that redirect to \
         each other, or to themselves: {}, in {} pairs of URIs with redirects.{}</p>",
        count(found.circles.len() as u64),
        count(found.pairs),
        about(found.share, "all such pairs")
    );
    if !found.circles.is_empty() {
        let heads = [("From one to the next, and back", false), ("URIs", true)];
        table(page, "", "Circles of redirects", &heads);
        for circle in found.circles.iter().take(rows) {
            let uris: Vec<String> = circle.example.iter().map(|uri| escaped(uri)).collect();
            let _ = write!(page, "<tr><td class=\"t\">{}</td>", uris.join("<br>"));
            cell(page, circle.uris, &count(circle.uris));
            page.push_str("</tr>");
        }
        page.push_str("</tbody></table></div>");
    }
    page.push_str("</section>");
}
