//! Every figure of a state, as JSON.

use serde_json::{Map, Value, json};

use super::advice::mend;
use super::crawl::{Circle, Parameter, SameContent};
use super::figure::Figure;
use super::histogram::{Histogram, bounds};
use super::series::{CLASSES, moment};
use super::{HostFetches, LONGEST, State};

impl State {
    /// One object with every figure: what `urimill report --json` writes. Each figure has at most `most` texts.
    pub fn to_json(&self, most: usize) -> Value {
        let figures = Figure::ALL.iter().filter(|figure| self.total(**figure) > 0);
        let figures = figures.map(|figure| (figure.as_str().to_owned(), self.figure_json(*figure, most)));
        let codes = self.codes.iter().map(|(code, rejected)| {
            let example = |example: &super::Example| {
                json!({
                    "source": example.source,
                    "record": example.record,
                    "offset": example.offset,
                    "text": example.text,
                })
            };
            let examples: Vec<Value> = rejected.examples.iter().map(example).collect();
            (code.clone(), json!({ "records": rejected.records, "mend": mend(code), "examples": examples }))
        });
        let options = self.origin.options.iter().flatten().map(|(name, values)| {
            (name, values.iter().map(String::as_str).collect::<Vec<_>>().join(" and "))
        });
        let damages = self.damages.iter().map(|(source, sentence, records)| {
            json!({ "source": source, "damage": sentence, "records_before": records })
        });
        json!({
            "accounts": self.accounts.all().into_iter().map(|(name, value)| (name.to_owned(), json!(value)))
                .collect::<Map<_, _>>(),
            "formats": self.formats,
            "inputs": { "count": self.input_count, "names": self.inputs },
            "options": options.map(|(name, values)| (name.clone(), json!(values))).collect::<Map<_, _>>(),
            "damaged": { "count": self.damage_count, "first": damages.collect::<Vec<_>>() },
            "rejects": codes.collect::<Map<_, _>>(),
            "figures": figures.collect::<Map<_, _>>(),
            "sizes": histogram_json(&self.sizes),
            "times_us": histogram_json(&self.times),
            "series": self.series_json(),
            "crawl": self.crawl_json(most),
            "hosts_over_time": self.hosts_json(most),
            "longest_text_bytes": LONGEST,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    fn figure_json(&self, figure: Figure, most: usize) -> Value {
        let distinct = self.distinct(figure);
        let error = self.error(figure);
        let item = |item: super::Item| match error {
            0 => json!({ "text": item.text, "sum": item.lower }),
            _ => json!({ "text": item.text, "sum": item.lower, "at_most": item.upper }),
        };
        json!({
            "unit": figure.unit().as_str(),
            "meaning": figure.meaning(),
            "total": self.total(figure),
            "error": error,
            "distinct": { "estimate": distinct.estimate, "lower": distinct.lower, "upper": distinct.upper },
            "top": self.top(figure, most).into_iter().map(item).collect::<Vec<_>>(),
        })
    }

    /// Facts about all records of a crawl together; null if no record has a digest of a content or is a redirect.
    fn crawl_json(&self, most: usize) -> Value {
        if self.crawl.is_empty() {
            return Value::Null;
        }
        let parameters = self.parameters();
        let (contents, share) = self.crawl.same_contents();
        let content = |one: &SameContent| {
            json!({
                "host": one.host,
                "digest": one.digest,
                "uris": one.uris,
                "sampled": one.sampled,
                "examples": one.examples,
            })
        };
        let circles = self.circles();
        let circle = |one: &Circle| json!({ "uris": one.uris, "example": one.example });
        json!({
            "parameters": {
                "drop_params": parameters.drop_params,
                "share": parameters.share,
                "all_hosts": parameters.all_hosts.iter().take(most).map(parameter_json).collect::<Vec<_>>(),
                "by_host": parameters.by_host.iter().take(most).map(parameter_json).collect::<Vec<_>>(),
            },
            "same_content": {
                "share": share,
                "contents": contents.iter().take(most).map(content).collect::<Vec<_>>(),
            },
            "redirects": {
                "share": circles.share,
                "pairs": circles.pairs,
                "circles": circles.circles.iter().take(most).map(circle).collect::<Vec<_>>(),
            },
        })
    }

    /// The times of fetches by host; null if no record of a crawl has a time.
    fn hosts_json(&self, most: usize) -> Value {
        if self.hosts.is_empty() {
            return Value::Null;
        }
        let host = |one: HostFetches| {
            json!({
                "host": one.host,
                "records": one.records,
                "bytes": one.bytes,
                "first": moment(one.first),
                "last": moment(one.last),
                "longest_gap_ms": one.longest_gap.map(|(lower, upper)| json!({ "lower": lower, "upper": upper })),
            })
        };
        json!({
            "records": self.hosts.records,
            "bytes": self.hosts.bytes,
            "error": self.hosts.error,
            "hosts": self.hosts(most).into_iter().map(host).collect::<Vec<_>>(),
        })
    }

    fn series_json(&self) -> Value {
        let Some((first, last)) = self.times() else { return Value::Null };
        let intervals = self.series.intervals.iter().map(|(minute, counts)| {
            let classes =
                CLASSES.iter().zip(counts.classes).map(|(name, count)| ((*name).to_owned(), json!(count)));
            let mut interval: Map<String, Value> = classes.collect();
            interval.insert("begin".to_owned(), json!(moment(minute.saturating_mul(60_000))));
            interval.insert("records".to_owned(), json!(counts.records()));
            interval.insert("bytes".to_owned(), json!(counts.bytes));
            Value::Object(interval)
        });
        json!({
            "first": first,
            "last": last,
            "minutes": self.series.minutes(),
            "intervals": intervals.collect::<Vec<_>>(),
            "hours_from_monday": self.series.hours.iter().map(|day| day.to_vec()).collect::<Vec<_>>(),
        })
    }
}

fn parameter_json(parameter: &Parameter) -> Value {
    json!({
        "host": (!parameter.host.is_empty()).then_some(&parameter.host),
        "name": parameter.name,
        "never_matters": parameter.never_matters(),
        "hosts": parameter.hosts,
        "uris": parameter.uris,
        "pairs": parameter.same + parameter.different,
        "same": parameter.same,
        "different": parameter.different,
        "contents": parameter.contents,
        "same_example": parameter.same_example,
        "different_example": parameter.different_example,
    })
}

fn histogram_json(histogram: &Histogram) -> Value {
    if histogram.count == 0 {
        return Value::Null;
    }
    let percentiles = [1, 5, 25, 50, 75, 90, 95, 99].into_iter().filter_map(|percent| {
        let (lower, upper) = histogram.percentile(percent)?;
        Some((percent.to_string(), json!({ "lower": lower, "upper": upper })))
    });
    let ranges =
        histogram.ranges.iter().map(|(range, count)| json!([bounds(*range).0, bounds(*range).1, count]));
    json!({
        "count": histogram.count,
        "sum": histogram.sum,
        "least": histogram.least,
        "most": histogram.most,
        "percentiles": percentiles.collect::<Map<_, _>>(),
        "ranges": ranges.collect::<Vec<_>>(),
    })
}
