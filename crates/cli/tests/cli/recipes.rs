//! The recipes of `docs/FORMATS.md`: each runs on a sample and prints what the document says.
//! `URIMILL_WRITE_DOCS=1` writes the outputs anew.

use std::fmt::Write;
use std::fs;

use super::run::urimill;
use urimill_testkit::paths::repository;
use urimill_testkit::samples;

/// The words of a command line; single quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().expect("a word").push(c),
        }
    }
    words.into_iter().filter(|word| !word.is_empty()).collect()
}

#[test]
fn recipes_print_what_they_say() {
    let path = repository().join("docs/FORMATS.md");
    let text = fs::read_to_string(&path).expect("the document");
    let (before, recipes) = text.split_once("## Recipes\n").expect("the recipes");
    let mut written = format!("{before}## Recipes\n");
    let mut count = 0;
    for (at, part) in recipes.split("```console\n").enumerate() {
        if at == 0 {
            written.push_str(part);
            continue;
        }
        let (block, behind) = part.split_once("```\n").expect("the end of a block");
        let (command, output) = block.split_once('\n').expect("a command");
        let line = words(command.strip_prefix("$ urimill ").expect("a command of urimill"));
        let run = line.iter().fold(urimill(""), |run, word| run.arg(word)).arg("--summary").arg("none");
        let done = run.within(&samples::logs()).ok();
        if std::env::var_os("URIMILL_WRITE_DOCS").is_none() {
            assert_eq!(done.text(), output, "{command}");
        }
        let _ = write!(written, "```console\n{command}\n{}```\n{behind}", done.text());
        count += 1;
    }
    assert!(count >= 10, "{count} recipes");
    if std::env::var_os("URIMILL_WRITE_DOCS").is_some() {
        fs::write(&path, written).expect("written");
    }
}
