//! The detected formats, and the inputs that are refused with a sentence: by their first bytes, by the shape of their
//! lines, and at the end by their records.

use super::logs::corpora;
use super::run::{dir, names, urimill, write};
use super::table::jsonl;

const HERITRIX: &str =
    "2012-05-23T15:06:28.689Z 200 56 http://h/ P - text/dns #048 20120523150627325+74 - - 3t\n";
const CDX: &str = "h)/ 20140126200624 http://h/ text/html 200 A - - 1 2 f.gz\n";
const CLF: &str = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 1 \"-\" \"-\"\n";
const LIST: &str = "http://example.com/a\nhttps://example.org/b?c\n";

fn utf16(text: &str, little: bool, mark: bool) -> Vec<u8> {
    let mark = mark.then_some(0xfeff);
    let units = mark.into_iter().chain(text.encode_utf16());
    units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
}

/// A tar archive of one file, by its header.
fn tar(name: &str) -> Vec<u8> {
    let mut header = vec![0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[257..262].copy_from_slice(b"ustar");
    [header, LIST.as_bytes().to_vec()].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, bytes).expect("gzip");
    gzip.finish().expect("gzip")
}

/// The header of a zip archive's first file.
fn zip(name: &str) -> Vec<u8> {
    let mut bytes = b"PK\x03\x04\x14\0\0\0\x08\0".to_vec();
    bytes.extend([0; 16]);
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend([0, 0]);
    bytes.extend(name.as_bytes());
    bytes.extend(LIST.as_bytes());
    bytes
}

fn random(count: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn what_is_no_text_is_refused_by_every_command_and_format() {
    // (input, what the sentence has in it)
    let inputs: Vec<(Vec<u8>, &[&str])> = vec![
        (zip("urls.txt"), &["a zip archive", "unzip -p in"]),
        (zip("archive/data.warc.gz"), &["WACZ", "--from wacz"]),
        (zip("[Content_Types].xml"), &["Office document", "urimill extract"]),
        (tar("a.txt"), &["a tar archive", "a.txt", "tar -xOf in"]),
        (gzip(&tar("a.txt")), &["a tar archive"]),
        (gzip(&gzip(LIST.as_bytes())), &["gzip within another compression"]),
        (
            utf16(LIST, true, true),
            &["UTF-16LE", "use --encoding utf-16le, or", "iconv -f UTF-16LE -t UTF-8 in"],
        ),
        (utf16(LIST, false, true), &["UTF-16BE", "use --encoding utf-16be, or"]),
        (utf16(LIST, true, false), &["UTF-16LE"]),
        (utf16(LIST, false, false), &["UTF-16BE"]),
        (LIST.chars().flat_map(|c| (c as u32).to_le_bytes()).collect(), &["UTF-32LE"]),
        (b"%PDF-1.7\n1 0 obj\n".to_vec(), &["a PDF document"]),
        (b"SQLite format 3\0\x10\0".to_vec(), &["an SQLite database", "CSV or Parquet"]),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec(), &["a PNG image"]),
        (b"\xff\xd8\xff\xe0\0\x10JFIF".to_vec(), &["a JPEG image"]),
        (b"GIF89a\x01\0".to_vec(), &["a GIF image"]),
        (b"\x7fELF\x02\x01\x01\0".to_vec(), &["a program (ELF)"]),
        (b"7z\xbc\xaf\x27\x1c\0\x04".to_vec(), &["a 7-Zip archive"]),
        (b"Rar!\x1a\x07\x01\0".to_vec(), &["a RAR archive"]),
        (b"\x04\x22\x4d\x18\x64\x40".to_vec(), &["an lz4 stream"]),
        (b"Obj\x01\x04\x14avro.codec".to_vec(), &["an Avro file"]),
        (random(5000), &["binary data"]),
    ];
    let dir = dir();
    for (bytes, parts) in &inputs {
        write(dir.path(), "in", bytes);
        for command in [
            "normalize in -o out.csv",
            "normalize in -o out.csv --from auto",
            "normalize in -o out.csv --from lines",
            "normalize in -o out.csv --from heritrix",
            "normalize in -o out.csv --from clf --chunk 1000",
            "normalize in -o out.csv --from jsonl --uri-field url",
            "normalize in -o out.csv --uri-field 1",
            "dedupe in -o out.csv",
            "check in",
        ] {
            urimill(command).within(dir.path()).fails(2, &[&["in looks like"], *parts].concat());
            assert_eq!(names(dir.path()), ["in"], "{command}");
        }
        // Who insists gets rows.
        urimill("normalize in --from lines --on-invalid keep --to jsonl").within(dir.path()).ok();
        urimill("normalize in --on-invalid keep --to jsonl").within(dir.path()).ok();
    }
}

