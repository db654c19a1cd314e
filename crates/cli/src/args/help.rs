//! How much the help texts of commands with many options show: `-h` the options in common use, `--help` all of them, a
//! sentence each. `urimill help COMMAND` has everything. The texts of other commands are short, and stay whole.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

use urimill::run::options::{Choice, Job, Kind, Row};

/// A command with more options has many.
const MANY: usize = 15;
/// The longest sentence that is not cut at a clause.
const SENTENCE: usize = 66;
/// The longest list of names that stands after a sentence.
const NAMES: usize = 60;

/// How much a help text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// The options in common use: `-h`.
    Common,
    /// All options: `--help`.
    Sentences,
}

impl Detail {
    /// The examples after the options.
    fn examples(self) -> usize {
        match self {
            Detail::Common => 3,
            Detail::Sentences => 8,
        }
    }
}

/// The help text that a line asks for, as clap's end of parsing; none where the line ends otherwise.
pub(crate) fn shown(command: Command, line: &[OsString]) -> Option<clap::Error> {
    let arguments = line.iter().take_while(|argument| *argument != "--");
    let mut asked = arguments.filter_map(|argument| match argument.to_str() {
        Some("-h") => Some(Detail::Common),
        Some("--help") => Some(Detail::Sentences),
        _ => None,
    });
    let detail = asked.next().unwrap_or(Detail::Sentences);
    let jobs = Job::ALL.iter().filter(|job| has_many_options(**job));
    let command = jobs.fold(command, |command, &job| {
        command.mut_subcommand(job.name(), |subcommand| in_short(subcommand, job, detail))
    });
    command.try_get_matches_from(line).err()
}

fn has_many_options(job: Job) -> bool {
    job.rows().filter(|row| row.is_shown).count() > MANY
}

/// The command with less help.
fn in_short(command: Command, job: Job, detail: Detail) -> Command {
    let name = job.name();
    let whole = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let (own, _) = whole.split_once("Exit codes:").unwrap_or((&whole, ""));
    let (columns, examples) = own.split_at(own.find("Examples:\n").unwrap_or(own.len()));
    let examples = first_examples(examples, detail.examples());
    let after = match detail {
        Detail::Common => {
            format!("{examples}All options: urimill {name} --help. Everything: urimill help {name}.")
        }
        Detail::Sentences => format!(
            "{columns}{examples}Everything: urimill help {name}. Exit codes: urimill help exit-codes."
        ),
    };
    let heading = match detail {
        Detail::Common => None,
        Detail::Sentences => job.rows().map(|row| row.heading).filter(|heading| !heading.is_empty()).last(),
    };
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    let command = command.disable_help_flag(true).arg(help.help("Print help").help_heading(heading));
    let rows = job.rows().map(|row| (row.option.as_str(), row));
    rows.fold(command.long_about(None).after_help(after), |command, (id, row)| {
        command.mut_arg(id, |argument| in_a_sentence(argument, row, detail))
    })
}

/// The first `most` examples of a text, each with its explanation.
fn first_examples(text: &str, most: usize) -> String {
    let mut count = 0;
    let first = text.lines().take_while(|line| {
        count += usize::from(line.starts_with("  ") && !line.starts_with("   "));
        count <= most && !line.is_empty()
    });
    let first: Vec<_> = first.collect();
    if first.is_empty() { String::new() } else { format!("{}\n\n", first.join("\n")) }
}

fn in_a_sentence(argument: Arg, row: &Row, detail: Detail) -> Arg {
    let argument = match detail {
        Detail::Common if row.is_positional => argument,
        Detail::Common => argument.hide(!row.is_common).help_heading(None::<&str>),
        Detail::Sentences => argument,
    };
    let sentence = first_sentence(row.help);
    let (Kind::Choice(choices) | Kind::Choices(choices) | Kind::Open(choices)) = row.kind else {
        return argument.help(sentence);
    };
    let names = list(choices);
    // In the shortest text each option has one line.
    let most = match detail {
        Detail::Common if row.default.is_some() => 0,
        Detail::Common => SENTENCE.saturating_sub(sentence.len() + 2),
        Detail::Sentences => NAMES,
    };
    let text = if names.len() <= most { format!("{sentence}: {names}") } else { sentence.to_owned() };
    argument.help(text).hide_possible_values(true)
}

fn list(choices: fn() -> Vec<Choice>) -> String {
    choices().iter().map(|choice| choice.name).collect::<Vec<_>>().join(", ")
}

/// The first sentence of an option's help, or a clause of it if it is long.
fn first_sentence(help: &str) -> &str {
    let end = [". ", " [default"].iter().filter_map(|mark| help.find(mark)).min();
    let sentence = &help[..end.unwrap_or(help.len())];
    if sentence.len() <= SENTENCE {
        return sentence;
    }
    // A condition alone says nothing: "With --schema cc-index".
    let condition = if sentence.starts_with("With --") { sentence.find(": ") } else { None };
    let least = condition.map_or(SENTENCE / 3, |at| at + 1);
    let cuts = |marks: &'static [&'static str]| {
        let found = marks.iter().flat_map(|mark| sentence.match_indices(mark));
        found.map(|(at, _)| at).filter(move |at| (least..=SENTENCE).contains(at))
    };
    let cut = cuts(&[": ", "; "]).min().or_else(|| cuts(&[", "]).max());
    &sentence[..cut.unwrap_or(sentence.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_they_can() {
        let long = "x".repeat(80);
        for (help, expected) in [
            ("Replace existing output files", "Replace existing output files"),
            ("Write to FILE, as its extension says [default: -]", "Write to FILE, as its extension says"),
            ("One sentence. Another one", "One sentence"),
            (
                &format!("A clause of more than twenty characters: {long}"),
                "A clause of more than twenty characters",
            ),
            (&format!("With --a: a text that is long, and then {long}"), "With --a: a text that is long"),
            (&format!("Short: {long}"), &format!("Short: {long}")),
            (&long, &long),
        ] {
            assert_eq!(first_sentence(help), expected);
        }
    }

    #[test]
    fn examples_are_the_first() {
        let text = "Examples:\n  one\n      first\n  two\n      second\n  three\n      third\n\n";
        assert_eq!(first_examples(text, 2), "Examples:\n  one\n      first\n  two\n      second\n\n");
        assert_eq!(first_examples(text, 9), text);
        assert_eq!(first_examples("", 9), "");
    }
}
