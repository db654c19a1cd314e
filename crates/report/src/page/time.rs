//! The part of the page about time: columns with a brush, and a calendar of hours.

use std::fmt::Write;

use serde_json::{Value, json};

use super::chart;
use super::chart::DAYS;
use super::text::{bytes, count};
use super::{cell, table};
use crate::State;
use crate::series::{Interval, moment};

/// The most columns.
const COLUMNS: i64 = 240;

/// The names of the classes of status, on the page.
const CLASSES: [&str; 5] =
    ["1xx and 2xx", "3xx redirected", "4xx client errors", "5xx server errors", "other or none"];

/// Widths of columns in minutes that people are used to; greater ones are multiples of the last.
const SPANS: [i64; 14] = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080];

/// Intervals of one width, from the first to the last, with those that have no records.
fn columns(state: &State) -> (i64, Vec<(i64, Interval)>) {
    let series = &state.series;
    let ends = series.intervals.keys().next().zip(series.intervals.keys().last());
    let Some((first, last)) = ends.map(|(first, last)| (*first, *last)) else { return (1, Vec::new()) };
    let width = series.minutes();
    let fits = |each: &i64| each % width == 0 && last.div_euclid(*each) - first.div_euclid(*each) < COLUMNS;
    let each = SPANS.into_iter().find(fits).unwrap_or_else(|| {
        let step = width.max(SPANS[SPANS.len() - 1]);
        step * ((last - first) / step / (COLUMNS - 1) + 1)
    });
    let begin = first.div_euclid(each);
    let mut columns: Vec<(i64, Interval)> =
        (begin..=last.div_euclid(each)).map(|at| (at.saturating_mul(each), Interval::default())).collect();
    for (minute, counts) in &series.intervals {
        columns[(minute.div_euclid(each) - begin) as usize].1.add(counts);
    }
    (each, columns)
}

/// Writes the part; returns the data for the script.
pub(super) fn section(state: &State, page: &mut String) -> Value {
    let (each, columns) = columns(state);
    if state.series.ends.is_none() || columns.is_empty() {
        return json!({ "columns": [], "end": "" });
    }
    let begin = |minute: i64| {
        let moment = moment(minute.saturating_mul(60_000));
        moment.strip_suffix(":00").unwrap_or(&moment).to_owned()
    };
    let span = match each {
        1 => "a minute".to_owned(),
        60 => "an hour".to_owned(),
        1440 => "a day".to_owned(),
        _ if each % 1440 == 0 => format!("{} days", each / 1440),
        _ if each % 60 == 0 => format!("{} hours", each / 60),
        _ => format!("{each} minutes"),
    };
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<section id=\"time\"><h2>Time</h2><div class=\"card\"><h3>Records over time</h3><p class=\"soft\">Each column is \
         {span}, by status.</p><ul class=\"legend\">"
    );
    for (part, name) in CLASSES.iter().enumerate() {
        if columns.iter().any(|(_, counts)| counts.classes[part] > 0) {
            let square = format!(
                "<svg viewBox=\"0 0 1 1\" aria-hidden=\"true\"><rect class=\"part{part}\" width=\"1\" height=\"1\"/></svg>"
            );
            let _ = write!(page, "<li>{square}{name}</li>");
        }
    }
    page.push_str("</ul>");
    let drawn: Vec<chart::Column> = columns
        .iter()
        .map(|(minute, counts)| chart::Column { begin: begin(*minute), parts: counts.classes })
        .collect();
    page.push_str(&chart::columns("Records over time, as in the table below", &drawn));
    let last = columns.len() - 1;
    let slider = |id: &str, name: &str, value: usize| {
        format!(
            "<label for=\"{id}\">{name}<input id=\"{id}\" type=\"range\" min=\"0\" max=\"{last}\" value=\"{value}\"></label>"
        )
    };
    let _ = write!(
        page,
        "<div class=\"range\">{}{}</div><p><output id=\"selected\" aria-live=\"polite\"></output></p>",
        slider("from", "From", 0),
        slider("to", "To", last)
    );
    let heads = [
        ("Begin", false),
        ("Records", true),
        ("Bytes", true),
        ("Client errors", true),
        ("Server errors", true),
    ];
    table(page, "intervals", "Records over time", &heads);
    for (at, (minute, counts)) in columns.iter().enumerate() {
        if counts.records() == 0 {
            continue;
        }
        let _ = write!(page, "<tr data-at=\"{at}\"><td>{}</td>", begin(*minute));
        cell(page, counts.records(), &count(counts.records()));
        cell(page, counts.bytes, &bytes(counts.bytes));
        cell(page, counts.classes[2], &count(counts.classes[2]));
        cell(page, counts.classes[3], &count(counts.classes[3]));
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div></div>");
    calendar(state, page);
    page.push_str("</section>\n");
    let data = columns.iter().map(|(minute, counts)| {
        json!([begin(*minute), counts.records(), counts.bytes, counts.classes[2] + counts.classes[3]])
    });
    let end = begin(columns[last].0.saturating_add(each));
    json!({ "columns": data.collect::<Vec<_>>(), "end": end })
}

fn calendar(state: &State, page: &mut String) {
    let hours = &state.series.hours;
    page.push_str("<div class=\"card\" id=\"calendar\"><h3>Hours of the week</h3><p class=\"soft\">Records by day and hour, UTC.</p>");
    let title = "Records by day of the week and hour, as in the table below";
    let _ = write!(page, "<div class=\"wide\">{}</div>", chart::calendar(title, hours));
    // A row for each hour: seven columns fit on a phone and on paper, however many records there are.
    let days = [("Hour", false)].into_iter().chain(DAYS.map(|day| (day, true)));
    table(page, "", "Records by hour of the week", &days.collect::<Vec<_>>());
    for hour in 0..24 {
        let _ = write!(page, "<tr><td>{hour:02}:00</td>");
        hours.iter().for_each(|day| cell(page, day[hour], &count(day[hour])));
        page.push_str("</tr>");
    }
    page.push_str("</tbody></table></div></div>");
}
