//! The arguments of a job, made from the rows of its options, and their values on a command line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::builder::{
    PossibleValue, PossibleValuesParser, RangedI64ValueParser, StringValueParser, TypedValueParser,
};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueEnum, value_parser};

use super::values::bytes_within;
use urimill::error::Result;
use urimill::option_name::OptionName;
use urimill::resolve::Mode;
use urimill::run::options::{Choice, Job, Kind, Row};
use urimill::run::{Setting, Settings};

/// The arguments on the command line of the job with this number in [`Job::ALL`].
#[derive(Debug)]
pub(crate) struct Given<const JOB: usize>(ArgMatches);

impl<const JOB: usize> clap::Args for Given<JOB> {
    fn augment_args(command: Command) -> Command {
        command.args(Job::ALL[JOB].rows().map(argument))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<const JOB: usize> clap::FromArgMatches for Given<JOB> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Given(matches.clone()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0 = matches.clone();
        Ok(())
    }
}

/// The argument of an option.
fn argument(row: &'static Row) -> Arg {
    let argument = Arg::new(row.option.as_str())
        .help(row.help)
        .hide(!row.is_shown)
        .help_heading((!row.heading.is_empty()).then_some(row.heading))
        .hide_possible_values(row.lists_choices)
        .allow_hyphen_values(row.takes_hyphens)
        .required(row.is_required);
    let of_line = row.rules.iter().filter(|rule| rule.sentence.is_empty());
    let argument = of_line.fold(argument, |argument, rule| {
        let others = rule.others.iter().map(|other| other.as_str());
        match rule.is_need {
            true => others.fold(argument, Arg::requires),
            false => argument.conflicts_with_all(others),
        }
    });
    let argument = match row.kind {
        Kind::Switch => argument,
        _ => argument.value_name(row.value),
    };
    let argument = match row.is_positional {
        true => argument,
        false => argument.long(row.option.flag().into_owned()),
    };
    let argument = match row.short {
        Some(short) => argument.short(short),
        None => argument,
    };
    let argument = match row.bare {
        Some(bare) => argument.num_args(0..=1).default_missing_value(bare),
        None => argument,
    };
    let argument = match row.default {
        Some(default) => argument.default_value(default),
        None => argument,
    };
    of_kind(argument, row.kind)
}

/// Adds the values that the option takes.
fn of_kind(argument: Arg, kind: Kind) -> Arg {
    let checked =
        |check: fn(&str) -> Result<(), String>| move |text: &str| check(text).map(|()| text.to_owned());
    let bytes = |least, most, range| move |text: &str| bytes_within(text, (least, most), range);
    let several = |argument: Arg| argument.action(ArgAction::Append).value_delimiter(',');
    match kind {
        Kind::Switch => argument.action(ArgAction::SetTrue),
        Kind::Raw => argument.value_parser(value_parser!(OsString)),
        Kind::Inputs => of_kind(argument, Kind::Raw).action(ArgAction::Append).num_args(1..),
        Kind::Texts => argument.action(ArgAction::Append).num_args(1..),
        Kind::Path => argument.value_parser(value_parser!(PathBuf)),
        Kind::Paths => argument.value_parser(value_parser!(PathBuf)).action(ArgAction::Append),
        Kind::List => several(argument),
        Kind::Choices(choices) => several(argument).value_parser(names(choices)),
        Kind::Choice(choices) => argument.value_parser(names(choices)),
        Kind::Open(choices) => argument.value_parser(Open(choices)),
        Kind::Each(check) => argument.action(ArgAction::Append).value_parser(checked(check)),
        Kind::Checked(check) | Kind::Names(check) => argument.value_parser(checked(check)),
        Kind::Bytes(least, most, range) => argument.value_parser(bytes(least, most, range)),
        Kind::Number(least, most) => argument
            .value_parser(RangedI64ValueParser::<i64>::new().range(least.cast_signed()..=most.cast_signed())),
        Kind::Count(..) => argument.value_parser(value_parser!(u64)),
        _ => argument,
    }
}

/// A parser that takes any text, and tells these names to completions and help texts.
#[derive(Clone)]
struct Open(fn() -> Vec<Choice>);

impl TypedValueParser for Open {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new((self.0)().into_iter().map(possible)))
    }
}

