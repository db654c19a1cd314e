//! The columns about domains: a row of a batch equals the result for its host alone, whatever precedes it.

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, RecordBatch, StringViewArray};
use arrow::datatypes::DataType;
use urimill::batch::{Column, Columns, Normalizer, Options, Reading, RfcOptions};
use urimill::domain::{Domain, SuffixList};
use urimill::{Level, Spec, UriRef};

use crate::{corpora, dataset};

const COLUMNS: [Column; 9] = [
    Column::HostAscii,
    Column::HostUnicode,
    Column::HostReversed,
    Column::HostParts,
    Column::Tld,
    Column::PublicSuffix,
    Column::RegisteredDomain,
    Column::PrivateSuffix,
    Column::PrivateDomain,
];

/// `uri` and the columns that this file tests.
fn options(spec: Spec, level: Level) -> Options {
    Options {
        reading: Reading::Rfc(RfcOptions { spec, level, ..RfcOptions::default() }),
        columns: Columns::new([Column::Uri, Column::Error].into_iter().chain(COLUMNS)),
        ..Options::default()
    }
}

/// The values of a row in these columns, with a list's items separated by spaces.
fn told(batch: &RecordBatch, row: usize) -> Option<[Option<String>; 9]> {
    let text = |array: &ArrayRef| {
        let text =
            |array: &StringViewArray, row: usize| array.is_valid(row).then(|| array.value(row).to_owned());
        match array.data_type() {
            DataType::List(_) => array.is_valid(row).then(|| {
                let list = array.as_list::<i32>().value(row);
                let labels = list.as_string_view();
                (0..labels.len())
                    .map(|i| text(labels, i).expect("no label is null"))
                    .collect::<Vec<_>>()
                    .join(" ")
            }),
            _ => text(array.as_string_view(), row),
        }
    };
    let texts = COLUMNS.map(|column| text(batch.column_by_name(column.as_str()).expect("asked for")));
    texts.iter().any(Option::is_some).then_some(texts)
}

/// The result for a host by itself.
fn expected(uri: &str, spec: Spec) -> Option<[Option<String>; 9]> {
    let uri = UriRef::parse_as(uri, spec).ok()?;
    let domain = Domain::of(uri.host()?, uri.host_kind()?, &SuffixList::embedded())?;
    let labels: Vec<&str> = domain.labels().collect();
    Some([
        Some(domain.ascii().to_owned()),
        Some(domain.unicode().into_owned()),
        Some(domain.reversed()),
        Some(labels.join(" ")),
        Some(domain.tld().to_owned()),
        domain.public_suffix().map(str::to_owned),
        domain.registered_domain().map(str::to_owned),
        domain.private_suffix().map(str::to_owned),
        domain.private_domain().map(str::to_owned),
    ])
}

fn assert_told(batch: &RecordBatch, spec: Spec, name: &str) -> usize {
    let (uris, errors) = (batch["uri"].as_string_view(), batch["error"].as_string_view());
    let mut domains = 0;
    for row in 0..batch.num_rows() {
        let is_uri = uris.is_valid(row) && errors.is_null(row);
        let expected = if is_uri { expected(uris.value(row), spec) } else { None };
        assert_eq!(told(batch, row), expected, "{name}, row {row}: {}", uris.value(row));
        domains += usize::from(expected.is_some());
    }
    domains
}

