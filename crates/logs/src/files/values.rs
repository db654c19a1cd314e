//! The forms of values that a format defines in its file.

use serde::Deserialize;

use crate::forms::{Form, kinds_named};

/// A form: words, or bytes with conditions.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ValueForm {
    /// The bytes that it may have: names of kinds, and characters, with spaces between.
    bytes: Option<String>,
    /// Those that it begins and ends with.
    first: Option<String>,
    last: Option<String>,
    /// It has a byte of each of at most two of these.
    #[serde(default)]
    has: Vec<String>,
    /// The least and the greatest number of bytes.
    least: Option<usize>,
    most: Option<usize>,
    /// It begins in one of these ways, and never in these.
    #[serde(default)]
    begins: Vec<String>,
    #[serde(default)]
    never: Vec<String>,
    /// Instead, it may be one of these, or begin so.
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    or_begins: Vec<String>,
}

impl ValueForm {
    /// The form, or why it is none.
    pub(super) fn form(&self) -> Result<Form, String> {
        let kinds = |text: &Option<String>| text.as_deref().map(kinds_named).transpose();
        let texts = |texts: &[String]| -> &'static [&'static str] {
            texts.iter().map(|text| &*text.clone().leak()).collect::<Vec<_>>().leak()
        };
        let any = self.bytes.is_none() && self.words.is_empty() && self.or_begins.is_empty();
        let bytes = if any { kinds_named("any")? } else { kinds(&self.bytes)?.unwrap_or_default() };
        if self.has.len() > 2 {
            return Err("`has` takes at most two kinds".into());
        }
        let mut form = Form::of(bytes);
        form.first = kinds(&self.first)?.unwrap_or(form.first);
        form.last = kinds(&self.last)?.unwrap_or(form.last);
        for (need, text) in form.needs.iter_mut().zip(&self.has) {
            *need = kinds_named(text)?;
        }
        form.least = self.least.unwrap_or(form.least);
        form.most = self.most.unwrap_or(form.most);
        (form.begins, form.never) = (texts(&self.begins), texts(&self.never));
        (form.words, form.prefixes) = (texts(&self.words), texts(&self.or_begins));
        form.is_open = form.begins.is_empty() && form.never.is_empty();
        Ok(form)
    }
}
