//! Keys, canonical forms and parameters of queries as columns. `row` tests that a row equals the result of single
//! calls; this file tests the texts that they are made from, and each form on real lists.

use arrow::array::{Array, AsArray, RecordBatch, StringArray, StringViewArray};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions};
use urimill::canonical::{Canonical, DropParams, SurtOptions, SurtWriter, surt};
use urimill::{Level, Spec, UriRef};

use crate::{corpora, dataset};

const COLUMNS: [Column; 5] =
    [Column::Uri, Column::Surt, Column::Canonical, Column::QueryParams, Column::QueryParamsRaw];

fn options(form: Canonical) -> Options {
    Options { columns: Columns::new(COLUMNS), canonical: Some(form), ..Options::default() }
}

/// The columns of a row as text, `-` for null.
fn shown(batch: &RecordBatch, row: usize) -> Vec<String> {
    let format = FormatOptions::new().with_null("-");
    let text = |array| ArrayFormatter::try_new(array, &format).expect("a format").value(row).to_string();
    batch.columns().iter().map(|array| text(array.as_ref())).collect()
}

/// (record, uri, surt, canonical by w3lib)
const FORMS: &[(&str, &str, &str, &str)] = &[
    ("http://www.example.com/a", "http://www.example.com/a", "com,example)/a", "http://www.example.com/a"),
    // Made from the text as read: normalization drops the port, w3lib does not.
    ("HTTP://Example.com:80", "http://example.com/", "com,example)/", "http://example.com:80/"),
    // The key decodes everything; it must not start from the normalized text.
    ("http://h/%2541/%41", "http://h/%2541/A", "h)/a/a", "http://h/%2541/A"),
    ("http://h/%7e?b&a#f", "http://h/~?b&a#f", "h)/~?a&b", "http://h/~?a=&b="),
    // No form without a scheme.
    ("/a?b", "/a?b", "-", "-"),
    ("//www.example.com/", "//www.example.com/", "-", "-"),
    ("", "-", "-", "-"),
    ("http://h/a b", "http://h/a b", "-", "-"),
    ("mailto:A@example.com", "mailto:A@example.com", "mailto:a@example.com", "mailto:A@example.com"),
    ("http://[::1]:8080/", "http://[::1]:8080/", "::1:8080)/", "http://[::1]:8080/"),
    ("dns:example.com", "dns:example.com", "dns:example.com", "dns:example.com"),
];

#[test]
fn keys_are_made_from_the_reference_as_read() {
    let records: Vec<_> = FORMS.iter().map(|row| (!row.0.is_empty()).then_some(row.0)).collect();
    let batch =
        Normalizer::new(options(Canonical::W3lib)).array(&StringArray::from(records)).expect("a table").0;
    for (row, (record, uri, key, form)) in FORMS.iter().enumerate() {
        assert_eq!(shown(&batch, row)[..3], [*uri, *key, *form], "{record}");
    }
}

/// (record, template)
const TEMPLATES: &[(&str, &str)] = &[
    ("HTTP://u:p@Example.com:80/Item/42?b=1&a=x#f", "//example.com/Item/{number}?a={…}&b={number}"),
    ("https://example.com:8443", "//example.com:8443/"),
    ("ftp://h/pub/1.2.3/x.TGZ", "ftp://h/pub/{version}/x.tgz"),
    ("/a/../b/550e8400-e29b-41d4-a716-446655440000", "/b/{uuid}"),
    ("mailto:a@example.com", "mailto:{…}"),
    ("http://[::1]/@anna", "//[::1]/@{name}"),
    ("", "-"),
    ("http://h/a b", "-"),
    ("?page=2", "?page={number}"),
    ("http://h/calendar/2031/05/", "//h/calendar/{year}/{month}/"),
];

