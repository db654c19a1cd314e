//! Options that exclude each other give one error, which names them.

use urimill::run::{
    Check, Compression, Conversion, Dedupe, Extract, InputFormat, InputOptions, Keep, NormalizeOptions,
    Output,
};
use urimill::uri::Start;
use urimill::{ErrorKind, Level, OptionName, Spec};

use urimill_testkit::option_rules::RULES;

#[test]
fn a_wrong_combination_names_its_options() {
    for (build, line, options) in RULES {
        let run = build(Conversion::new().inputs(["/dev/null"]).write_to(Output::to("t.csv")));
        let error = run.validate().expect_err(line);
        assert_eq!(error.kind(), ErrorKind::Usage, "{line}: {error}");
        let named: Vec<_> = error.mentions().map(|mention| mention.option).collect();
        assert!(options.iter().all(|option| named.contains(option)), "{line}: {error} names {named:?}");
        // As methods, which Rust has.
        let sentence = error.to_string();
        assert!(!sentence.contains("--") && sentence.contains(options[0].as_str()), "{line}: {sentence}");
    }
}

#[test]
fn numbers_have_their_ranges() {
    let run = || Conversion::new().write_to(Output::to("t.csv"));
    let longest = |bytes| NormalizeOptions::new().max_record(bytes);
    let table = [
        (run().threads(0), OptionName::Threads, "0"),
        (run().threads(1025), OptionName::Threads, "1025"),
        (run().memory(1), OptionName::Memory, "1"),
        (run().file_size(3), OptionName::FileSize, "3"),
        (run().partition_by(["scheme"]).max_partitions(0), OptionName::MaxPartitions, "0"),
        (run().chunk(0), OptionName::ChunkBytes, "0"),
        (run().normalize(longest(0)), OptionName::MaxRecord, "0"),
        (run().normalize(longest(1 << 30)), OptionName::MaxRecord, "1073741824"),
        (run().write_to(Output::to("t.parquet").row_group_rows(0)), OptionName::RowGroupRows, "0"),
        (
            run().write_to(Output::to("t.parquet").compression(Compression::Zstd(23))),
            OptionName::Compression,
            "zstd(23)",
        ),
    ];
    for (run, option, value) in table {
        let error = run.validate().expect_err(value);
        assert_eq!((error.kind(), error.option()), (ErrorKind::Usage, Some(option)), "{error}");
        assert_eq!(error.value(), Some(value), "{error}");
    }
}

#[test]
fn a_run_has_one_destination() {
    let error = Conversion::new().run().expect_err("no output");
    assert_eq!(error.option(), Some(OptionName::Output), "{error}");
    let run = Conversion::new().write_to(Output::to("t.csv"));
    let error = run.run_into(Box::new(|_| panic!("no sink is asked for"))).expect_err("two outputs");
    assert_eq!(error.to_string(), "the table goes to the caller: drop write_to");
    let error = Dedupe::new().run().map(drop).expect_err("no output");
    assert_eq!(error.option(), Some(OptionName::Output), "{error}");
}

#[test]
fn check_has_rules_too() {
    let table = [
        (Check::new().spec([Spec::Rfc3986; 0]), OptionName::Spec),
        (Check::new().base("x:y"), OptionName::Base),
        (Check::new().level(Level::Case), OptionName::Level),
        (Check::new().spec([Spec::Rfc2396, Spec::Rfc3986]).require(Start::Uri), OptionName::Require),
        (Check::new().threads(0), OptionName::Threads),
        (Check::new().read_as(InputOptions::new().keep(Keep::All)), OptionName::Keep),
        (
            Check::new()
                .spec([Spec::Rfc2396, Spec::Rfc3986])
                .read_as(InputOptions::new().format(InputFormat::Csv).uri_field("1").base_field("2")),
            OptionName::Spec,
        ),
    ];
    for (check, option) in table {
        let error = check.validate().expect_err("a rule");
        assert_eq!((error.kind(), error.option()), (ErrorKind::Usage, Some(option)), "{error}");
    }
}

#[test]
fn extract_has_rules_too() {
    let table = [
        (Extract::new().no_suffix(true).default_scheme("https"), OptionName::DefaultScheme),
        (Extract::new().default_scheme("http:"), OptionName::DefaultScheme),
        (Extract::new().write_to("out.parquet"), OptionName::OutputFormat),
        (Extract::new().chunk(0), OptionName::ChunkBytes),
        (Extract::new().threads(0), OptionName::Threads),
        (Extract::new().read_as(InputOptions::new().keep(Keep::All)), OptionName::Keep),
        (Extract::new().read_as(InputOptions::new().format(InputFormat::Csv)), OptionName::Format),
        (
            Extract::new()
                .read_as(InputOptions::new().format(InputFormat::Csv).uri_field("a").base_field("b")),
            OptionName::BaseField,
        ),
        (
            Extract::new().read_as(InputOptions::new().format(InputFormat::Csv).uri_field("a,b")),
            OptionName::UriField,
        ),
    ];
    for (run, option) in table {
        let error = run.validate().expect_err("a rule");
        assert_eq!((error.kind(), error.option()), (ErrorKind::Usage, Some(option)), "{error}");
    }
}

#[test]
fn dedupe_has_rules_too() {
    let run = || Dedupe::new().write_to(Output::to("t.csv"));
    let table = [
        (
            run().normalize(NormalizeOptions::new().canonical("w3lib".parse().expect("a form"))),
            OptionName::Canonical,
        ),
        (run().read_as(InputOptions::new().keep(Keep::All)), OptionName::Keep),
        (run().by("canonical"), OptionName::By),
        (run().by("raw"), OptionName::By),
        (run().by("client").read_as(InputOptions::new().format(InputFormat::Lines)), OptionName::By),
        (run().by("host").normalize(NormalizeOptions::new().psl("list")), OptionName::Psl),
        (run().normalize(NormalizeOptions::new().max_record(65 << 20)), OptionName::MaxRecord),
        (run().write_to(Output::stdout()).verify(true), OptionName::Verify),
        (run().write_to(Output::to("t.txt").csv_safe(true)), OptionName::CsvSafe),
        (
            run().normalize(NormalizeOptions::new().mask_passwords(true).drop_userinfo(true)),
            OptionName::MaskPasswords,
        ),
        (run().threads(0), OptionName::Threads),
    ];
    for (run, option) in table {
        let error = run.validate().expect_err("a rule");
        assert_eq!((error.kind(), error.option()), (ErrorKind::Usage, Some(option)), "{error}");
    }
}