fn possible(choice: Choice) -> PossibleValue {
    match choice.meaning {
        "" => PossibleValue::new(choice.name),
        meaning => PossibleValue::new(choice.name).help(meaning),
    }
}

/// A parser that takes one of these names.
fn names(choices: fn() -> Vec<Choice>) -> impl TypedValueParser {
    PossibleValuesParser::new(choices().into_iter().map(possible))
}

impl<const JOB: usize> Given<JOB> {
    /// Whether the command line has this option.
    pub(crate) fn has(&self, option: OptionName) -> bool {
        self.0.value_source(option.as_str()) == Some(ValueSource::CommandLine)
    }

    /// The same for an option that the command may lack.
    pub(crate) fn may_have(&self, option: OptionName) -> bool {
        self.0.try_get_raw(option.as_str()).is_ok_and(|texts| texts.is_some()) && self.has(option)
    }

    /// The texts that the command line has for an option, or its default.
    fn texts(&self, option: OptionName) -> impl Iterator<Item = &OsStr> {
        self.0.get_raw(option.as_str()).into_iter().flatten()
    }

    /// The first text of an option.
    pub(crate) fn text(&self, option: OptionName) -> Option<&str> {
        self.texts(option).next()?.to_str()
    }

    /// All texts of an option that has one value in each argument.
    pub(crate) fn each(&self, option: OptionName) -> impl Iterator<Item = &str> {
        self.texts(option).filter_map(OsStr::to_str)
    }

    /// The first text of an option, which may be any bytes.
    pub(crate) fn raw(&self, option: OptionName) -> Option<&OsStr> {
        self.texts(option).next()
    }

    /// The first text of an option as the path of a file or directory.
    pub(crate) fn path(&self, option: OptionName) -> Option<&Path> {
        self.raw(option).map(Path::new)
    }

    /// The value of an option whose text clap has checked already.
    pub(crate) fn parsed<T: FromStr>(&self, option: OptionName) -> Option<T> {
        self.text(option)?.parse().ok()
    }

    /// How references are resolved: `--compat` or strictly (RFC 3986, 5.2.2).
    pub(crate) fn mode(&self) -> Mode {
        if self.is_on(OptionName::Compat) { Mode::Compatible } else { Mode::Strict }
    }

    /// The inputs.
    pub(crate) fn inputs(&self) -> Vec<OsString> {
        self.texts(OptionName::Inputs).map(OsStr::to_owned).collect()
    }

    /// The paths that an option has.
    pub(crate) fn paths(&self, option: OptionName) -> impl Iterator<Item = &Path> {
        self.texts(option).map(Path::new)
    }

    /// The value of a switch.
    pub(crate) fn is_on(&self, option: OptionName) -> bool {
        self.0.get_flag(option.as_str())
    }

    /// The value of an option that only the program has, such as `--summary`; without one, the default.
    pub(crate) fn shown<T: ValueEnum>(&self, option: OptionName) -> T {
        let found = self.text(option).and_then(|name| T::from_str(name, false).ok());
        found.unwrap_or_else(|| T::value_variants()[0].clone())
    }

    /// Fills a run with the options on the command line.
    pub(crate) fn fill<R: Settings>(&self, mut run: R) -> Result<R> {
        for row in Job::ALL[JOB].rows().filter(|row| !row.is_of_program && self.has(row.option)) {
            let setting = match row.kind {
                Kind::Switch => Setting::new(row.option, ["true"]),
                _ => Setting::new(row.option, self.texts(row.option)),
            };
            run.put(&setting)?;
        }
        Ok(run)
    }
}
