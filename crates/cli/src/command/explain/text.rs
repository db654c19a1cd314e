//! An explanation as lines for people. A ruler under the text marks the components: a line for each component with its
//! name to the left, so that narrow components and long names do not overlap.

use std::fmt::Write;

use crate::term::colour::{Paint, Style};
use crate::term::marked::{found, mark};
use urimill::audit::{FLAGS, Flags};
use urimill::explain::{Explanation, Fault, Form, Part, Reference, Resolution};
use urimill::grammar::Spec;
use urimill::passwords::{Masked, masked_segments};
use urimill::uri::{Code, Component};
use urimill::whatwg::State;

/// The width in columns of the names to the left.
const MARGIN: usize = 13;
/// The longest text that gets a ruler, in characters. Nobody finds a column in a longer one.
const RULED: usize = 100;
/// The longest text that is shown whole, in characters.
const SHOWN: usize = 2000;

/// Flags of normalization. They are left out, because the steps of the explanation show the same.
const TOLD_BY_STEPS: Flags = Flags(
    Flags::DOT_SEGMENTS_REMOVED.0
        | Flags::PERCENT_DECODED.0
        | Flags::CASE_CHANGED.0
        | Flags::PORT_DROPPED.0
        | Flags::REPAIRED.0
        | Flags::SAME_DOCUMENT.0,
);

/// The whole explanation. Masked passwords do not change offsets: these refer to the text as it is.
pub(super) fn page(told: &Explanation, paint: Paint, shows_passwords: bool) -> String {
    let may_be_path = may_be_path(told);
    let mut page = Page { text: String::new(), paint, shows_passwords, may_be_path };
    if let Some(fault) = &told.fault {
        page.fault(told, fault);
    } else if told.is_repaired() {
        page.line("text", &mark(&page.masked(&told.text).text, 0).line);
    }
    if told.fault.is_some() || told.is_repaired() {
        let mended = told.mended.as_deref().map(|mended| page.shown(mended));
        page.line("repair", mended.as_deref().unwrap_or("cannot mend it"));
    }
    if let Some(reference) = &told.reference {
        page.reference(reference, told.spec);
        if let Some(resolution) = &reference.resolution {
            page.resolution(resolution);
        }
        page.steps(reference);
        page.warnings(reference);
    }
    page.url(told);
    page.text
}

/// Whether a password may be a part of a path: some specification finds one in the text or the base.
pub(super) fn may_be_path(told: &Explanation) -> bool {
    let resolution = told.reference.as_ref().and_then(|reference| reference.resolution.as_ref());
    let base = resolution.map_or(&b""[..], |resolution| resolution.base.as_bytes());
    [&told.text, base].into_iter().any(|text| Masked::new(text, false).is_changed())
}

struct Page {
    text: String,
    paint: Paint,
    shows_passwords: bool,
    may_be_path: bool,
}

impl Page {
    fn masked(&self, text: &[u8]) -> Masked {
        Masked::new(text, self.shows_passwords)
    }

    /// A text in the form in which it is printed.
    fn shown(&self, text: &str) -> String {
        if self.may_be_path && !self.shows_passwords {
            return cut(&masked_segments(text)).into_owned();
        }
        cut(&String::from_utf8_lossy(&self.masked(text.as_bytes()).text)).into_owned()
    }

    fn line(&mut self, name: &str, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{}", format!("{name:<MARGIN$}{text}").trim_end());
    }

    fn fault(&mut self, told: &Explanation, fault: &Fault) {
        let reject = fault.reject;
        let text = self.masked(&told.text);
        let marked = mark(&text.text, text.at(reject.offset));
        self.line("text", &marked.line);
        let caret = self.paint.text(Style::Fault, "^");
        self.line("", &format!("{:width$}{caret}", "", width = marked.caret));
        let code = self.paint.text(Style::Fault, reject.code.as_str());
        self.line("reject", &format!("{code}: {}", reject.code.sentence()));
        let found = match reject.code {
            Code::TooLong => String::new(),
            _ if text.hides(reject.offset) => String::new(),
            _ => format!(": {}", found(fault.found)),
        };
        let place = format!(
            "{}, byte {}, character {}{found}",
            reject.component,
            reject.offset,
            fault.chars_before + 1
        );
        self.line("place", &place);
        if let Some(reading) = fault.until_there {
            self.line("", &format!("up to there it could have been {reading}"));
        }
        if let Some(rule) = fault.rule {
            self.line("rule", &format!("{}   ({})", rule.line, rule.section));
        }
    }

    fn reference(&mut self, reference: &Reference, spec: Spec) {
        let masked = self.masked(reference.text.as_bytes());
        let whole = String::from_utf8_lossy(&masked.text);
        let mut text = String::new();
        let mut at = 0;
        for part in &reference.parts {
            let (start, end) = (masked.at(part.start), masked.at(part.end));
            text.push_str(&whole[at..start]);
            text.push_str(&self.paint.text(Style::Component(part.component), &whole[start..end]));
            at = end;
        }
        match whole.len() <= SHOWN {
            true => self.line("reference", &text),
            false => self.line("reference", &cut(&whole)),
        }
        for part in &reference.parts {
            self.part(reference, part, &masked);
        }
        for param in &reference.path_params {
            let text = match &param.value {
                Some(value) => format!("{} = {value}", param.key),
                None => param.key.clone(),
            };
            let text = mark(self.shown(&text).as_bytes(), 0).line;
            self.line("parameter", &format!("of segment {}: {text}", param.segment));
        }
        if reference.form != Form::Uri {
            let form = reference.form.as_str().replace('_', "-");
            let article = if form.starts_with(['a', 'e']) { "an" } else { "a" };
            self.line("form", &format!("{article} {form} reference   ({})", reference.form.section(spec)));
        }
    }

