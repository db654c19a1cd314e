//! Options that do not go together, and numbers out of their range, are one sentence, which names their flags.

use urimill::OptionName;

use super::run::{dir, names, urimill};
use urimill_testkit::option_rules::{CHECK, DEDUPE, EXTRACT, NORMALIZE, RANGES, Rule};

fn flag(option: OptionName) -> String {
    match option {
        OptionName::Format => "--from".to_owned(),
        OptionName::OutputFormat => "--to".to_owned(),
        OptionName::Output => "-o ".to_owned(),
        other => format!("--{}", other.as_str().replace('_', "-")),
    }
}

/// Each row's arguments after those of `command`: nothing is made, and the first line names the flags. What clap refuses
/// has two lines more.
fn are_refused<Job>(rules: &[Rule<Job>], command: &str, output: &str) {
    let dir = dir();
    for (_, line, options) in rules.iter().filter(|(_, line, _)| !line.is_empty()) {
        let output = if line.contains("-o ") { "" } else { output };
        let done = urimill(&format!("{command} {line} {output}")).within(dir.path()).stdin("").go();
        assert_eq!(done.code, Some(2), "{command} {line}: {}", done.stderr);
        let is_own = done.stderr.starts_with("urimill: ");
        assert_eq!(done.stderr.lines().count(), if is_own { 1 } else { 3 }, "{line}: {}", done.stderr);
        let sentence = done.stderr.lines().next().unwrap_or_default();
        for flag in options.iter().copied().map(flag) {
            assert!(sentence.contains(&flag), "{command} {line}: {flag} is not in {sentence}");
        }
        assert_eq!(names(dir.path()), [""; 0], "{command} {line}");
    }
}

#[test]
fn a_wrong_combination_names_its_flags() {
    are_refused(NORMALIZE, "normalize", "-o t.csv");
    are_refused(CHECK, "check", "");
    are_refused(EXTRACT, "extract", "");
    are_refused(DEDUPE, "dedupe", "-o t.csv");
}

#[test]
fn a_number_out_of_its_range_names_its_flag() {
    are_refused(RANGES, "normalize", "-o t.csv");
}
