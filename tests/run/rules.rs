//! Options that exclude each other give one error, which names them; so do numbers out of their range.

use urimill::run::{Check, Conversion, Dedupe, Extract, Output};
use urimill::{Error, ErrorKind, OptionName};

use urimill_testkit::option_rules::{CHECK, DEDUPE, EXTRACT, NORMALIZE, RANGES, Rule};

fn conversion() -> Conversion {
    Conversion::new().inputs(["/dev/null"]).write_to(Output::to("t.csv"))
}

/// The errors of a table's rows, each with its arguments; every one names the options of its row, as methods.
fn refused<Job>(
    rules: &[Rule<Job>],
    job: impl Fn() -> Job,
    validate: impl Fn(Job) -> Result<(), Error>,
) -> Vec<Error> {
    let error = |(build, line, options): &Rule<Job>| {
        let error = validate(build(job())).expect_err(line);
        assert_eq!(error.kind(), ErrorKind::Usage, "{line}: {error}");
        let named: Vec<_> = error.mentions().map(|mention| mention.option).collect();
        assert!(options.iter().all(|option| named.contains(option)), "{line}: {error} names {named:?}");
        let sentence = error.to_string();
        assert!(!sentence.contains("--") && sentence.contains(options[0].as_str()), "{line}: {sentence}");
        error
    };
    rules.iter().map(error).collect()
}

#[test]
fn a_wrong_combination_names_its_options() {
    refused(NORMALIZE, conversion, |run| run.validate());
}

/// In these jobs each row is about one option.
#[test]
fn other_jobs_have_rules_too() {
    fn are_named<Job>(rules: &[Rule<Job>], errors: &[Error]) {
        for ((_, _, options), error) in rules.iter().zip(errors) {
            assert_eq!(error.option(), Some(options[0]), "{error}");
        }
    }
    are_named(CHECK, &refused(CHECK, Check::new, |run| run.validate()));
    are_named(EXTRACT, &refused(EXTRACT, Extract::new, |run| run.validate()));
    let dedupe = || Dedupe::new().write_to(Output::to("t.csv"));
    are_named(DEDUPE, &refused(DEDUPE, dedupe, |run| run.validate()));
}

#[test]
fn numbers_have_their_ranges() {
    let errors = refused(RANGES, conversion, |run| run.validate());
    for ((_, line, options), error) in RANGES.iter().zip(errors) {
        assert_eq!(error.option(), Some(options[0]), "{error}");
        let value = line.rsplit(' ').next().filter(|value| !value.is_empty()).unwrap_or("0");
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
