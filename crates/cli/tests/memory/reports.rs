//! Reports take the memory that they may, whatever is distinct in their inputs, and however much of it there is.

use super::inputs::measure;

/// A record in which all that a report counts is long, and in no other.
fn object(number: usize) -> String {
    let long = |what: &str| format!("{what}{number}{}", "-x".repeat(120));
    let (host, query) = (format!("{}.h{number}", "a".repeat(60)), "q".repeat(200));
    let redirect = if number.is_multiple_of(3) { 301 } else { 200 };
    format!(
        r#"{{"url":"http://{host}.example:{port}/{path}/{path}.{number:x}?{query}{number}=1&{number}","time":"20{year:02}-01-01T00:00:00Z","status":{redirect},"size":{number},"duration_us":{number},"digest":"sha1:{digest}","hop_path":"{hops}R","via":"http://v{number}/","redirect":"http://r{number}/","mime":"{mime}","protocol":"{protocol}","referer":"http://{referer}/","user_agent":"{agent}"}}"#,
        port = 1 + number % 65_000,
        path = long("p"),
        year = 10 + number % 90,
        digest = long("d"),
        hops = long("L"),
        mime = long("m"),
        protocol = long("H"),
        referer = long("r"),
        agent = long("u"),
    ) + "\n"
}

fn access(number: usize) -> String {
    let long = "-x".repeat(120);
    format!(
        "10.{}.{}.{} - - [17/May/2015:10:{:02}:03 +0000] \"GET /{number}{long}/{number}.{:x}?a{number}{long}=1&b{number}{long} \
         HTTP/1.1\" {} {number} \"http://r{number}.example/{long}\" \"agent {number} {long}\"\n",
        number >> 16,
        number >> 8 & 255,
        number & 255,
        number % 60,
        number,
        200 + number % 400,
    )
}

/// (what it is, the options, a record): at half a gibibyte, of so many records and twice as many.
#[test]
fn memory_holds_for_reports_of_hostile_inputs() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("a.state").display().to_string();
    type Record = fn(usize) -> String;
    let table: [(&str, &str, Record); 3] = [
        ("objects", "report --from jsonl --uri-field url -o /dev/null --force --state", object),
        ("a log", "report --from clf -o /dev/null --json /dev/null --force --state", access),
        ("hosts", "report --from lines -o /dev/null --force --state", |number| {
            format!("http://{}{number}.example.com/{number}/{}\n", "h".repeat(50), "p".repeat(300))
        }),
    ];
    for (what, options, record) in table {
        for records in [10_000, 20_000] {
            let input: String = (0..records).map(record).collect();
            let line = format!("{options} {state} --memory 512M --threads 8 --summary none");
            let (code, mebibytes, said) = measure(&line, (input.into_bytes(), Vec::new(), 0, Vec::new()));
            println!("{what}, {records} records: {mebibytes} MiB");
            assert_eq!(code, Some(0), "{what}: {said}");
            assert!((2..512).contains(&mebibytes), "{what}: {mebibytes} MiB");
        }
        let line = format!("report {state} {state} --force -o /dev/null --summary none --memory 512M");
        let (code, mebibytes, said) = measure(&line, Default::default());
        println!("{what}, states: {mebibytes} MiB");
        assert_eq!(code, Some(0), "{what}: {said}");
        assert!((2..512).contains(&mebibytes), "{what}, states: {mebibytes} MiB");
    }
}