#[test]
fn containers_are_read_or_named() {
    let dir = dir();
    write(dir.path(), "list", LIST);
    urimill("normalize list -o t.parquet").within(dir.path()).ok();
    urimill("normalize list -o t.arrow").within(dir.path()).ok();
    let record =
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/a\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    write(dir.path(), "t.warc", record);
    // Without --from they are read as what they are.
    let done = urimill("normalize t.warc --to csv --columns uri,warc_type").within(dir.path()).ok();
    assert_eq!(done.text(), "uri,warc_type\nhttp://h/a,resource\n");
    for name in ["t.parquet", "t.arrow"] {
        let done = urimill(&format!("normalize {name} --uri-field uri --to uris")).within(dir.path()).ok();
        assert_eq!(done.text(), LIST);
        urimill(&format!("normalize {name}"))
            .within(dir.path())
            .fails(2, &["which column", "--uri-field NAME"]);
    }
    // Another format refuses them, and says which it is.
    for (name, format) in [("t.warc", "warc"), ("t.parquet", "parquet"), ("t.arrow", "arrow")] {
        for from in ["lines", "clf", "cdxj", "csv --uri-field 1"] {
            let line = format!("normalize {name} --from {from} -o out.csv");
            urimill(&line).within(dir.path()).fails(2, &[name, &format!("--from {format}")]);
        }
    }
    // `dedupe` reads them as normalize does.
    let done = urimill("dedupe t.warc --to uris").within(dir.path()).ok();
    assert_eq!(done.text(), "http://h/a\n");
    for name in ["t.parquet", "t.arrow"] {
        urimill(&format!("dedupe {name}")).within(dir.path()).fails(2, &["which column", "--uri-field NAME"]);
    }
}

