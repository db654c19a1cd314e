//! Options that do not go together are one sentence, which names their flags.

use urimill::OptionName;

use super::run::{dir, names, urimill};
use urimill_testkit::option_rules::RULES;

fn flag(option: OptionName) -> String {
    match option {
        OptionName::Format => "--from".to_owned(),
        OptionName::OutputFormat => "--to".to_owned(),
        OptionName::Output => "-o ".to_owned(),
        other => format!("--{}", other.as_str().replace('_', "-")),
    }
}

#[test]
fn a_wrong_combination_names_its_flags() {
    let dir = dir();
    for (_, line, options) in RULES {
        let output = if line.contains("-o ") { "" } else { "-o t.csv" };
        let done = urimill(&format!("normalize {line} {output}")).within(dir.path()).stdin("").go();
        assert_eq!((done.code, done.stderr.lines().count()), (Some(2), 1), "{line}: {}", done.stderr);
        for flag in options.iter().copied().map(flag) {
            assert!(done.stderr.contains(&flag), "{line}: {flag} is not in {}", done.stderr);
        }
        assert_eq!(names(dir.path()), [""; 0], "{line}");
    }
}
