//! JSON of any shape: what the members are taken for, which objects are no log, and values in their own columns.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use urimill_logs::{Guessed, Log, Unwrap, detect_objects};
use urimill_read::format::{Asked, Format, Keep, RecordFormat};
use urimill_testkit::moves::Random;
use urimill_testkit::reading::{Reading, Row};

/// What is made of an input.
fn guessed(input: &str) -> Guessed {
    detect_objects(input.as_bytes(), None, &Unwrap::default())
}

/// What the members of an input are taken for: `url = "a", status = "b"`, without the quotes.
fn taken(input: &str) -> String {
    match guessed(input) {
        Guessed::Log(detected) => {
            let asked = Asked { keep: Keep::All, ..Asked::default() };
            let log = Log::detected(detected, &asked, None, (input.as_bytes(), "log"));
            log.expect("a log").guess().expect("a guess").replace(['"', '\\'], "")
        }
        Guessed::Doubtful(_) => "doubtful".to_owned(),
        Guessed::NoUri(found) => format!("no URI: {found}").replace('"', ""),
        Guessed::No => "no".to_owned(),
    }
}

fn rows(input: &str) -> Vec<Row> {
    rows_as(input, input)
}

/// The rows of an input whose first lines are these.
fn rows_as(first: &str, input: &str) -> Vec<Row> {
    let first = first.to_owned();
    let read = move |asked: &Asked, _: &_| match guessed(&first) {
        Guessed::Log(detected) => {
            Ok(Format::from(Log::detected(detected, asked, None, (first.as_bytes(), "log"))?))
        }
        other => panic!("{other:?}"),
    };
    Reading::new(read).rows(input.as_bytes())
}

#[test]
fn members_are_taken_for_what_their_names_and_values_say() {
    // (an object, what its members are taken for)
    let cases = [
        (
            json!({"request": {"url": "http://h.example/a"}, "resp_code": 200, "ts": "2024-05-17T10:05:03Z"}),
            "url = request.url, time = ts, status = resp_code",
        ),
        // Upper and lower case and separators make no difference.
        (
            json!({"RequestURL": "/a", "Status-Code": "404", "USER_AGENT": "curl", "Method": "GET"}),
            "url = RequestURL, method = Method, user_agent = USER_AGENT, status = Status-Code",
        ),
        (
            json!({"http.url": "http://h/a", "http.method": "GET", "http.status_code": 200}),
            "url = [http.url], method = [http.method], status = [http.status_code]",
        ),
        // A path, and what makes it a URI.
        (
            json!({"path": "/a", "query": "b=1", "host": "www.example.com", "scheme": "https", "status": 200,
                   "client_ip": "192.0.2.1"}),
            "path = path, query = query, host = host, scheme = scheme, client = client_ip, status = status",
        ),
        (
            json!({"http_host": "www.example.com:8443", "host": "web1", "uri": "/a?b", "verb": "GET", "code": 200,
                   "https": "on"}),
            "url = uri, host = http_host, https = https, method = verb, status = code",
        ),
        // The machine that wrote the log is no host of a URI.
        (
            json!({"host": "web1", "uri": "/a", "method": "GET", "status": 200}),
            "url = uri, method = method, status = status",
        ),
        // A whole URI has its host itself, and its query.
        (
            json!({"host": "www.example.com", "url": "http://h/a?b", "query": "b", "method": "GET", "status": 200}),
            "url = url, method = method, status = status",
        ),
        (
            json!({"url": "https://h/a", "query": "b=1", "method": "GET", "status": 200}),
            "url = url, query = query, method = method, status = status",
        ),
        // Several members may be the URI: the whole one, the request line, the more specific name.
        (
            json!({"uri": "/a", "url": "http://h/a", "status": 200, "method": "GET"}),
            "url = url, method = method, status = status",
        ),
        (
            json!({"uri": "/a", "request": "GET /a?b HTTP/1.1", "method": "GET", "status": 200, "size": 5}),
            "request = request, status = status, size = size",
        ),
        (
            json!({"url": "/b", "original_url": "/a", "request_uri": "/c", "status": 200, "method": "GET"}),
            "url = original_url, method = method, status = status",
        ),
        (
            json!({"a": {"status": 200}, "response": {"status": 404}, "url": "/a", "method": "GET"}),
            "url = url, method = method, status = response.status",
        ),
        // Values decide, too.
        (
            json!({"url": "/a", "method": "GET", "status": 7, "code": 200, "time": "soon", "ts": 1_715_940_303}),
            "url = url, method = method, time = ts, status = code",
        ),
        (
            json!({"url": "/a", "method": "GET", "protocol": "https", "status": "OK", "ip": "1.2.3", "time": 5}),
            "doubtful",
        ),
        (
            json!({"url": "/a", "protocol": "HTTP/2.0", "date": "2024-05-17", "time": "10:05:03", "status": 200}),
            "url = url, protocol = protocol, status = status, date = date, clock = time",
        ),
        // The unit of a duration is in its name, or in its value.
        (
            json!({"url": "/a", "method": "GET", "status": 200, "duration_ms": 5, "latency": 7, "ttfbSeconds": 0.5,
                   "connect_time": "1.5ms"}),
            "url = url, method = method, status = status, duration_us = duration_ms, response_us = ttfbSeconds, \
             connect_us = connect_time",
        ),
        (
            json!({"url": "/a", "method": "GET", "status": 200, "latency": 7, "took": "12"}),
            "url = url, method = method, status = status",
        ),
        // Words that say nothing are left out.
        (
            json!({"requestContext": {"http": {"method": "GET", "path": "/a"}, "timeEpoch": 1_715_940_303_000_u64},
                   "event": {"response": {"data": {"status": 200}}}}),
            "path = requestContext.http.path, method = requestContext.http.method, time = \
             requestContext.timeEpoch, status = event.response.data.status",
        ),
        // Lists: the first element, the element of a name.
        (
            json!({"req": {"url": "/a", "headers": {"User-Agent": ["curl"], "Host": ["h.example"]}}, "status": 200}),
            "url = req.url, host = req.headers.Host[0], user_agent = req.headers.User-Agent[0], status = status",
        ),
        (
            json!({"request": {"uri": "/a", "headers": [{"name": "Host", "value": "h.example"}]}, "status": 200,
                   "method": "GET"}),
            "url = request.uri, host = request.headers[name=Host].value, method = method, status = status",
        ),
        // A host with a path.
        (
            json!({"url": "www.example.com/a", "status": 200, "bytes_sent": 5}),
            "url = url, status = status, size = bytes_sent",
        ),
    ];
    for (object, expected) in cases {
        assert_eq!(taken(&format!("{object}\n")), expected, "{object}");
    }
}

