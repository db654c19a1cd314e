//! Samples of logs, with facts about their rows. Their lines are written by hand, after the documentation of those who
//! make such logs.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::paths::repository;
use crate::reading::Row;

/// (file, format)
pub const LOGS: &[(&str, &str)] = &[
    ("alb.log", "alb"),
    ("elb.log", "elb"),
    ("s3.log", "s3"),
    ("haproxy.log", "haproxy"),
    ("squid.log", "squid"),
    ("squid-combined.log", "squid-combined"),
    ("uwsgi.log", "uwsgi"),
    ("nginx-proxy-manager.log", "nginx-proxy-manager"),
    ("envoy.log", "envoy"),
    ("istio.log", "istio"),
    ("traefik.log", "traefik"),
    ("nginx-ingress.log", "nginx-ingress"),
    ("cloudfront.log", "cloudfront"),
    ("cloudfront-bare.log", "cloudfront"),
    ("cloudfront-realtime.log", "cloudfront-realtime"),
    ("w3c.log", "w3c"),
    ("zeek.log", "zeek"),
    ("gcs.log", "gcs"),
    ("caddy.log", "caddy"),
    ("traefik-json.log", "traefik-json"),
    ("envoy-json.log", "envoy-json"),
    ("gcp.log", "gcp"),
    ("cloudflare.log", "cloudflare"),
    ("zeek-json.log", "zeek-json"),
    ("fastly.log", "fastly"),
    ("vercel.log", "vercel"),
    ("ecs.log", "ecs"),
    ("nginx-json.log", "nginx-json"),
];

/// The folder of logs.
pub fn logs() -> PathBuf {
    repository().join("tests/samples/logs")
}

/// The text of a log.
///
/// # Panics
/// If there is no such sample.
pub fn log(file: &str) -> String {
    std::fs::read_to_string(logs().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Asserts that the rows of a log are those that its facts tell: for each row what some of its columns hold. `extra` is
/// an object there.
pub fn assert_facts(file: &str, rows: &[Row], what: &str) {
    let facts = log("facts.jsonl");
    let facts = facts.lines().map(|line| serde_json::from_str::<Value>(line).expect("a fact"));
    let facts: Vec<Value> =
        facts.filter(|fact| fact["file"] == json!(file)).map(|fact| fact["fields"].clone()).collect();
    assert!(!facts.is_empty(), "{file} has no facts");
    assert_eq!(rows.len(), facts.len(), "{what}");
    for (row, fact) in rows.iter().zip(&facts) {
        for (name, expected) in fact.as_object().expect("an object") {
            let shown = match (name.as_str(), row[name].as_str()) {
                ("extra", Some(text)) => serde_json::from_str(text).expect("an object"),
                _ => row[name].clone(),
            };
            assert_eq!(shown, *expected, "{what}: {name} of {row:?}");
        }
    }
}