#[test]
fn lines_that_are_no_list_are_refused_by_name() {
    // (input, what the sentence has in it)
    let inputs: &[(&str, &[&str])] = &[
        ("id,url\n1,http://a/\n2,http://b/\n", &["with commas between", "--from csv --uri-field url"]),
        ("id;url\n1;http://a/\n2;http://b/\n", &["semicolons"]),
        ("url,id\nhttp://a/,1\nhttp://b/,2\n", &["--from csv --uri-field url"]),
        ("\"id\",\"page url\"\n\"1\",\"http://a/,x\"\n", &["--uri-field \"page url\""]),
        ("1,http://a/\n2,http://b/\n", &["--from csv --uri-field 2"]),
        ("http://a/\thttp://b/\nhttp://a/\thttp://c/\n", &["--from tsv --uri-field 1"]),
        ("url\nhttp://a/\nhttp://b/\n", &["a column with a header", "--from csv --uri-field url"]),
        ("{\"url\": \"http://a/\", \"n\": 1}\n", &["JSON Lines", "--uri-field url", "\"n\""]),
        ("{\n \"a\": [1,\n 2]\n}\n", &["a JSON document"]),
        ("[{\"url\": \"http://a/\"}]\n", &["a JSON document, a list", "--from json --uri-field url"]),
        ("<?xml version=\"1.0\"?><opml/>\n", &["a list of feeds", "no URI"]),
        ("<!DOCTYPE html>\n<title>a</title>\n", &["an HTML page", "no URI"]),
        ("time:2013-01-01T00:00:00\thost:h\turi:/a\tstatus:200\n", &["LTSV"]),
        ("[Wed Oct 11 14:32:52 2000] [error] [client 192.0.2.1] no such file\n", &["an error log of Apache"]),
        ("#Software: x\n#Version: 1.0\n", &["W3C extended"]),
    ];
    for (input, parts) in inputs {
        urimill("normalize --to csv")
            .stdin(input)
            .fails(2, &[&["standard input looks like"], *parts].concat());
    }
    // An input that looks so only at second sight is a list.
    let lists = [
        LIST,
        "http://a/1,2,3\nhttp://b/4,5,6\n",
        "http://a/x;y\nhttp://b/x;y\n",
        "/a,b\n/c,d\n",
        "url\nlink\n",
        "urn:isbn:1\nmailto:a@b\n",
        "http://a/?q={\"a\":1}\n",
        "",
        "\n\n",
    ];
    for list in lists {
        let done = urimill("normalize --to csv --columns uri --summary none").stdin(list).ok();
        assert_eq!(done.stderr, "", "{list}");
    }
}