#[test]
fn other_objects_are_no_log() {
    // (an object, what becomes of it)
    let cases = [
        (json!({"url": "http://h/a", "n": 1}), "doubtful"),
        (json!({"id": "/x", "request": {"method": "GET", "url": "http://h/a"}}), "doubtful"),
        // The path of a file.
        (
            json!({"@timestamp": "2024-05-17T10:05:03Z", "path": "/var/log/a.log", "host": "web1.example.com", "size": 7,
                   "message": "started"}),
            "doubtful",
        ),
        (
            json!({"log": {"file": {"path": "/var/log/a"}}, "status": 200, "method": "GET"}),
            "no URI: method = method, status = status",
        ),
        (json!({"status": 200, "ts": "2024-05-17T10:05:03Z"}), "no URI: time = ts, status = status"),
        (json!({"url": 7, "status": 200, "method": "GET"}), "no URI: method = method, status = status"),
        (json!({"url": "a b", "status": 200, "method": "GET"}), "no URI: method = method, status = status"),
        (
            json!({"referrer": {"url": "http://h/"}, "image_url": "http://h/", "user": "a"}),
            "no URI: user = user, referer = referrer.url",
        ),
        (json!(["/a"]), "no"),
        (json!("/a"), "no"),
    ];
    for (object, expected) in cases {
        assert_eq!(taken(&format!("{object}\n")), expected, "{object}");
    }
    // Most lines have to be objects, and most of these must have the URI.
    let right = json!({"url": "/a", "status": 200, "method": "GET"});
    assert_eq!(taken(&format!("{right}\nx\n")), "no");
    assert_ne!(taken(&format!("{right}\nx\n{right}\n")), "no");
    assert_eq!(
        taken(&format!("{right}\n{}\n", json!({"level": "info"}))),
        "no URI: method = method, status = status, level = level"
    );
}