#[test]
fn templates_are_made_from_the_normal_form() {
    let records: Vec<_> = TEMPLATES.iter().map(|row| (!row.0.is_empty()).then_some(row.0)).collect();
    let columns = Columns::new([Column::Template, Column::Trap]);
    let options = Options { columns, ..options(Canonical::W3lib) };
    let batch = Normalizer::new(options).array(&StringArray::from(records)).expect("a table").0;
    for (row, (record, template)) in TEMPLATES.iter().enumerate() {
        let trap = if record.contains("calendar") { "calendar" } else { "-" };
        assert_eq!(shown(&batch, row), [*template, trap], "{record}");
    }
}

#[test]
fn file_types_are_made_from_the_path() {
    let table = [
        ("http://h/a/b.HTML?c=d.e", "html"),
        ("http://h/a.tar.gz#f.g", "gz"),
        ("http://h/a%2Egz", "gz"),
        ("http://h/a.12345678", "12345678"),
        ("http://h/a.123456789", "-"),
        ("http://h/a.b-c", "-"),
        ("http://h/a.b/", "-"),
        ("http://h/.htaccess", "-"),
        ("http://h/a.", "-"),
        ("http://h.example", "-"),
        ("a.js", "js"),
        ("", "-"),
        ("http://h/a b.c", "-"),
        ("/x.Png", "png"),
    ];
    let records: Vec<_> = table.iter().map(|row| (!row.0.is_empty()).then_some(row.0)).collect();
    let options = Options { columns: Columns::new([Column::FileType]), ..options(Canonical::W3lib) };
    let batch = Normalizer::new(options).array(&StringArray::from(records)).expect("a table").0;
    for (row, (record, file_type)) in table.iter().enumerate() {
        assert_eq!(shown(&batch, row), [*file_type], "{record}");
    }
}

/// Columns that depend on the text alone are made once for rows that repeat it, in a batch like in separate ones.
#[test]
fn templates_of_rows_that_come_again() {
    let own = |records: &[String]| {
        let columns = Columns::new([Column::Template, Column::Trap]);
        let options = Options { columns, ..options(Canonical::W3lib) };
        let records: Vec<_> = records.iter().map(|record| (!record.is_empty()).then_some(record)).collect();
        let batch = Normalizer::new(options).array(&StringArray::from_iter(records)).expect("a table").0;
        (0..batch.num_rows()).map(|row| shown(&batch, row)).collect::<Vec<_>>()
    };
    let hosts = ["http://h", "http://h:8080", "//h", "", "https://u@h"];
    let known = |row: usize| {
        let (record, _) = TEMPLATES[row % TEMPLATES.len()];
        let path = record.split("://").last().unwrap_or_default();
        [record.to_owned(), format!("{}/{path}", hosts[row % hosts.len()])]
    };
    // (rows of ten that repeat a text): below a tenth, the search for repeated texts stops after a while.
    for again in [10, 5, 1, 0] {
        let records: Vec<String> = (0..500)
            .flat_map(|row| {
                if row % 10 < again { known(row) } else { known(row).map(|one| format!("{one}/{row}")) }
            })
            .chain((0..2500).map(|row| format!("http://h/{}/{row}", row % 7)))
            .chain((0..500).flat_map(known))
            .collect();
        let alone: Vec<_> = records.iter().flat_map(|record| own(std::slice::from_ref(record))).collect();
        assert_eq!(own(&records), alone, "{again}");
    }
}

/// (base, reference, uri, surt, canonical by w3lib): made from the target, before normalization.
const TARGETS: &[(&str, &str, &str, &str, &str)] = &[
    ("http://h:80/a/b?q", "../c", "http://h/c", "h)/c", "http://h:80/c"),
    ("http://h:80/a/b?q", "?", "http://h/a/b?", "h)/a/b", "http://h:80/a/b"),
    ("http://h:80/a/b?q", "http://WWW.h2:443", "http://www.h2:443/", "h2:443)/", "http://www.h2:443/"),
    ("http://h/a/%7e/b", "c", "http://h/a/~/c", "h)/a/~/c", "http://h/a/~/c"),
    ("http://h/a/%7e/b", "c d", "c d", "-", "-"),
    ("/a", "c", "c", "-", "-"),
];