    /// Writes the URL of the text by the URL Standard, if it differs.
    fn url(&mut self, told: &Explanation) {
        let Some(url) = &told.url else { return };
        let normal = told.reference.as_ref().map(|reference| reference.normal.as_str());
        // A reference that RFC 3986 does not resolve is not resolved by the URL Standard either.
        let is_relative = told
            .reference
            .as_ref()
            .is_some_and(|reference| reference.form != Form::Uri && reference.resolution.is_none());
        match &url.href {
            Ok(href) if url.disagreements.is_empty() && Some(href.as_str()) == normal => return,
            Ok(href) => self.line("whatwg", &self.shown(href)),
            Err(_) if is_relative => return,
            Err(failure) => {
                let state = url.failed_in.map_or("", State::as_str);
                let error = self.paint.text(Style::Fault, failure.error.as_str());
                let sentence = failure.error.sentence();
                self.line("whatwg", &format!("{error}: {sentence} (byte {}, {state})", failure.offset));
            }
        }
        for traced in &url.errors {
            let state = traced.state.map_or("before the first state", State::as_str);
            self.line(
                "",
                &format!("{}: {} (byte {}, {state})", traced.error, traced.error.sentence(), traced.offset),
            );
        }
        for one in url.disagreements.iter() {
            self.line("disagreement", &format!("{one}: {}", one.sentence()));
        }
    }

    fn part(&mut self, reference: &Reference, part: &Part, masked: &Masked) {
        let style = Style::Component(part.component);
        let name = part.component.as_str();
        let name = format!("{}{:2$}", self.paint.text(style, name), "", MARGIN - name.len());
        let place = format!("{}..{}", part.start, part.end);
        let note = note(reference, part);
        let (start, end) = (masked.at(part.start), masked.at(part.end));
        let width = masked.text.len() + 1;
        let line = if width > RULED {
            let value = String::from_utf8_lossy(&masked.text[start..end]);
            let value = self.paint.text(style, &cut(&value));
            format!("{name}{place:<9} {value}{note}")
        } else {
            let ruler = match end - start {
                0 => "|".to_owned(),
                length => "~".repeat(length),
            };
            let (before, behind) = (start, width - start - ruler.len());
            let ruler = self.paint.text(style, &ruler);
            format!("{name}{:before$}{ruler}{:behind$}  {place}{note}", "", "")
        };
        let _ = writeln!(self.text, "{}", line.trim_end());
    }

    fn resolution(&mut self, resolution: &Resolution) {
        self.line("base", &self.shown(&resolution.base));
        self.line("resolution", &format!("{}   ({})", resolution.branch.sentence(), resolution.section));
        for change in &resolution.path {
            let what = format!("{}   ({})", change.rule.sentence(), change.section);
            self.change("path", &what, (&change.before, &change.after));
        }
        self.line("target", &self.shown(&resolution.target));
        if resolution.same_document {
            self.line("", "the base's own document");
        }
    }

    fn change(&mut self, name: &str, what: &str, (before, after): (&str, &str)) {
        self.line(name, what);
        for (name, text) in [("  before", before), ("  after", after)] {
            // No reference contains quotation marks.
            self.line(name, &if text.is_empty() { "\"\"".into() } else { self.shown(text) });
        }
    }

    fn steps(&mut self, reference: &Reference) {
        for step in &reference.steps {
            let what = format!("{}   ({})", step.rule.sentence(), step.section);
            self.change(step.level.as_str(), &what, (&step.before, &step.after));
        }
        let from = reference.resolution.as_ref().map_or(&reference.text, |found| &found.target);
        match reference.normal == *from {
            true => self.line("normal form", "it is in normal form"),
            false => self.line("normal form", &self.shown(&reference.normal)),
        }
    }

    fn warnings(&mut self, reference: &Reference) {
        let warnings = FLAGS.iter().filter(|flag| reference.flags.0 & !TOLD_BY_STEPS.0 & flag.bit != 0);
        for flag in warnings {
            let name = self.paint.text(Style::Warning, flag.name);
            self.line("warning", &format!("{name}: {}", flag.meaning.trim()));
        }
    }
}

/// Remarks on a component, such as the kind of its host.
fn note(reference: &Reference, part: &Part) -> String {
    let mut note = String::new();
    if part.text.is_empty() {
        note.push_str("  empty");
    }
    if let (Component::Host, Some(kind)) = (part.component, reference.host) {
        note.push_str("  ");
        note.push_str(kind.as_str());
        if let Some(address) = reference.address {
            let _ = write!(note, " {address}");
        }
    }
    note
}

/// The beginning of a very long text.
fn cut(text: &str) -> std::borrow::Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}… ({} bytes)", &text[..end], text.len()).into(),
        None => text.into(),
    }
}