#[test]
fn rows_have_the_columns_of_all_formats() {
    let input = concat!(
        r#"{"request":{"url":"/a?b","method":"GET","host":"H.example","x":[1, 2]},"code":"200","took_ms":1.5,"#,
        r#""remote_addr":"192.0.2.1:80","ts":1715940303.25,"n":{"a": null,"b":"\u00e9"}}"#,
        "\n",
        r#"{"request":{"url":"a b","method":"GET","host":"h.example"},"code":"abc","took_ms":"x"}"#,
        "\n",
        r#"{"request":{"method":"GET"},"code":500}"#,
        "\nno object\n"
    );
    let first = input.lines().next().unwrap_or_default();
    let found = rows_as(&format!("{first}\n"), input);
    let has = |row: &Row, expected: Value| {
        for (name, value) in expected.as_object().expect("an object") {
            assert_eq!(&row[name], value, "{name} of {row:?}");
        }
    };
    has(
        &found[0],
        json!({"uri": "http://h.example/a?b", "method": "GET", "status": 200, "duration_us": 1500, "client": "192.0.2.1",
               "client_port": 80, "time": "2024-05-17T10:05:03.250Z", "vhost": "H.example",
               "extra": r#"{"request.x":[1, 2],"n":{"a": null,"b":"\u00e9"}}"#}),
    );
    // Values of another form are among the others.
    has(
        &found[1],
        json!({"uri": "a b", "error": "record_malformed", "status": null, "duration_us": null, "method": "GET",
               "field_errors": "status:not_a_number,duration_us:not_a_number", "extra": r#"{"code":"abc","took_ms":"x"}"#}),
    );
    has(&found[2], json!({"error": "field_missing", "method": "GET", "status": 500}));
    has(&found[3], json!({"error": "record_malformed", "error_offset": 0}));
}

#[test]
fn objects_within_wrappers_are_judged() {
    let object = json!({"url": "/a", "status": 200, "method": "GET"}).to_string();
    let ways = [
        format!("2016-10-06T00:17:09.669794202Z stdout F {object}\n"),
        format!("<134>Feb 25 16:19:38 web1 app[7]: {object}\n"),
        format!(
            "{}\n",
            json!({"log": format!("{object}\n"), "stream": "stdout", "time": "2024-05-17T10:05:03Z"})
        ),
    ];
    for input in ways {
        assert_eq!(taken(&input), "url = url, method = method, status = status", "{input}");
        let row = &rows(&input)[0];
        assert_eq!((&row["uri"], &row["status"]), (&json!("/a"), &json!(200)), "{input}");
    }
}

/// Lines of objects whose values differ.
fn seeds() -> Vec<String> {
    (0..20)
        .map(|at| {
            json!({
                "ts": format!("2024-05-17T10:05:{:02}Z", 10 + at), "remote_ip": format!("192.0.2.{}", 100 + at),
                "request": {"method": (["GET", "POST"][at % 2]), "url": format!("/p{at}?q=v{at}"), "host": "h.example"},
                "status": 200 + at, "bytes": 1000 + at, "latency_ms": 50 + at, "agent": format!("agent {at}"),
                "referer": format!("http://r.example/{at}"), "other": {"status": 300 + at, "url": format!("/o{at}")}
            })
            .to_string()
        })
        .collect()
}

/// Columns, and the paths of their members.
const MEMBERS: &[(&str, &str, &str)] = &[
    ("status", "", "status"),
    ("size", "", "bytes"),
    ("client", "", "remote_ip"),
    ("user_agent", "", "agent"),
    ("referer", "", "referer"),
    ("method", "request", "method"),
];

/// Whether a member of a line has the value; a line that is no object has it before its fault.
fn has_value(line: &str, (within, name): (&str, &str), value: &Value) -> bool {
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let Ok(object) = serde_json::from_str::<Map<String, Value>>(line) else {
        return line.contains(&format!("\"{name}\":{value}"));
    };
    let object = match within {
        "" => Some(&object),
        within => object.get(within).and_then(Value::as_object),
    };
    object.and_then(|object| object.get(name)).is_some_and(|member| text(member) == text(value))
}

#[test]
fn no_value_comes_into_another_column() {
    let mut random = Random(7);
    let seeds = seeds();
    let mut input = seeds.join("\n");
    let pieces = [",", ":", "\"", "{", "}", "null", "\"a\":1,", "7", "\\", "[", "]", " "];
    for _ in 0..1_000 {
        let mut text = seeds[random.below(seeds.len())].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            match random.below(4) {
                0 => drop(text.remove(at)),
                1 => text.insert_str(at, pieces[random.below(pieces.len())]),
                2 => text.truncate(if random.below(6) == 0 { at.max(1) } else { text.len() }),
                _ => {
                    let mut words: Vec<&str> = text.split(',').collect();
                    let (a, b) = (random.below(words.len()), random.below(words.len()));
                    words.swap(a, b);
                    text = words.join(",");
                }
            }
        }
        let _ = write!(input, "\n{text}");
    }
    let lines: Vec<&str> = input.lines().collect();
    let rows = rows_as(&seeds.join("\n"), &input);
    assert_eq!(rows.len(), lines.iter().filter(|line| !line.trim().is_empty()).count());
    for row in rows {
        let line = lines[row["record"].as_u64().expect("a number") as usize - 1];
        for (column, within, name) in MEMBERS {
            let value = &row[*column];
            assert!(
                value.is_null() || has_value(line, (within, name), value),
                "{column} is {value} in {line}"
            );
        }
    }
}
