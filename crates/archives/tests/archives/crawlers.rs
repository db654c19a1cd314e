//! The log of Heritrix, and dumps of Nutch.

use serde_json::{Value, json};
use urimill_testkit::reading::assert_has;

use super::rows;

/// (a line of Heritrix, what its row says)
#[rustfmt::skip]
fn broken() -> Vec<(&'static [u8], Value)> {
    vec![
        // Too few fields for the URI.
        (b"2012-05-23T15:06:28.689Z 1 56", json!({"error": "field_missing", "uri": "2012-05-23T15:06:28.689Z 1 56",
            "time": null, "field_errors": null})),
        // `-` is null, and that is not a reject.
        (b"2012-05-23T15:06:28.689Z 1 56 - - - - - - - - -", json!({"error": null, "uri": null, "status": 1, "size": 56})),
        // Too few for all.
        (b"2012-05-23T15:06:28Z -9998 - http://h/ LL", json!({"error": null, "uri": "http://h/", "status": -9998,
            "size": null, "time": "2012-05-23T15:06:28Z", "hop_path": "LL", "digest": null,
            "field_errors": "via:missing,mime:missing,thread:missing,fetch_time:missing,fetch_ms:missing,\
                             digest:missing,source_tag:missing,annotations:missing"})),
        // A URI outside the grammar keeps the other fields.
        (b"2012-05-23T15:06:28.689Z 200 5 http://h/% - - a/b #1 20120523150627325+7 - - - {\"a\": 1}",
            json!({"error": "percent_truncated", "status": 200, "thread": 1, "fetch_ms": 7, "extra": "{\"a\": 1}"})),
        // Malformed values.
        (b"2012-02-30T15:06:28.689Z 2x 99999999999999999999 http://h/ - - - 1 - - - -",
            json!({"error": null, "time": null, "status": null, "size": null, "thread": null, "fetch_time": null,
                "field_errors": "time:not_a_time,status:not_a_number,size:out_of_range,thread:not_a_number"})),
        (b"2012-05-23T15:06:28.689Z 9999999999 1 http://h/ - - \xff #1 20120523150627325 - - -",
            json!({"status": null, "mime": "\u{fffd}", "fetch_time": "2012-05-23T15:06:27.325Z", "fetch_ms": null,
                "field_errors": "status:out_of_range,mime:not_utf8"})),
    ]
}

#[test]
fn a_broken_line_keeps_its_row() {
    for (line, expected) in broken() {
        let what = line.escape_ascii().to_string();
        let rows = rows("heritrix", [line, b"\n"].concat());
        assert_eq!(rows.len(), 1, "{what}");
        assert_has(&rows[0], &expected, &what);
    }
}

#[test]
fn moments_are_those_of_the_calendar_with_a_zone() {
    // (time, moment or null)
    let forms: &[(&str, Option<&str>)] = &[
        ("2012-05-23T15:06:28.689Z", Some("2012-05-23T15:06:28.689Z")),
        ("2012-05-23T15:06:28Z", Some("2012-05-23T15:06:28Z")),
        ("2012-05-23T15:06:28.5Z", Some("2012-05-23T15:06:28.500Z")),
        ("2012-05-23T15:06:28.6891239Z", Some("2012-05-23T15:06:28.689Z")),
        ("20120523150628", Some("2012-05-23T15:06:28Z")),
        ("20120523150628689", Some("2012-05-23T15:06:28.689Z")),
        ("2012-05-23T15:06:28.689", None),
        ("2012-05-23T15:06:28.Z", None),
        ("2012-05-23 15:06:28Z", None),
        ("2012-05-23T24:00:00Z", None),
        ("2012-05-23T23:60:00Z", None),
        ("2012-13-23T15:06:28Z", None),
        ("2000-02-29T00:00:00Z", Some("2000-02-29T00:00:00Z")),
        ("1900-02-29T00:00:00Z", None),
        ("2023-02-29T00:00:00Z", None),
        ("1969-12-31T23:59:59.999Z", Some("1969-12-31T23:59:59.999Z")),
        ("0001-01-01T00:00:00Z", Some("0001-01-01T00:00:00Z")),
    ];
    for (time, moment) in forms {
        let line = format!("{} 1 1 http://h/ - - - - - - - -\n", time.replace(' ', "_"));
        let fault = moment.is_none().then_some("time:not_a_time");
        assert_has(&rows("heritrix", line)[0], &json!({"time": moment, "field_errors": fault}), time);
    }
}

