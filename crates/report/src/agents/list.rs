//! The rules of uap-core as they are in its file: three lists of regular expressions, each with the names that it
//! gives.
//!
//! ```text
//! os_parsers:                          a list
//!   - regex: 'CFNetwork/.{0,100}'      a rule begins
//!     os_replacement: 'iOS'            what the rule says
//! ```
//! The file keeps to this part of YAML, so that no reader of all of YAML is needed; a test checks that every line does.

use std::borrow::Cow;

/// The file of uap-core, unchanged.
pub(super) const FILE: &str = include_str!("uap-core/regexes.yaml");

/// A rule: the agents that it matches, and their names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) regex: Cow<'static, str>,
    pub(super) ignores_case: bool,
    /// The family, the system or the device, if it is not the first group of the expression.
    pub(super) name: Option<Cow<'static, str>>,
}

/// The rules for families, for operating systems and for devices, each in the order in which they are tried.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub(super) families: Vec<Rule>,
    pub(super) systems: Vec<Rule>,
    pub(super) devices: Vec<Rule>,
    /// Lines that are in none of the lists.
    pub(super) unread: Vec<&'static str>,
}

/// The lists of the file.
pub(super) fn read(file: &'static str) -> Lists {
    let mut lists = Lists::default();
    let mut list = None;
    for line in file.lines() {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = match (text.strip_suffix(':'), text.split_once(": ")) {
            (Some(name), _) => {
                list = Some(name);
                continue;
            }
            (_, Some((key, value))) => (key, value),
            _ => {
                lists.unread.push(line);
                continue;
            }
        };
        let rules = match list {
            Some("user_agent_parsers") => Some(&mut lists.families),
            Some("os_parsers") => Some(&mut lists.systems),
            Some("device_parsers") => Some(&mut lists.devices),
            _ => None,
        };
        let is_read = rules.zip(quoted(value)).is_some_and(|(rules, value)| take(rules, key, value));
        if !is_read {
            lists.unread.push(line);
        }
    }
    lists
}

/// Reads a line; returns whether it has anything known.
fn take(rules: &mut Vec<Rule>, key: &str, value: Cow<'static, str>) -> bool {
    if key == "- regex" {
        rules.push(Rule { regex: value, ..Rule::default() });
        return true;
    }
    let Some(rule) = rules.last_mut() else { return false };
    match key {
        "regex_flag" => rule.ignores_case = value == "i",
        "family_replacement" | "os_replacement" | "device_replacement" => rule.name = Some(value),
        // Versions, brands and models are ignored.
        "v1_replacement" | "v2_replacement" | "v3_replacement" | "brand_replacement"
        | "model_replacement" => {}
        "os_v1_replacement" | "os_v2_replacement" | "os_v3_replacement" | "os_v4_replacement" => {}
        _ => return false,
    }
    true
}

/// A text in single quotes, in which two of them mean one; a comment may follow.
fn quoted(value: &'static str) -> Option<Cow<'static, str>> {
    let inner = value.strip_prefix('\'')?;
    let mut from = 0;
    loop {
        let end = from + inner[from..].find('\'')?;
        if inner[end + 1..].starts_with('\'') {
            from = end + 2;
            continue;
        }
        let after = inner[end + 1..].trim_start();
        let text = &inner[..end];
        let text = if from > 0 { text.replace("''", "'").into() } else { text.into() };
        return (after.is_empty() || after.starts_with('#')).then_some(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_file_is_read() {
        let lists = read(FILE);
        assert_eq!(lists.unread, [""; 0]);
        let rules = FILE.lines().filter(|line| line.trim_start().starts_with("- regex:")).count();
        let counts = [lists.families.len(), lists.systems.len(), lists.devices.len()];
        assert_eq!(counts.iter().sum::<usize>(), rules);
        assert!(counts[0] > 400 && counts[1] > 200 && counts[2] > 600, "{counts:?}");
    }

    #[test]
    fn the_form_of_lines() {
        let rule = |regex: &'static str, ignores_case, name: Option<&'static str>| Rule {
            regex: regex.into(),
            ignores_case,
            name: name.map(Into::into),
        };
        for (file, expected, unread, reason) in [
            ("os_parsers:\n  - regex: 'a'\n", vec![rule("a", false, None)], vec![], "a rule"),
            (
                "os_parsers:\n- regex: 'it''s' # b\n",
                vec![rule("it's", false, None)],
                vec![],
                "quotes, a comment",
            ),
            (
                "os_parsers:\n  # c\n\n  - regex: 'a: b'\n    regex_flag: 'i'\n    os_replacement: 'X'\n",
                vec![rule("a: b", true, Some("X"))],
                vec![],
                "what a rule says",
            ),
            ("  - regex: 'a'\n", vec![], vec!["  - regex: 'a'"], "outside of a list"),
            ("os_parsers:\n  - regex: \"a\"\n", vec![], vec!["  - regex: \"a\""], "other quotes"),
            ("os_parsers:\n  - regex: 'a' b\n", vec![], vec!["  - regex: 'a' b"], "more behind it"),
            (
                "os_parsers:\n    os_replacement: 'a'\n",
                vec![],
                vec!["    os_replacement: 'a'"],
                "no rule before it",
            ),
            (
                "os_parsers:\n  - regex: 'a'\n    x: 'b'\n",
                vec![rule("a", false, None)],
                vec!["    x: 'b'"],
                "unknown",
            ),
            ("os_parsers:\nwhat\n", vec![], vec!["what"], "nothing of the form"),
        ] {
            let lists = read(file);
            assert_eq!((lists.systems, lists.unread), (expected, unread), "{reason}");
        }
    }
}