#[test]
fn domain_columns_match_a_table_by_hand() {
    let text = "http://www.example.co.uk/\n\
                http://www.example.co.uk:81/again\n\
                /no/host\n\
                http://www.example.co.uk/\n\
                HTTP://User@A.GitHub.IO./\n\
                http://192.0.2.1/\n\
                //b%c3%bccher.example/\n\
                http://no uri.example.com/\n";
    let batch =
        Normalizer::new(options(Spec::Rfc3986, Level::Scheme)).text(text.as_bytes()).expect("a table").0;
    let plain = "www.example.co.uk|www.example.co.uk|uk.co.example.www|uk co example www|uk|co.uk|example.co.uk|co.uk|example.co.uk";
    let rows = [
        plain,
        plain,
        "",
        plain,
        "a.github.io|a.github.io|io.github.a|io github a|io|io|github.io|github.io|a.github.io",
        "",
        "xn--bcher-kva.example|bücher.example|example.xn--bcher-kva|example xn--bcher-kva|example||||",
        "",
    ];
    for (row, expected) in rows.into_iter().enumerate() {
        let told = told(&batch, row).map(|texts| texts.map(Option::unwrap_or_default).join("|"));
        assert_eq!(told.unwrap_or_default(), expected, "row {row}");
    }
}

#[test]
fn domain_columns_match_single_hosts() {
    for spec in Spec::ALL {
        for level in Level::ALL {
            let batch =
                Normalizer::new(options(spec, level)).text(&dataset("oddities.txt")).expect("a table").0;
            assert!(assert_told(&batch, spec, &format!("oddities, {spec}, {level}")) > 20);
        }
    }
}

#[test]
fn domain_columns_of_real_lists_match_single_hosts() {
    let mut domains = 0;
    for path in corpora() {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // Logs too: texts in them that are not URIs have no domain.
        let text = &text[..text.len().min(4 << 20)];
        let batch = Normalizer::new(options(Spec::Rfc3986, Level::Scheme)).text(text).expect("a table").0;
        domains += assert_told(&batch, Spec::Rfc3986, &path.display().to_string());
    }
    assert!(domains == 0 || domains > 50_000, "{domains} domains");
}

/// Values of arrays may lie in many buffers, and may be null.
#[test]
fn domain_columns_of_arrays_match_lines() {
    let uris = [
        "http://a.example.com/",
        "http://a.example.com/",
        "//Long-Enough-To-Be-Outside.example.org/",
        "//x.de",
    ];
    let values: Vec<Option<&str>> =
        (0..200).map(|i| (i % 7 != 3).then(|| uris[i * i % uris.len()])).collect();
    let views: StringViewArray = values.iter().copied().collect();
    let more = StringViewArray::from(vec![Some("http://another-buffer-entirely.co.jp/"); 3]);
    let views = arrow::compute::concat(&[&views, &more]).expect("one type");
    let bytes: BinaryArray = values.iter().map(|value| value.map(str::as_bytes)).collect();
    for array in [&views as &dyn Array, &bytes] {
        let batch = Normalizer::new(options(Spec::Rfc3986, Level::Case)).array(array).expect("a table").0;
        assert!(assert_told(&batch, Spec::Rfc3986, "an array") > 150);
    }
}

/// A batch without hosts, and one without rows, have these columns, too.
#[test]
fn rows_without_hosts_have_null_domain_columns() {
    for (text, rows) in [("", 0), ("a\n/b\n", 2), ("http://[::1]/\n", 1)] {
        let mut normalizer = Normalizer::new(options(Spec::Rfc3986, Level::Scheme));
        let array = StringViewArray::from(text.lines().collect::<Vec<_>>());
        let batch = normalizer.array(&array).expect("a table").0;
        assert_eq!((batch.num_rows(), assert_told(&batch, Spec::Rfc3986, text)), (rows, 0));
        assert_eq!(batch.schema(), normalizer.schema());
    }
}

#[test]
fn a_given_suffix_list_replaces_the_built_in_one() {
    let suffix_list = SuffixList::parse("*.lab.intern\n", "mine").expect("a list");
    let options = Options { suffix_list, ..options(Spec::Rfc3986, Level::Scheme) };
    let batch = Normalizer::new(options)
        .text(b"http://www.a.b.lab.intern/\nhttp://www.example.com/\n")
        .expect("a table")
        .0;
    let domains = batch["registered_domain"].as_string_view();
    assert_eq!(domains.iter().collect::<Vec<_>>(), [Some("a.b.lab.intern"), None]);
}
