//! Batches: a row equals the result of the calls for one URI, and no record is lost.

use arrow::array::BinaryViewArray;
use urimill::audit::Flags;
use urimill::batch::{Column, Columns, Normalizer, Options};
use urimill::simd::Isa;
use urimill::{Level, UriRef, normalize};

use crate::arrays::judge_with;
use crate::row::{combinations, judge, options, records, rows};
use crate::{Rng, corpora, dataset};

#[test]
fn data_sets_match_single_calls() {
    for (level, with_repair) in combinations() {
        judge(&dataset("oddities.txt"), level, with_repair);
        judge(&dataset("sample.txt"), level, with_repair);
    }
}

#[test]
fn random_records_match_single_calls() {
    let mut rng = Rng(3);
    for _ in 0..40 {
        let mut text = Vec::new();
        for _ in 0..300 {
            text.extend_from_slice(&rng.text(14));
            text.extend_from_slice([&b"\n"[..], b"\n", b"\r\n", b"\n\n"][rng.below(4)]);
        }
        text.extend_from_slice(&rng.text(14));
        for (level, with_repair) in combinations() {
            judge(&text, level, with_repair);
        }
    }
}

/// The part before the path is judged once for all rows that share it.
#[test]
fn authorities_that_come_again_match_single_calls() {
    let hosts = [
        "h.example",
        "H.example",
        "localhost",
        "10.0.0.1",
        "8.8.8.8",
        "[2001:db8::1]",
        "[::1]",
        "u@h",
        "u:p@h",
        "a_b",
        "h%41",
        "h..x",
        "0x7f.1",
        "a.example@b",
        "",
        "WWW.Example.ORG",
        "XN--80AK6AA92E.com",
        "Ab@H",
        "0X7F.1",
        "A234567890b234567890c234567890d234567890e234567890f234567890g.example",
    ];
    let ports = ["", ":", ":80", ":443", ":8080", ":22", ":99999", ":0080", ":x"];
    let tails = [
        "/", "/a?b#c", "/a/../b", "/.", "/.b/..c", "/aux.txt", "/%61", "/%2e/a", "//x", "", "?b", "/a b",
        "/%zz", "/a?/../b",
    ];
    let mut text = String::new();
    for tail in tails {
        for host in hosts {
            for port in ports {
                for scheme in ["http", "https", "HTTP", "hTTps", "ftp"] {
                    text.push_str(&format!("{scheme}://{host}{port}{tail}\n"));
                }
            }
        }
    }
    for (level, with_repair) in combinations() {
        judge(text.as_bytes(), level, with_repair);
    }
}

/// Every line of the corpora at one of the ten combinations.
#[test]
fn corpora_match_single_calls() {
    for path in corpora() {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (turn, (level, with_repair)) in combinations().enumerate() {
            let lines = text.split_inclusive(|&b| b == b'\n').skip(turn).step_by(10);
            judge(&lines.flatten().copied().collect::<Vec<u8>>(), level, with_repair);
        }
    }
}

/// Whether a record needs work is decided before the work: the decision must not miss anything.
#[test]
fn one_change_sets_no_other_flags() {
    let mut rng = Rng(6);
    let written = [
        "mailto://h/x@Example.com",
        "mailto:x@Example.com,y@EXAMPLE.com",
        "file://LOCALHOST/",
        "http://[::0]",
    ];
    let random = (0..20_000).map(|_| rng.text(10)).filter_map(|text| String::from_utf8(text).ok());
    for text in written.map(str::to_owned).into_iter().chain(random) {
        let Ok(uri) = UriRef::parse(&text) else { continue };
        let Some(scheme) = uri.scheme() else { continue };
        let shouted = scheme.to_ascii_uppercase() + &text[scheme.len()..];
        let shouted = UriRef::parse(&shouted).expect("valid in either case");
        for level in &Level::ALL[1..] {
            let lower = scheme.to_ascii_lowercase();
            let plain = normalize(&uri, *level);
            assert_eq!(normalize(&shouted, *level), plain, "{text} at {level}");
            assert!(plain.starts_with(&lower), "{text} at {level}");
        }
    }
}

