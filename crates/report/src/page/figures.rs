//! A part of the page with its figures: a chart and a table each.

use std::fmt::Write;

use super::about;
use super::chart::{Bar, bars};
use super::text::{bytes, count, escaped, micros, share};
use super::{cell, crawl, hosts, table};
use crate::State;
use crate::figure::{Figure, Part, Unit};
use crate::histogram::Histogram;

/// Bars in a chart.
const BARS: usize = 10;

pub(super) fn section(state: &State, part: Part, rows: usize, page: &mut String) {
    if !state.has(part) {
        return;
    }
    // Writing to a string cannot fail.
    let _ = write!(page, "<section id=\"{0}\"><h2>{0}</h2><div class=\"cards\">", part.title());
    for figure in Figure::ALL.iter().filter(|figure| figure.part() == part && state.total(**figure) > 0) {
        card(state, *figure, rows, page);
    }
    if part == Part::Responses {
        histogram("sizes", "Sizes of responses", &state.sizes, bytes, page);
        histogram("times", "Times of responses", &state.times, micros, page);
    }
    if part == Part::Crawls {
        crawl::cards(state, rows, page);
        hosts::card(state, rows, page);
    }
    page.push_str("</div></section>\n");
}

fn shown(unit: Unit, sum: u64) -> String {
    match unit {
        Unit::Records => count(sum),
        Unit::Bytes => bytes(sum),
        Unit::Micros => micros(sum),
    }
}

fn card(state: &State, figure: Figure, rows: usize, page: &mut String) {
    let items = state.top(figure, rows);
    let (unit, total, title) = (figure.unit(), state.total(figure), figure.title());
    let _ = write!(
        page,
        "<section class=\"card\" id=\"{}\"><h3>{title}</h3><p class=\"soft\">{} distinct: {}.",
        figure.as_str(),
        about(state, figure),
        escaped(figure.meaning())
    );
    if state.error(figure) > 0 {
        let distinct = state.distinct(figure);
        let _ = write!(
            page,
            " Each sum may be greater by up to {}; {} to {} distinct.",
            shown(unit, state.error(figure)),
            count(distinct.lower),
            count(distinct.upper)
        );
    }
    page.push_str("</p>");
    let bar = |item: &super::super::Item| Bar {
        label: item.text.clone(),
        value: item.lower,
        text: shown(unit, item.lower),
    };
    let top: Vec<Bar> = items.iter().take(BARS).map(bar).collect();
    page.push_str(&bars(&format!("{title}: the {} greatest, as in the table below", top.len()), &top));
    let sum = match unit {
        Unit::Records => "Records",
        Unit::Bytes => "Bytes",
        Unit::Micros => "Time",
    };
    table(page, "", title, &[("Text", false), (sum, true), ("Share", true)]);
    for item in &items {
        let _ = write!(page, "<tr><td class=\"t\">{}</td>", escaped(&item.text));
        cell(page, item.lower, &shown(unit, item.lower));
        cell(page, item.lower, &share(item.lower, total));
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div></section>");
}

fn histogram(id: &str, title: &str, histogram: &Histogram, shown: fn(u64) -> String, page: &mut String) {
    if histogram.count == 0 {
        return;
    }
    let _ = write!(
        page,
        "<section class=\"card\" id=\"{id}\"><h3>{title}</h3><p class=\"soft\">{} responses, {} together; from {} to {}.",
        count(histogram.count),
        shown(histogram.sum),
        shown(histogram.least),
        shown(histogram.most)
    );
    for percent in [50, 90, 99] {
        if let Some((lower, _)) = histogram.percentile(percent) {
            let _ = write!(page, " {percent} %: up to {}.", shown(lower));
        }
    }
    page.push_str("</p>");
    let powers = histogram.powers();
    let bar = |(start, number): &(u64, u64)| Bar {
        label: format!("from {}", shown(*start)),
        value: *number,
        text: count(*number),
    };
    let all: Vec<Bar> = powers.iter().map(bar).collect();
    page.push_str(&bars(&format!("{title} by powers of two, as in the table below"), &all));
    table(page, "", title, &[("From", true), ("Responses", true), ("Share", true)]);
    for (start, number) in &powers {
        page.push_str("<tr>");
        cell(page, *start, &shown(*start));
        cell(page, *number, &count(*number));
        cell(page, *number, &share(*number, histogram.count));
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div></section>");
}