#[test]
fn keys_are_made_from_targets() {
    let [bases, references] = [0, 1].map(|field| {
        let text =
            |row: &(&'static str, &'static str, &str, &str, &str)| if field == 0 { row.0 } else { row.1 };
        StringViewArray::from_iter_values(TARGETS.iter().map(text))
    });
    let mut normalizer = Normalizer::new(options(Canonical::W3lib));
    let batch = normalizer.array_with_bases(&references, &bases).expect("a table").0;
    for (row, (base, reference, uri, key, form)) in TARGETS.iter().enumerate() {
        assert_eq!(shown(&batch, row)[..3], [*uri, *key, *form], "{reference} against {base}");
    }
}

/// A repaired record counts in its repaired form.
#[test]
fn keys_are_made_from_repaired_records() {
    let text = b" HTTP://h:80/a b \nURL:http://www.h/\nhttp://b\xc3\xbccher.example/\nhttp://[/\n";
    let reading = Reading::Rfc(RfcOptions { repair: true, ..RfcOptions::default() });
    let mended = Options { reading, ..options(Canonical::W3lib) };
    let batch = Normalizer::new(mended).text(text).expect("a table").0;
    let expected = [
        ("http://h/a%20b", "h)/a%20b", "http://h:80/a%20b"),
        ("http://www.h/", "h)/", "http://www.h/"),
        ("http://xn--bcher-kva.example/", "example,xn--bcher-kva)/", "http://xn--bcher-kva.example/"),
        ("http://[/", "-", "-"),
    ];
    for (row, (uri, key, form)) in expected.into_iter().enumerate() {
        assert_eq!(shown(&batch, row)[..3], [uri, key, form]);
    }
}

/// (reference, decoded, raw)
const PARAMS: &[(&str, &str, &str)] = &[
    ("/", "-", "-"),
    ("?", "[]", "[]"),
    ("?&&", "[]", "[]"),
    ("?a", "[{key: a, value: -}]", "[{key: a, value: -}]"),
    ("?a=&=b", "[{key: a, value: }, {key: , value: b}]", "[{key: a, value: }, {key: , value: b}]"),
    (
        "?b=2&a=1&&b=2",
        "[{key: b, value: 2}, {key: a, value: 1}, {key: b, value: 2}]",
        "[{key: b, value: 2}, {key: a, value: 1}, {key: b, value: 2}]",
    ),
    ("?a+b=c%26d%C3%BC", "[{key: a b, value: c&dü}]", "[{key: a+b, value: c%26d%C3%BC}]"),
    // As in the column `query`: in normal form.
    ("?%61=%e9", "[{key: a, value: %E9}]", "[{key: a, value: %E9}]"),
    (
        "?a=much-longer-than-twelve+bytes",
        "[{key: a, value: much-longer-than-twelve bytes}]",
        "[{key: a, value: much-longer-than-twelve+bytes}]",
    ),
    ("?a b", "-", "-"),
];

#[test]
fn query_parameters_are_split_and_decoded() {
    let records: StringViewArray = PARAMS.iter().map(|row| Some(row.0)).chain([None]).collect();
    let batch = Normalizer::new(options(Canonical::Wayback)).array(&records).expect("a table").0;
    for (row, (record, decoded, raw)) in PARAMS.iter().enumerate() {
        assert_eq!(shown(&batch, row)[3..], [*decoded, *raw], "{record}");
    }
    assert_eq!(shown(&batch, PARAMS.len()), ["-"; 5]);
}

#[test]
fn dropped_parameters_are_dropped_from_canonical_only() {
    let drop_params = DropParams::none().and_patterns(["s*"]).expect("patterns").and_tracking();
    let options = Options { drop_params, ..options(Canonical::Wayback) };
    let batch = Normalizer::new(options).text(b"http://h/?utm_source=x&sort=1&a\n").expect("a table").0;
    let row = shown(&batch, 0);
    assert_eq!(row[..3], ["http://h/?utm_source=x&sort=1&a", "h)/?a&sort=1&utm_source=x", "http://h/?a"]);
    assert_eq!(row[3], "[{key: utm_source, value: x}, {key: sort, value: 1}, {key: a, value: -}]");
}