#[test]
fn every_byte_comes_back() {
    let mut rng = Rng(4);
    let mut text = Vec::new();
    for _ in 0..5_000 {
        let len = rng.below(90);
        let wide = rng.below(2) == 0;
        text.extend(
            (0..len).map(|_| rng.next() as u8 & if wide { 0xff } else { 0x7f }).filter(|&b| b != b'\n'),
        );
        text.push(b'\n');
    }
    for (level, with_repair) in combinations() {
        let (batch, _) = Normalizer::new(options(level, with_repair)).text(&text).expect("a table");
        let rows = rows(&batch);
        assert_eq!(rows.len(), records(&text).len());
        for ((row, _), (_, _, record)) in rows.iter().zip(records(&text)) {
            let text = row.raw_bytes.as_deref().or(row.raw.as_deref().map(str::as_bytes));
            let text = text.or(row.uri.as_deref().map(str::as_bytes));
            assert_eq!(
                text.map(|text| text.escape_ascii().to_string()),
                Some(record.escape_ascii().to_string())
            );
            assert!(row.raw.is_none() || row.raw_bytes.is_none());
        }
    }
}

#[test]
fn every_kernel_makes_the_same_table() {
    let text = [dataset("oddities.txt"), dataset("sample.txt")].concat();
    let table = |isa| {
        let options = Options { isa: Some(isa), ..options(Level::Scheme, true) };
        rows(&Normalizer::new(options).text(&text).expect("a table").0)
    };
    for isa in Isa::available() {
        assert!(table(isa) == table(Isa::Scalar), "{isa:?}");
    }
}

/// A guard `/.` that stays is not a removed dot segment, whatever else changes (5.2.4, 3.3).
#[test]
fn escaping_a_leading_double_slash_sets_no_flag() {
    for (text, removed) in [("/.//%41", false), ("x:/.//%41", false), ("/..//%41", true), ("/./%41", true)] {
        let (batch, _) =
            Normalizer::new(options(Level::Scheme, false)).text(text.as_bytes()).expect("a table");
        let (row, place) = &rows(&batch)[0];
        assert_eq!(Flags(place.flags).has(Flags::DOT_SEGMENTS_REMOVED), removed, "{text}: {row:?}");
    }
}

/// Working memory and columns are reused: nothing of one batch may appear in another.
#[test]
fn reused_memory_leaks_nothing_between_batches() {
    let mut rng = Rng(8);
    let mut normalizer = Normalizer::new(options(Level::Scheme, true));
    let mut kept = Vec::new();
    for round in 0..300 {
        let mut text = vec![b'\n'; rng.below(3)];
        for _ in 0..rng.below(120) {
            text.extend_from_slice(&rng.text(8));
            text.push(b'\n');
        }
        let fresh = rows(&Normalizer::new(options(Level::Scheme, true)).text(&text).expect("a table").0);
        let batch = normalizer.text(&text).expect("a table").0;
        assert!(rows(&batch) == fresh, "round {round}");
        let mut value = |record: &[u8]| (rng.below(9) > 0).then(|| record.to_vec());
        let values: Vec<_> = records(&text).into_iter().map(|(_, _, record)| value(record)).collect();
        judge_with(&mut normalizer, &BinaryViewArray::from_iter(values.clone()), &values);
        if round % 3 == 0 {
            kept.push((batch, fresh));
        }
    }
    for (batch, fresh) in kept {
        assert!(rows(&batch) == fresh, "a batch that is kept stays what it was");
    }
}

/// A text that repair would leave empty stays as it is.
#[test]
fn a_record_is_not_repaired_to_nothing() {
    for (text, error) in
        [("<>", Some("path_invalid_char")), ("\"\"", Some("path_invalid_char")), ("url:", None)]
    {
        let (batch, tally) =
            Normalizer::new(options(Level::Scheme, true)).text(text.as_bytes()).expect("a table");
        let (row, _) = &rows(&batch)[0];
        assert_eq!((row.uri.as_deref(), row.raw.as_deref(), row.error.as_deref()), (Some(text), None, error));
        assert_eq!(tally.repaired, 0);
    }
}

