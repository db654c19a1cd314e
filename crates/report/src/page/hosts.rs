//! The hosts of a crawl over time: a chart of the longest gaps, and a table.

use std::fmt::Write;

use super::chart::{Bar, bars};
use super::text::{bytes, count, escaped, micros, share};
use super::{cell, table};
use crate::series::moment;
use crate::{HostFetches, State};

/// The most rows of the table: they are longer than those of figures.
const MOST_ROWS: usize = 100;
/// The bars in the chart.
const BARS: usize = 10;

/// A duration in milliseconds.
fn millis(number: u64) -> String {
    micros(number.saturating_mul(1000))
}

/// A gap within its bounds.
fn gap((least, most): (u64, u64)) -> String {
    match (millis(least), millis(most)) {
        (least, most) if least == most => least,
        (least, most) => format!("{least} to {most}"),
    }
}

pub(super) fn card(state: &State, rows: usize, page: &mut String) {
    let hosts = state.hosts(rows.min(MOST_ROWS));
    if hosts.is_empty() {
        return;
    }
    let about = &state.hosts;
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<section class=\"card span\" id=\"hosts_over_time\"><h3>Hosts over time</h3><p class=\"soft\">The hosts with the most \
         records, of {} records with a time: the first, the last, how much of the time of all records lies between them, and the longest time without one.",
        count(about.records)
    );
    if about.error > 0 {
        let _ = write!(page, " A host may lack up to {} of its records.", count(about.error));
    }
    page.push_str("</p>");
    let mut longest: Vec<(&HostFetches, (u64, u64))> =
        hosts.iter().filter_map(|host| host.longest_gap.map(|gap| (host, gap))).collect();
    longest.sort_by(|(_, one), (_, other)| other.cmp(one));
    let bar = |(host, longest): &(&HostFetches, (u64, u64))| Bar {
        label: host.host.clone(),
        value: longest.0,
        text: gap(*longest),
    };
    let longest: Vec<Bar> = longest.iter().take(BARS).map(bar).collect();
    if !longest.is_empty() {
        let title =
            format!("Longest gaps of these hosts: the {} greatest, as in the table below", longest.len());
        page.push_str(&bars(&title, &longest));
    }
    let heads = [
        ("Host", false),
        ("Records", true),
        ("Share", true),
        ("Bytes", true),
        ("Share", true),
        ("Time", true),
        ("First", true),
        ("Last", true),
        ("Longest gap", true),
    ];
    let all = state.series.ends.map_or(0, |(first, last)| last.abs_diff(first));
    table(page, "", "Hosts over time", &heads);
    for host in &hosts {
        let _ = write!(page, "<tr><td class=\"t\">{}</td>", escaped(&host.host));
        cell(page, host.records, &count(host.records));
        cell(page, host.records, &share(host.records, about.records));
        cell(page, host.bytes, &bytes(host.bytes));
        cell(page, host.bytes, &share(host.bytes, about.bytes));
        let held = host.last.abs_diff(host.first);
        cell(page, held, &if all > 0 { share(held, all) } else { "–".to_owned() });
        for time in [host.first, host.last] {
            let _ = write!(page, "<td class=\"n\" data-v=\"{time}\">{}</td>", moment(time));
        }
        match host.longest_gap {
            Some(longest) => cell(page, longest.0, &gap(longest)),
            None => cell(page, 0, "–"),
        }
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div></section>");
}
