//! Jobs that give each text an answer, as `urimill relativize`, `compare`, `encode` and `decode` do for lines. A text without an answer has null, and the reason in the column `error`.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::builder::{BinaryViewBuilder, BooleanBuilder, Int32Builder, StringViewBuilder};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use urimill::compare::{CompareOptions, Rung, compare_targets_with, compare_with};
use urimill::encode::{Part, decode, decode_leniently, decode_part, encode, encode_rest};
use urimill::resolve::{Mode, relativize};
use urimill::{Level, Reject, Spec, UriRef};

use crate::engine::{Job, Worker};
use crate::errors::Result;
use crate::values::value;

/// The question that a job answers for each row.
#[derive(Clone)]
pub(crate) enum Question {
    /// The shortest reference to a URI.
    Relativize,
    /// The rung on which two references are equal, and whether they are equal at the level asked for.
    Compare { level: Level, options: CompareOptions },
    /// Data as the text of a component.
    Encode { part: Part, keeps_triplets: bool },
    /// The data that a component's text encodes.
    Decode { part: Option<Part>, lenient: bool },
}

/// A question with its parameters.
#[derive(Clone)]
pub(crate) struct Answers {
    pub(crate) question: Question,
    pub(crate) spec: Spec,
    /// The base for every row. Without it the last column has a base for each row.
    pub(crate) base: Option<String>,
}