#[test]
fn columns_come_in_the_order_asked_for() {
    let cases: [(&[Column], &str); 4] = [
        (&[Column::Host], "host"),
        (&[Column::Path, Column::Uri, Column::Record], "path,uri,record"),
        (&[Column::Fingerprint, Column::Flags], "fingerprint,flags"),
        (
            &Column::ALL,
            "record,uri,raw,scheme,userinfo,host,host_kind,port,path,query,fragment,flags,error,error_offset,\
             raw_bytes,source,offset,fingerprint,host_address,host_ascii,host_unicode,host_reversed,host_parts,tld,\
             public_suffix,registered_domain,private_suffix,private_domain,surt,canonical,query_params,query_params_raw,\
             path_params,base,flag_names,whatwg_uri,whatwg_host,disagreement,\
             template,trap,file_type,scheme_end,host_start,host_end,path_start,path_end,query_end",
        ),
    ];
    let text = dataset("oddities.txt");
    let all = Normalizer::new(options(Level::Scheme, true)).text(&text).expect("a table").0;
    for (columns, names) in cases {
        let columns = Columns::new(columns.iter().copied());
        let options = Options { columns: columns.clone(), ..options(Level::Scheme, true) };
        let batch = Normalizer::new(options).text(&text).expect("a table").0;
        let schema = batch.schema();
        let found: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(found.join(","), names);
        for name in found {
            assert_eq!(
                batch.column_by_name(name),
                all.column_by_name(name),
                "{name} is the same in any company"
            );
        }
    }
}

#[test]
fn column_lists_parse_or_are_refused() {
    let default = "record,uri,raw,scheme,userinfo,host,host_kind,port,path,query,fragment,flags,\
                   error,error_offset,raw_bytes";
    let without_raw = default.replace(",raw,", ",");
    let table = [
        ("host", Ok("host".to_owned())),
        ("path,host", Ok("path,host".to_owned())),
        (" path , host ,", Ok("path,host".to_owned())),
        ("+offset", Ok(format!("{default},offset"))),
        ("+fingerprint,+source", Ok(format!("{default},fingerprint,source"))),
        ("+offset,-raw", Ok(format!("{without_raw},offset"))),
        ("-raw", Ok(without_raw.clone())),
        ("+host", Ok(default.to_owned())),
        ("-offset", Ok(default.to_owned())),
        ("hots", Err("hots")),
        ("+hots", Err("hots")),
        ("Host", Err("Host")),
        ("host,host", Err("twice")),
        ("host,+path", Err("for all names or for none")),
        ("-raw,host", Err("for all names or for none")),
        ("", Err("at least one column")),
        (",", Err("at least one column")),
    ];
    for (list, expected) in table {
        match (Columns::parse(list), expected) {
            (Ok(columns), Ok(names)) => {
                let found: Vec<_> = columns.iter().map(Column::as_str).collect();
                assert_eq!(found.join(","), names, "{list}");
            }
            (Err(error), Err(words)) => {
                assert_eq!(error.kind(), urimill::ErrorKind::Usage, "{list}");
                assert!(error.to_string().contains(words), "{list}: {error}");
            }
            (found, expected) => panic!("{list}: {found:?}, not {expected:?}"),
        }
    }
    assert_eq!(Columns::parse(default).expect("all names"), Columns::default());
    assert_eq!(Columns::default().schema(), Columns::parse(default).expect("all names").schema());
}

/// `Debug` of the counts has those that are not zero.
#[test]
fn a_tally_shows_what_is_not_zero() {
    let cases = [
        ("", "Tally"),
        ("a:b\n", "Tally { rows: 1 }"),
        ("A:b\n\n", "Tally { rows: 1, blank: 1, changed: 1 }"),
        (
            "a:b\nhttp://u:pw@h/a b\n",
            "Tally { rows: 2, by_code: {\"path_invalid_char\": 1}, examples: [Example { record: 2, offset: 15, \
             text: \"http://u:***@h/a b\", field: None, column: None, source: None }] }",
        ),
    ];
    for (text, expected) in cases {
        let (_, tally) = Normalizer::new(Options::default()).text(text.as_bytes()).expect("a table");
        assert_eq!(format!("{tally:?}"), expected, "{text:?}");
    }
}