/// The result for each file: the format in which it is read, or the sentence that refuses it.
enum Fate {
    Read(&'static str),
    Refused(&'static str),
}

const FILES: &[(&str, Fate)] = &[
    ("ccidx.jsonl", Fate::Read("cdxj")),
    ("crowdsec_apache2_malformed.log", Fate::Read("clf")),
    ("crowdsec_bunkerweb.log", Fate::Read("clf")),
    ("crowdsec_iis_xml.log", Fate::Refused("an event log in XML")),
    ("crowdsec_litespeed.log", Fate::Refused("a log whose lines begin with a time")),
    ("crowdsec_modsecurity_nginx.log", Fate::Read("nginx-error")),
    ("crowdsec_nginx_malformed.log", Fate::Read("clf")),
    ("crowdsec_pfsense_rfc5424_nginx.log", Fate::Read("nginx-error within syslog")),
    ("lnav_bro_http.log.0", Fate::Read("zeek")),
    ("lnav_caddy_log.1", Fate::Read("caddy")),
    ("lnav_cloudflare.1", Fate::Read("cloudflare")),
    ("lnav_cloudflare.json", Fate::Read("cloudflare")),
    ("lnav_ecs_log.json", Fate::Refused("Elastic Common Schema")),
    ("lnav_haproxy.0", Fate::Read("haproxy")),
    ("lnav_journald.json", Fate::Refused("journald")),
    ("lnav_nested_json.json", Fate::Refused("JSON Lines")),
    ("lnav_syslog_with_access_log.0", Fate::Refused("syslog")),
    ("lnav_uwsgi.0", Fate::Read("uwsgi")),
    ("lnav_w3c.2", Fate::Refused("w3c")),
    ("lnav_w3c.3", Fate::Read("w3c")),
    ("lnav_w3c_big.0", Fate::Read("w3c")),
    ("matomo_amazon_cloudfront_rtmp.log", Fate::Read("cloudfront")),
    ("matomo_amazon_cloudfront_web.log", Fate::Read("cloudfront")),
    ("matomo_caddy_json.log", Fate::Read("caddy")),
    ("matomo_common.log", Fate::Read("clf")),
    ("matomo_common_complete.log", Fate::Read("clf")),
    ("matomo_common_encoding_big5.log", Fate::Read("clf")),
    ("matomo_common_vhost.log", Fate::Read("clf")),
    ("matomo_custom_regex_custom_date.log", Fate::Read("clf")),
    ("matomo_elb.log", Fate::Read("elb")),
    ("matomo_gandi.log", Fate::Read("clf")),
    ("matomo_haproxy.log", Fate::Read("haproxy")),
    ("matomo_icecast2.log", Fate::Read("clf")),
    ("matomo_iis.log", Fate::Read("w3c")),
    ("matomo_iis_custom.log", Fate::Read("w3c")),
    ("matomo_incapsula_w3c.log", Fate::Read("w3c")),
    ("matomo_ncsa_extended.log", Fate::Read("clf")),
    ("matomo_netscaler.log", Fate::Read("w3c")),
    ("matomo_nginx_json.log", Fate::Read("nginx-json")),
    ("matomo_ovh.log", Fate::Read("clf")),
    ("matomo_s3.log", Fate::Read("s3")),
    ("matomo_shoutcast.log", Fate::Read("w3c")),
    ("matomo_splitted_date_and_time.log", Fate::Read("w3c")),
    ("matomo_static_ignores.log", Fate::Read("clf")),
    ("matomo_traefik_json.log", Fate::Read("traefik-json")),
    ("wayback_wb.cdx", Fate::Read("cdx")),
    ("wayback_wbjson.json", Fate::Read("cdx")),
];

#[test]
fn every_family_of_logs_is_read_or_refused() {
    let Some(corpora) = corpora() else { return };
    let logs = corpora.join("logs");
    for name in names(&logs) {
        let path = logs.join(&name);
        let fate = FILES.iter().find(|(known, _)| *known == name).map(|(_, fate)| fate);
        match fate.unwrap_or_else(|| panic!("what becomes of {name}?")) {
            Fate::Refused(what) => {
                urimill("normalize").arg(&path).fails(2, &[&name, "looks like", what]);
                // It does not pass for another format either.
                for from in ["heritrix", "cdx", "cdxj", "clf"] {
                    // A third of its lines are of that format.
                    if (&*name, from) == ("crowdsec_litespeed.log", "clf") {
                        continue;
                    }
                    let run = urimill("normalize --to csv --from").arg(from).arg(&path).go();
                    assert_eq!((run.code, run.text()), (Some(2), ""), "{name} as {from}: {}", run.stderr);
                }
            }
            Fate::Read(format) => {
                let done = urimill("normalize --to jsonl").arg(&path).ok();
                assert!(
                    done.stderr.contains(&format!("read the input as {format}")),
                    "{name}: {}",
                    done.stderr
                );
                for row in jsonl(&done.stdout) {
                    let uri = row["uri"].as_str().unwrap_or_default();
                    let is_none = row["error"].is_string() || row["uri"].is_null();
                    let is_right = is_none || uri.starts_with('/') || uri.contains("://");
                    assert!(is_right, "{name}: {row:?}");
                }
            }
        }
    }
}

#[test]
fn an_input_of_another_format_ends_with_a_sentence_that_says_which() {
    let list = LIST.repeat(90);
    // (options, 172 lines or so, what the sentence has in it)
    let cases: &[(&str, String, &[&str])] = &[
        ("--from heritrix", CDX.repeat(172), &["no record", "heritrix", "h)/ 2014", "--from cdx"]),
        ("--from heritrix", CLF.repeat(172), &["192.0.2.1", "--from clf"]),
        ("--from heritrix", list.clone(), &["a list of URIs", "--from lines"]),
        ("--from cdx", HERITRIX.repeat(172), &["2012-05-23", "--from heritrix"]),
        ("--from cdx", CLF.repeat(172), &["--from clf"]),
        ("--from cdxj", CDX.repeat(172), &["--from cdx"]),
        ("--from clf", CDX.repeat(172), &["--from cdx"]),
        ("--from clf", list.clone(), &["--from lines"]),
        ("", "some words\n".repeat(20), &["20 of 20", "some words", "--on-invalid keep"]),
        ("", format!("http://a/\n{}", "some words\n".repeat(20)), &["20 of 21", "some words"]),
        ("--from jsonl --uri-field url", CDX.repeat(172), &["--from cdx"]),
        ("--from csv --uri-field 3", list, &["--from lines"]),
        // However few they are.
        ("--from heritrix", CDX.into(), &["--from cdx"]),
        ("--from heritrix", "a b c d\n".into(), &["no record", "a b c d"]),
        ("--from heritrix", "a b\n".into(), &["no record", "a b"]),
        ("--from clf", "broken\n".into(), &["no record", "broken"]),
        ("", "<x>\n<y>\n".into(), &["2 of 2", "<x>"]),
    ];
    let dir = dir();
    for (options, input, parts) in cases {
        for sizes in ["", "--threads 3 --chunk 700"] {
            write(dir.path(), "in.log", input);
            let line = format!("normalize in.log {options} {sizes}");
            let parts = &[&["in.log"], *parts, &["--on-invalid keep or reject"]].concat()[..];
            let run = urimill(&format!("{line} -o out.csv")).within(dir.path());
            run.fails(2, parts);
            assert_eq!(names(dir.path()), ["in.log"], "{line}");
            if sizes.is_empty() {
                // All of an input that is read at once: not a row of it was written.
                urimill(&format!("{line} --to csv")).within(dir.path()).fails(2, parts);
            }
            // Beside another input it is the one that is named.
            let right = if options.contains("heritrix") { HERITRIX } else { "" };
            write(dir.path(), "right.log", right);
            let run = urimill(&format!("{line} right.log -o out.csv")).within(dir.path());
            run.fails(2, parts);
            std::fs::remove_file(dir.path().join("right.log")).expect("a file");
            let done = urimill(&format!("{line} --to jsonl --on-invalid keep")).within(dir.path()).ok();
            assert_eq!(jsonl(&done.stdout).len(), input.lines().count(), "{line}");
        }
    }
}

#[test]
fn each_input_is_judged_by_itself() {
    let dir = dir();
    write(dir.path(), "a.txt", LIST);
    write(dir.path(), "b.gz", gzip(LIST.as_bytes()));
    write(dir.path(), "c.log", HERITRIX);
    write(dir.path(), "d.zip", zip("x"));
    write(dir.path(), "e.cdx", CDX);
    write(dir.path(), "empty", "");
    // One family, compressed or not.
    let done = urimill("normalize a.txt empty b.gz --to csv --columns source,uri").within(dir.path()).ok();
    assert_eq!(done.text().lines().count(), 5);
    // Formats of their own, where the columns are the same.
    for order in ["a.txt c.log e.cdx", "c.log empty a.txt e.cdx", "e.cdx a.txt c.log"] {
        let line =
            format!("normalize {order} --from auto --keep none --to csv --columns source,uri --threads 2");
        let done = urimill(&line).within(dir.path()).ok();
        let mut found: Vec<_> = done.text().lines().skip(1).collect();
        found.sort_unstable();
        let expected = [
            "a.txt,http://example.com/a",
            "a.txt,https://example.org/b?c",
            "c.log,http://h/",
            "e.cdx,http://h/",
        ];
        assert_eq!(found, expected, "{order}");
        urimill(&format!("normalize {order} --verify -o t.txt --force")).within(dir.path()).ok();
    }
    // Others make one table: all are checked before any is read.
    let done = urimill("normalize c.log a.txt --to csv --columns uri,hop_path").within(dir.path()).ok();
    assert_eq!(done.text(), "uri,hop_path\nhttp://h/,P\nhttp://example.com/a,\nhttps://example.org/b?c,\n");
    let run = urimill("normalize c.log a.txt d.zip -o t.csv").within(dir.path());
    run.fails(2, &["d.zip looks like a zip archive"]);
    let run = urimill("normalize a.txt d.zip -o t.csv").within(dir.path());
    run.fails(2, &["d.zip looks like a zip archive"]);
    assert!(!names(dir.path()).contains(&"t.csv".to_owned()));
}
