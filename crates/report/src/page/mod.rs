//! The page of a report: one HTML file that needs nothing else. It begins with what was not read.
//!
//! The content security policy forbids every connection. Tables and charts are in the markup, so that the page can be
//! read and printed without its script, which sorts, searches and selects.

mod chart;
mod crawl;
mod figures;
mod hosts;
mod text;
mod time;
mod unread;

use std::fmt::Write;

use super::figure::{Figure, Part};
use super::{Item, State};
use text::{bytes, count, escaped, share};

/// The longest page, in bytes.
pub const MOST_BYTES: usize = 600_000;

const STYLE: &str = include_str!("style.css");
/// The content security policy: the page may only show itself.
const POLICY: &str = include_str!("policy.txt");
const SCRIPT: &str = include_str!("script.js");

impl State {
    /// The page, with this title. Its tables have as many rows as fit.
    pub fn page(&self, title: &str) -> String {
        let sizes = [200, 100, 50, 25, 10, 5];
        let mut pages = sizes.into_iter().map(|rows| self.page_with(title, rows));
        let fits = |page: &String| page.len() <= MOST_BYTES;
        // The last one has at most 5 rows in each of some thirty tables.
        pages.find(fits).unwrap_or_else(|| self.page_with(title, 1))
    }

    fn page_with(&self, title: &str, rows: usize) -> String {
        let title = escaped(title);
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>Report: {title}</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the figures</a>\n<header>\n<h1>{title}</h1>\n"
        );
        let formats: Vec<String> = self.formats().map(escaped).collect();
        let span = match self.times() {
            Some((first, last)) => format!(", {first} to {last} UTC"),
            None => String::new(),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            page,
            "<p class=\"soft\">{} {}, read as {}{span}</p>",
            count(self.inputs()),
            if self.inputs() == 1 { "input" } else { "inputs" },
            formats.join(", "),
        );
        self.navigation(&mut page);
        page.push_str(
            "</header>\n<main id=\"main\">\n<div class=\"search\" role=\"search\"><label for=\"search\">Search</label>\
             <input id=\"search\" type=\"search\" placeholder=\"text in any table\" autocomplete=\"off\">\
             <output id=\"found\" aria-live=\"polite\"></output></div>\n",
        );
        unread::section(self, &mut page);
        self.totals(&mut page);
        let data = time::section(self, &mut page);
        for part in Part::ALL {
            figures::section(self, part, rows, &mut page);
        }
        let _ = write!(
            page,
            "</main>\n<footer><p>Sums are exact until a figure has more distinct texts than its sketch holds; then the \
             heading says how far they can be off. Numbers of distinct texts are then within the bounds given, with a \
             probability of 95 %. Quantiles are off by less than 2 %. Of texts the first 256 bytes count. Times are in \
             UTC.</p><p>Made by urimill {}.</p></footer>\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            env!("CARGO_PKG_VERSION")
        );
        page
    }

    fn has(&self, part: Part) -> bool {
        let has = Figure::ALL.iter().any(|figure| figure.part() == part && self.total(*figure) > 0);
        let is_crawl = part == Part::Crawls && !(self.crawl.is_empty() && self.hosts.is_empty());
        has || is_crawl || part == Part::Responses && self.sizes.count + self.times.count > 0
    }

    fn navigation(&self, page: &mut String) {
        page.push_str("<nav aria-label=\"Parts\"><ul><li><a href=\"#unread\">Not read</a></li>");
        page.push_str("<li><a href=\"#totals\">Totals</a></li>");
        if self.series.ends.is_some() {
            page.push_str("<li><a href=\"#time\">Time</a></li>");
        }
        for part in Part::ALL.into_iter().filter(|part| self.has(*part)) {
            let _ = write!(page, "<li><a href=\"#{0}\">{0}</a></li>", part.title());
        }
        page.push_str("</ul></nav>\n");
    }

    fn totals(&self, page: &mut String) {
        let accounts = self.accounts();
        let mut tiles = vec![
            ("Records", count(accounts.records)),
            ("URI references", count(accounts.valid)),
            ("Rejects", count(accounts.rejects)),
            ("Bytes read", bytes(accounts.bytes)),
            ("Changed by normalization", count(accounts.changed)),
        ];
        let further = [
            ("Hosts", Figure::Host),
            ("Registered domains", Figure::RegisteredDomain),
            ("Visitors", Figure::Visitor),
            ("Paths", Figure::Path),
        ];
        for (name, figure) in further {
            if self.total(figure) > 0 {
                tiles.push((name, about(self, figure)));
            }
        }
        tiles.extend(self.failures());
        let (robots, agents) = (self.total(Figure::Robot), self.total(Figure::AgentFamily));
        if agents > 0 {
            tiles.push(("Records of robots", format!("{} ({})", count(robots), share(robots, agents))));
        }
        let digest = self.total(Figure::Digest);
        if digest > 0 {
            let duplicates = digest.saturating_sub(self.distinct(Figure::Digest).estimate);
            let about = if self.error(Figure::Digest) == 0 { "" } else { "about " };
            tiles.push(("Duplicates by digest", format!("{about}{}", count(duplicates))));
        }
        if self.sizes.count > 0 {
            tiles.push(("Bytes of responses", bytes(self.sizes.sum)));
        }
        page.push_str("<section id=\"totals\"><h2>Totals</h2><dl class=\"tiles\">");
        for (name, value) in tiles {
            let _ = write!(page, "<div><dt>{name}</dt><dd>{value}</dd></div>");
        }
        page.push_str("</dl></section>\n");
    }

    /// The number of statuses that are errors, with their share: the first question about any log.
    fn failures(&self) -> Vec<(&'static str, String)> {
        let all = self.total(Figure::Status);
        let statuses = self.top(Figure::Status, usize::MAX);
        let code = |item: &Item| item.text.parse::<i64>().unwrap_or(0);
        let sum =
            |is: fn(i64) -> bool| statuses.iter().filter(|item| is(code(item))).map(|item| item.lower).sum();
        let about = if self.error(Figure::Status) == 0 { "" } else { "about " };
        let tile = |name, sum: u64| (name, format!("{about}{} ({})", count(sum), share(sum, all)));
        let mut tiles = Vec::new();
        if all > 0 {
            tiles.push(tile("Client errors (4xx)", sum(|code| (400..500).contains(&code))));
            tiles.push(tile("Server errors (5xx)", sum(|code| (500..600).contains(&code))));
        }
        // Crawlers write why a fetch failed; servers seldom do.
        match sum(|code| code <= 0) {
            0 => {}
            none => tiles.push(tile("No answer (0 and below)", none)),
        }
        tiles
    }
}

/// The number of distinct texts.
fn about(state: &State, figure: Figure) -> String {
    let distinct = state.distinct(figure);
    match distinct.lower == distinct.upper {
        true => count(distinct.estimate),
        false => format!("about {}", count(distinct.estimate)),
    }
}

/// The beginning of a table that can be sorted: its caption, and its headings with whether they are numbers.
fn table(page: &mut String, id: &str, caption: &str, heads: &[(&str, bool)]) {
    let caption = escaped(caption);
    let id = if id.is_empty() { String::new() } else { format!(" id=\"{id}\"") };
    let _ = write!(
        page,
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{caption}, table\"><table class=\"sortable\"{id}>\
         <thead><tr>"
    );
    for (head, is_number) in heads {
        let class = if *is_number { " class=\"n\"" } else { "" };
        let _ = write!(
            page,
            "<th scope=\"col\" aria-sort=\"none\"{class}><button type=\"button\">{head}</button></th>"
        );
    }
    page.push_str("</tr></thead><tbody>");
}

/// A cell with a number, by which it is sorted.
fn cell(page: &mut String, value: u64, shown: &str) {
    let _ = write!(page, "<td class=\"n\" data-v=\"{value}\">{shown}</td>");
}