#[test]
fn without_a_form_its_column_is_null() {
    let options = Options { canonical: None, ..options(Canonical::Wayback) };
    let batch = Normalizer::new(options).text(b"http://h/\n").expect("a table").0;
    assert_eq!(shown(&batch, 0)[1..3], ["h)/", "-"]);
}

/// Each form and every key of tens of thousands of real URIs, and of logs, whose lines have none.
#[test]
fn keys_of_real_lists_match_single_calls() {
    let mut keys = 0;
    for path in corpora() {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let text = &text[..text.len().min(2 << 20)];
        for form in Canonical::ALL {
            keys += assert_forms(text, form, &options(form));
        }
    }
    assert!(keys == 0 || keys > 100_000, "{keys} keys");
}

#[test]
fn keys_match_single_calls_at_each_specification_and_level() {
    for spec in Spec::ALL {
        for level in Level::ALL {
            for form in Canonical::ALL {
                let reading = Reading::Rfc(RfcOptions { spec, level, ..RfcOptions::default() });
                let options = Options { reading, ..options(form) };
                assert!(assert_forms(&dataset("oddities.txt"), form, &options) > 100);
            }
        }
    }
}

fn assert_forms(text: &[u8], form: Canonical, options: &Options) -> usize {
    let batch = Normalizer::new(options.clone()).text(text).expect("a table").0;
    let [keys, forms] = ["surt", "canonical"].map(|name| batch[name].as_string_view());
    let (records, spec) = (crate::row::records(text), options.reading.rfc().spec);
    assert_eq!(records.len(), batch.num_rows());
    for (row, (_, _, record)) in records.into_iter().enumerate() {
        let uri = UriRef::parse_as(record, spec).ok();
        let found = [keys, forms].map(|array| array.is_valid(row).then(|| array.value(row).to_owned()));
        let expected =
            [uri.filter(UriRef::is_uri).map(|uri| surt(&uri)), uri.and_then(|uri| form.form(&uri))];
        assert_eq!(found, expected, "{form}, {}: {}", spec, record.escape_ascii());
    }
    keys.len() - keys.null_count()
}

/// The part about the host, which is written once, must not appear in another URI's row.
#[test]
fn runs_of_equal_hosts_keep_their_own_keys() {
    let texts = [
        "http://www.example.com/a",
        "http://www.example.com/b?c",
        "http://www.example.com",
        "https://www.example.com/",
        "http://www.example.com:80/",
        "https://www.example.com:80/",
        "http://www.example.com:/",
        "http://http://www.example.com/",
        "http://https://www.example.com/",
        "http:///www.example.com/",
        "http:www.example.com/",
        "http://user@www.example.com/",
        "http://www.www.example.com/",
        "http:////",
        "http://./",
        "http://./a",
        "filedesc://www.example.com/A",
        "filedesc://www.example.com/B",
        "filedesc:a",
        "//www.example.com/",
        "a",
        "mailto:a@b",
    ];
    for options in [SurtOptions::default(), {
        let mut layout = SurtOptions::default();
        (layout.with_scheme, layout.trailing_comma) = (true, true);
        layout
    }] {
        // Every text after every other one.
        for first in texts {
            for second in texts {
                for third in texts {
                    let mut keys = SurtWriter::new(options);
                    for text in [first, second, third] {
                        let uri = UriRef::parse(text).expect("a reference");
                        let mut key = b"before".to_vec();
                        keys.write(&uri, &mut key);
                        let alone = urimill::canonical::surt_with(&uri, &options);
                        assert_eq!(
                            key.escape_ascii().to_string(),
                            format!("before{alone}"),
                            "{text} of {first}, {second}, {third}"
                        );
                    }
                }
            }
        }
    }
}
