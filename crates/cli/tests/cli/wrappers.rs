//! What is around the lines of logs: named in the summary, asked for by an option, of several inputs.

use serde_json::{Value, json};

use super::run::{dir, urimill, write};

const LINE: &str = "192.0.2.1 - - [01/Jan/2023:00:00:00 +0000] \"GET /a?b=c HTTP/1.1\" 200 5 \"-\" \"curl\"";

#[test]
fn the_summary_names_what_was_taken_off() {
    let docker = json!({"log": format!("{LINE}\n"), "stream": "stdout"}).to_string();
    let journald = json!({"__REALTIME_TIMESTAMP": "1", "MESSAGE": docker}).to_string();
    // (an input, the format and what is around it, the wrappers of the summary in JSON)
    let cases = [
        (format!("{LINE}\n"), "clf\n", json!([])),
        (format!("web-1  | {LINE}\n"), "clf within compose\n", json!(["compose"])),
        (format!("{journald}\n"), "clf within docker within journald\n", json!(["journald", "docker"])),
        (
            format!("{{\"message\":{}}}\n", Value::from(LINE)),
            "clf within json:message\n",
            json!(["json:message"]),
        ),
    ];
    for (input, text, wrappers) in cases {
        let done = urimill("normalize --to csv").stdin(&input).ok();
        assert!(done.stderr.contains(&format!("read the input as {text}")), "{}", done.stderr);
        let done = urimill("normalize --to csv -o /dev/null --summary json").stdin(&input).ok();
        let stats = done.stderr.lines().last().unwrap_or_default();
        let stats: Value = serde_json::from_str(stats).expect("a summary");
        assert_eq!(stats["wrappers"], wrappers, "{input}");
    }
}

#[test]
fn a_field_that_is_named_may_hold_lines() {
    let row = format!("1,\"{}\"\n", LINE.replace('"', "\"\""));
    let object = format!("{}\n", json!({"a": 1, "b": LINE}));
    // (options, an input, the paths and statuses)
    let cases = [
        ("--uri-field _raw", format!("_time,_raw\n{row}{row}"), "/a,200\n/a,200\n"),
        ("--uri-field 2", format!("_time,_raw\n{row}{row}"), "/a,200\n/a,200\n"),
        ("--uri-field b", object.clone(), "/a,200\n"),
        ("--unwrap csv:_raw", format!("_time,_raw\n{row}{row}"), "/a,200\n/a,200\n"),
        ("--unwrap json:b --from clf", object, "/a,200\n"),
    ];
    for (options, input, expected) in cases {
        let line = format!("normalize --to csv --columns path --keep status {options}");
        let done = urimill(&line).stdin(&input).ok();
        let rows: Vec<&str> = done.text().lines().skip(1).map(|row| row.trim_end_matches(',')).collect();
        assert_eq!(rows, expected.lines().collect::<Vec<_>>(), "{options}");
    }
}

#[test]
fn inputs_have_wrappers_of_their_own() {
    let folder = dir();
    write(folder.path(), "bare.log", format!("{LINE}\n"));
    write(folder.path(), "time.log", format!("2018-02-16T00:00:00.000Z {LINE}\n"));
    write(folder.path(), "compose.log", format!("web-1  | {LINE}\n"));
    for files in ["bare.log time.log compose.log", "compose.log bare.log time.log"] {
        let line = format!("normalize {files} --to jsonl --keep client,log_time --threads 2");
        let done = urimill(&line).within(folder.path()).ok();
        let rows: Vec<Value> =
            done.text().lines().map(|row| serde_json::from_str(row).expect("a row")).collect();
        assert!(rows.iter().all(|row| row["client"] == json!("192.0.2.1")), "{}", done.text());
        let times: Vec<&Value> =
            rows.iter().map(|row| &row["log_time"]).filter(|time| !time.is_null()).collect();
        assert_eq!(times, [&json!("2018-02-16T00:00:00Z")], "{files}");
    }
}

#[test]
fn wrappers_that_are_no_wrappers_are_refused() {
    for (name, message) in [("nothing", "no wrapper \"nothing\""), ("docker,csv", "name csv first")] {
        let done = urimill(&format!("normalize --unwrap {name}")).stdin("").go();
        assert_eq!(done.code, Some(2), "{name}");
        assert!(done.stderr.contains(message), "{}", done.stderr);
    }
    // (options, a part of the message)
    let cases = [
        ("--unwrap docker --from lines", "--unwrap is for logs"),
        ("--unwrap none", "looks like a log of the format clf with more before each line"),
    ];
    for (options, message) in cases {
        let input = format!("web-1  | {LINE}\n");
        urimill(&format!("normalize {options}")).stdin(input).fails(2, &[message]);
    }
}
