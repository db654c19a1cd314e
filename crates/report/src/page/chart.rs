//! Charts as inline SVG: bars, columns over time, and a calendar of hours. Colours are classes of the style sheet, so
//! that a chart follows the reader's colours. Each chart has a table next to it with the same data, for readers who do
//! not see it.

use std::fmt::Write;

use super::text::{count, escaped, label};

/// A bar: its label, its length, and the text at its end.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) value: u64,
    pub(super) text: String,
}

const WIDTH: f64 = 380.0;
const ROW: f64 = 26.0;

/// Bars one below the other, the first the longest.
pub(super) fn bars(title: &str, bars: &[Bar]) -> String {
    let most = bars.iter().map(|bar| bar.value).max().unwrap_or(0).max(1) as f64;
    let height = ROW * bars.len() as f64;
    let mut svg = open(title, (WIDTH, height), "bars");
    for (row, bar) in bars.iter().enumerate() {
        let y = ROW * row as f64;
        let length = (WIDTH * bar.value as f64 / most).max(1.0);
        // Writing to a string cannot fail.
        let _ = write!(
            svg,
            "<rect class=\"bar\" x=\"0\" y=\"{:.0}\" width=\"{length:.1}\" height=\"{:.0}\" rx=\"3\"/>\
             <text x=\"6\" y=\"{:.0}\">{}</text><text class=\"end\" x=\"{:.0}\" y=\"{:.0}\">{}</text>",
            y + 1.0,
            ROW - 4.0,
            y + 16.0,
            label(&bar.label, 38),
            WIDTH - 6.0,
            y + 16.0,
            escaped(&bar.text),
        );
    }
    svg + "</svg>"
}

/// A column over time, in parts from the bottom.
pub(super) struct Column {
    pub(super) begin: String,
    pub(super) parts: [u64; 5],
}

const HEIGHT: f64 = 180.0;
const WIDE: f64 = 960.0;

/// Columns side by side, each with its parts one above the other. The chart takes the available width; its labels keep
/// their size.
pub(super) fn columns(title: &str, columns: &[Column]) -> String {
    let sum = |column: &Column| column.parts.iter().sum::<u64>();
    let most = columns.iter().map(sum).max().unwrap_or(0).max(1);
    let mut svg = format!("<div class=\"axis\"><span>{}</span></div>", count(most));
    svg.push_str(&open(title, (WIDE, HEIGHT), "columns"));
    let _ = write!(
        svg,
        "<line class=\"grid\" x1=\"0\" x2=\"{WIDE:.0}\" y1=\"0.5\" y2=\"0.5\"/>\
         <line class=\"grid\" x1=\"0\" x2=\"{WIDE:.0}\" y1=\"{0:.1}\" y2=\"{0:.1}\"/>",
        HEIGHT / 2.0,
    );
    let each = WIDE / columns.len().max(1) as f64;
    let gap = if each > 4.0 { 1.0 } else { 0.0 };
    for part in 0..5 {
        let mut path = String::new();
        for (at, column) in columns.iter().enumerate().filter(|(_, column)| column.parts[part] > 0) {
            let below: u64 = column.parts[..part].iter().sum();
            let scale = HEIGHT / most as f64;
            let height = (column.parts[part] as f64 * scale).max(0.5);
            let top = HEIGHT - below as f64 * scale - height;
            let _ = write!(path, "M{:.1} {top:.1}h{:.1}v{height:.1}h-{1:.1}z", at as f64 * each, each - gap);
        }
        if !path.is_empty() {
            let _ = write!(svg, "<path class=\"part{part}\" d=\"{path}\"/>");
        }
    }
    let _ = write!(
        svg,
        "<rect class=\"brush\" x=\"0\" y=\"0\" width=\"{WIDE:.0}\" height=\"{HEIGHT:.0}\"/></svg>"
    );
    if let (Some(first), Some(last)) = (columns.first(), columns.last()) {
        let (first, last) = (escaped(&first.begin), escaped(&last.begin));
        let _ = write!(svg, "<div class=\"axis\"><span>{first}</span><span>{last}</span></div>");
    }
    svg
}

/// Days of the week from Monday.
pub(super) const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// A square for each hour of the week, the darker the more.
pub(super) fn calendar(title: &str, hours: &[[u64; 24]; 7]) -> String {
    const CELL: f64 = 24.0;
    const LEFT: f64 = 40.0;
    let most = hours.iter().flatten().copied().max().unwrap_or(0).max(1);
    let mut svg = open(title, (LEFT + 24.0 * CELL, 7.0 * CELL + 20.0), "calendar");
    for (day, (name, hours)) in DAYS.iter().zip(hours).enumerate() {
        let y = day as f64 * CELL;
        let _ = write!(svg, "<text class=\"axis\" x=\"2\" y=\"{:.0}\">{name}</text>", y + 16.0);
        for (hour, records) in hours.iter().enumerate() {
            // An hour with any record differs from one without.
            let opacity = match records {
                0 => 0.0,
                _ => 0.1 + 0.9 * *records as f64 / most as f64,
            };
            let _ = write!(
                svg,
                "<rect class=\"cell\" x=\"{:.0}\" y=\"{y:.0}\" width=\"22\" height=\"22\" rx=\"3\"/><rect class=\"bar full\" \
                 x=\"{0:.0}\" y=\"{y:.0}\" width=\"22\" height=\"22\" rx=\"3\" fill-opacity=\"{opacity:.2}\">\
                 <title>{name} {hour}:00 UTC: {}</title></rect>",
                LEFT + hour as f64 * CELL,
                count(*records),
            );
        }
    }
    for hour in (0..24).step_by(3) {
        let x = LEFT + f64::from(hour) * CELL + 2.0;
        let _ = write!(svg, "<text class=\"axis\" x=\"{x:.0}\" y=\"{:.0}\">{hour}</text>", 7.0 * CELL + 14.0);
    }
    svg + "</svg>"
}

fn open(title: &str, (width, height): (f64, f64), class: &str) -> String {
    let stretched = if class == "columns" { " preserveAspectRatio=\"none\"" } else { "" };
    format!(
        "<svg class=\"{class}\" viewBox=\"0 0 {width:.0} {height:.0}\"{stretched} role=\"img\" aria-label=\"{}\">",
        escaped(title)
    )
}