#[test]
fn heritrix_is_read_before_it_had_tags() {
    let line = |end: &str| {
        format!(
            "2005-05-06T11:47:30.544Z   200      13750 http://h.example/ - - text/html #001 20050506114730466+32 {end}"
        )
    };
    let digest = "U4X3Z5EGCNUYTMIXST6BJXGA5SBKTEAJ";
    // (the end of the line, what its row has): as the tests of NetarchiveSuite have it
    let cases = [
        (
            format!("{digest} 3t"),
            json!({"digest": digest, "source_tag": null, "annotations": "3t", "field_errors": null}),
        ),
        (
            format!("{digest} duplicate:\"a.arc,1,20161205100310645\",content-size:2494,3t"),
            json!({"source_tag": null, "annotations": "duplicate:\"a.arc,1,20161205100310645\",content-size:2494,3t"}),
        ),
        (format!("{digest} - 3t"), json!({"digest": digest, "source_tag": null, "annotations": "3t"})),
        (
            format!("{digest} www.example"),
            json!({"source_tag": null, "annotations": null,
            "field_errors": "source_tag:missing,annotations:missing"}),
        ),
        // A digest or a tag may be missing.
        (
            "- 3t".to_owned(),
            json!({"digest": null, "annotations": null, "field_errors": "source_tag:missing,annotations:missing"}),
        ),
    ];
    for (end, expected) in cases {
        let row = &rows("heritrix", line(&end) + "\n")[0];
        assert_has(row, &json!({"error": null, "uri": "http://h.example/", "size": 13750}), &end);
        assert_has(row, &expected, &end);
    }
}

#[test]
fn a_record_of_a_dump_is_a_row() {
    let dump = "http://h/1\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Sat Jun 04 12:00:00 UTC 2005\n\
                Modified time: Thu Jan 01 00:00:00 UTC 1970\nRetries since fetch: 0\n\
                Retry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: null\nMetadata: \n \
                \t_pst_=success(1), lastModified=0\n\tContent-Type=text/html\n\n\
                http://h/2\tVersion: 7\r\nStatus: 1 (db_unfetched)\r\nScore: 0.5\r\n\r\n\
                http://h/3\nStatus: 1\n\nhttp://h/4\tVersion: 7\nStatus: 1 (db_unfetched)\nWhat: 1\nScore: 0.25\n";
    let expected = json!([
        {"record": 1, "uri": "http://h/1", "version": 7, "status": 2, "status_name": "db_fetched",
         "fetch_time": "2005-06-04T12:00:00Z", "modified_time": "1970-01-01T00:00:00Z", "retries": 0,
         "retry_interval": 2592000, "score": "1.0", "signature": null, "field_errors": null,
         "metadata": json!({"_pst_": "success(1), lastModified=0", "Content-Type": "text/html"}).to_string()},
        {"record": 2, "uri": "http://h/2", "status": 1, "status_name": "db_unfetched", "score": "0.5", "metadata": null},
        {"record": 3, "uri": "http://h/3\nStatus: 1", "error": "record_malformed", "error_offset": 0},
        {"record": 4, "error": "record_malformed", "error_offset": 47, "status": 1, "score": null},
    ]);
    let expected = expected.as_array().expect("an array");
    for what in ["nutch", "nutch --chunk 1", "nutch --chunk 300 --threads 3"] {
        let rows = rows(what, dump);
        assert_eq!(rows.len(), expected.len(), "{what}: {rows:?}");
        rows.iter().zip(expected).for_each(|(row, expected)| assert_has(row, expected, what));
    }
}