/// Why a row has no answer: a code, and the byte at fault.
pub(crate) type Reason = (&'static str, usize);

pub(crate) fn reason(reject: Reject) -> Reason {
    (reject.code.as_str(), reject.offset)
}

/// The base of the row is not a URI reference.
const BAD_BASE: Reason = ("base_invalid", 0);
/// The base of the row has no scheme, or is null.
const NO_BASE: Reason = ("base_not_absolute", 0);
/// A reference is relative, and only absolute URIs are compared.
const RELATIVE: Reason = ("scheme_missing", 0);

impl Job for Answers {
    fn schema(&self) -> SchemaRef {
        let text = |name| Field::new(name, DataType::Utf8View, true);
        let reasons = [text("error"), Field::new("error_offset", DataType::Int32, true)];
        let fields = match self.question {
            Question::Relativize => [vec![text("reference")], reasons.to_vec()].concat(),
            Question::Compare { .. } => {
                let equal = Field::new("equal", DataType::Boolean, true);
                vec![text("rung"), equal, text("error_a"), text("error_b")]
            }
            Question::Encode { .. } => [vec![text("encoded")], reasons.to_vec()].concat(),
            Question::Decode { .. } => {
                let bytes = Field::new("decoded_bytes", DataType::BinaryView, true);
                [vec![text("decoded"), bytes], reasons.to_vec()].concat()
            }
        };
        Arc::new(Schema::new(fields))
    }

    fn worker(&self) -> Box<dyn Worker> {
        Box::new(self.clone())
    }
}

impl Worker for Answers {
    fn rows(&mut self, columns: &[ArrayRef], _first: i64) -> Result<RecordBatch> {
        let count = columns[0].len();
        let texts = |row: usize| columns.iter().map(move |column| value(column, row));
        let columns = match &self.question {
            Question::Compare { level, options } => self.compared((0..count).map(texts), *level, *options),
            Question::Encode { part, keeps_triplets } => {
                let encode = if *keeps_triplets { encode_rest } else { encode };
                let (mut answers, mut reasons) = (StringViewBuilder::new(), Reasons::default());
                for row in 0..count {
                    let answer =
                        value(&columns[0], row).map(|text| encode(text, *part, self.spec)).transpose();
                    answers.append_option(answer.as_ref().ok().and_then(Option::as_ref));
                    reasons.append(answer.err().map(|fault| (fault.kind.as_str(), fault.offset)));
                }
                reasons.columns(vec![Arc::new(answers.finish())])
            }
            Question::Decode { part, lenient } => self.decoded((0..count).map(texts), (*part, *lenient)),
            Question::Relativize => self.references((0..count).map(texts)),
        };
        Ok(RecordBatch::try_new(self.schema(), columns)?)
    }
}

impl Answers {
    fn references<'a, I: Iterator<Item = Option<&'a [u8]>>>(
        &self,
        rows: impl Iterator<Item = I>,
    ) -> Vec<ArrayRef> {
        let constant = self.base.as_deref().and_then(|base| UriRef::parse_as(base, self.spec).ok());
        let mut answers = StringViewBuilder::new();
        let mut reasons = Reasons::default();
        for mut row in rows {
            let Some(text) = row.next().flatten() else {
                answers.append_null();
                reasons.append(None);
                continue;
            };
            let own = row.next().flatten().filter(|base| !base.is_empty());
            let base = match own.map(|own| UriRef::parse_as(own, self.spec)) {
                Some(Ok(own)) => Some(own).filter(UriRef::is_uri).ok_or(NO_BASE),
                Some(Err(_)) => Err(BAD_BASE),
                None => constant.ok_or(NO_BASE),
            };
            let answer = base.and_then(|base| {
                let uri = UriRef::parse_as(text, self.spec).map_err(reason)?;
                relativize(&base, &uri).map_err(|error| (error.as_str(), 0))
            });
            answers.append_option(answer.as_ref().ok());
            reasons.append(answer.err());
        }
        reasons.columns(vec![Arc::new(answers.finish())])
    }

    fn compared<'a, I: Iterator<Item = Option<&'a [u8]>>>(
        &self,
        rows: impl Iterator<Item = I>,
        level: Level,
        options: CompareOptions,
    ) -> Vec<ArrayRef> {
        let base = self.base.as_deref().and_then(|base| UriRef::parse_as(base, self.spec).ok());
        let parsed = |text: Option<&'a [u8]>| -> Option<Result<UriRef<'a>, Reason>> {
            Some(match UriRef::parse_as(text?, self.spec) {
                Ok(uri) if base.is_none() && options.absolute_only && uri.is_relative_reference() => {
                    Err(RELATIVE)
                }
                Ok(uri) => Ok(uri),
                Err(reject) => Err(reason(reject)),
            })
        };
        let (mut rungs, mut equal) = (StringViewBuilder::new(), BooleanBuilder::new());
        let mut errors = [StringViewBuilder::new(), StringViewBuilder::new()];
        for mut row in rows {
            let pair = [parsed(row.next().flatten()), parsed(row.next().flatten())];
            let rung = match &pair {
                [Some(Ok(a)), Some(Ok(b))] => match &base {
                    Some(base) => compare_targets_with(base, a, b, Mode::Strict, options).ok(),
                    None => compare_with(a, b, options).ok(),
                },
                _ => None,
            };
            rungs.append_option(rung.map(Rung::as_str));
            equal.append_option(rung.map(|rung| rung.is_equal_at(level)));
            for (error, side) in errors.iter_mut().zip(pair) {
                error.append_option(side.and_then(Result::err).map(|(code, _)| code));
            }
        }
        let [mut a, mut b] = errors;
        vec![Arc::new(rungs.finish()), Arc::new(equal.finish()), Arc::new(a.finish()), Arc::new(b.finish())]
    }

    fn decoded<'a, I: Iterator<Item = Option<&'a [u8]>>>(
        &self,
        rows: impl Iterator<Item = I>,
        how: (Option<Part>, bool),
    ) -> Vec<ArrayRef> {
        let (mut texts, mut bytes) = (StringViewBuilder::new(), BinaryViewBuilder::new());
        let mut reasons = Reasons::default();
        for mut row in rows {
            let data = row.next().flatten().map(|text| decoded(text, how, self.spec)).transpose();
            let shown = data.as_ref().ok().and_then(Option::as_ref);
            let text = shown.and_then(|data| std::str::from_utf8(data).ok());
            texts.append_option(text);
            bytes.append_option(shown.filter(|_| text.is_none()));
            reasons.append(data.err());
        }
        reasons.columns(vec![Arc::new(texts.finish()), Arc::new(bytes.finish())])
    }
}

/// The data that a text encodes.
pub(crate) fn decoded(
    text: &[u8],
    (part, lenient): (Option<Part>, bool),
    spec: Spec,
) -> Result<Cow<'_, [u8]>, Reason> {
    let data = match part {
        _ if lenient => return Ok(decode_leniently(text)),
        Some(part) => decode_part(text, part, spec),
        None => decode(text),
    };
    data.map_err(|fault| (fault.kind.as_str(), fault.offset))
}

/// The columns `error` and `error_offset`.
#[derive(Default)]
struct Reasons {
    codes: StringViewBuilder,
    offsets: Int32Builder,
}

impl Reasons {
    fn append(&mut self, reason: Option<Reason>) {
        self.codes.append_option(reason.map(|(code, _)| code));
        self.offsets.append_option(reason.map(|(_, offset)| i32::try_from(offset).unwrap_or(i32::MAX)));
    }

    fn columns(mut self, mut before: Vec<ArrayRef>) -> Vec<ArrayRef> {
        before.push(Arc::new(self.codes.finish()));
        before.push(Arc::new(self.offsets.finish()));
        before
    }
}
