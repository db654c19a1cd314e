//! Colours on a terminal: when they are used, and the texts with and without them.

use std::io::IsTerminal;

use clap::ValueEnum;

use urimill::uri::Component;

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The role of a text, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Place,
    Fault,
    Warning,
    Component(Component),
}

impl Style {
    /// Parameters of SGR (ECMA-48, 8.3.117).
    fn parameters(self) -> &'static str {
        match self {
            Style::Place => "1",
            Style::Fault => "1;31",
            Style::Warning | Style::Component(Component::Port) => "33",
            Style::Component(Component::Scheme) => "36",
            Style::Component(Component::Userinfo) => "31",
            Style::Component(Component::Host) => "1;32",
            Style::Component(Component::Path) => "34",
            Style::Component(Component::Query) => "35",
            Style::Component(Component::Fragment) => "1;36",
        }
    }
}

/// Adds colours to texts, or leaves texts as they are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paint {
    is_on: bool,
}

impl Paint {
    /// The choice for standard output.
    pub(crate) fn new(when: When) -> Paint {
        // https://no-color.org: the variable is set and not empty, whatever its value.
        let is_unwanted = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let is_dumb = || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let is_on = match when {
            When::Always => true,
            When::Never => false,
            When::Auto => std::io::stdout().is_terminal() && !is_unwanted() && !is_dumb(),
        };
        Paint { is_on }
    }

    /// `text` in the colour of `style`.
    pub(crate) fn text(self, style: Style, text: &str) -> String {
        match self.is_on && !text.is_empty() {
            true => format!("\x1b[{}m{text}\x1b[0m", style.parameters()),
            false => text.to_owned(),
        }
    }
}
