//! The options of a run by name. A sentence about an option names it as a typed value, and the code that shows the
//! sentence writes the name in the caller's terms: a method in Rust, a flag on the command line, a keyword argument in
//! Python. Any module may use it, because the sentence of any error may name an option.

use std::borrow::Cow;
use std::fmt;

macro_rules! option_names {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// An option of a run, as [`Error::option`](crate::Error::option) answers it.
        ///
        /// ```
        /// use urimill::OptionName;
        ///
        /// assert_eq!(OptionName::SortBy.as_str(), "sort_by");
        /// assert_eq!("sort_by".parse(), Ok(OptionName::SortBy));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum OptionName {
            $($(#[$doc])* $variant,)*
        }

        impl OptionName {
            /// Every option.
            pub const ALL: &[OptionName] = &[$(OptionName::$variant),*];

            /// The name of the method that sets it.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(OptionName::$variant => $name,)*
                }
            }
        }
    };
}

option_names! {
    /// What every record that is checked has to be.
    Require = "require";
    /// The files, patterns and streams that are read.
    Inputs = "inputs";
    /// The format of the inputs.
    Format = "format";
    /// The form of the lines of a log, as servers describe it.
    LogFormat = "log_format";
    /// What stands between fields.
    Delimiter = "delimiter";
    /// What lines of comments begin with.
    Comment = "comment";
    /// The encoding of a text.
    Encoding = "encoding";
    /// The URI as a text with fields in it.
    UriTemplate = "uri_template";
    /// The field that holds the line of a request.
    RequestLine = "request_line";
    /// The field that holds the URI.
    UriField = "uri_field";
    /// The field that holds the base of the URI reference.
    BaseField = "base_field";
    /// Whether the first record of an input names the fields.
    Header = "header";
    /// Quotes are characters like others.
    NoQuotes = "no_quotes";
    /// Which of the records' other fields get columns.
    Keep = "keep";
    /// Which records of web archives become rows.
    Records = "records";
    /// What decides which records are equal.
    By = "by";
    /// What the edges of a graph lead from and to.
    Edges = "edges";
    /// The files of an index.
    Shards = "shards";
    /// The lines of a block of an index.
    BlockLines = "block_lines";
    /// Whether bodies of compressed records are stepped over without decompressing them.
    SkipBodies = "skip_bodies";
    /// Bodies of requests are no part of keys.
    NoPost = "no_post";
    /// All lines of an index are read.
    Scan = "scan";
    /// What becomes of the last line of a log that may be cut.
    LastLine = "last_line";
    /// Lines stay in the order of the records.
    Unsorted = "unsorted";
    /// The directory below which files are named.
    Root = "root";
    /// Edges are written as texts, with numbers for their ends.
    Graph = "graph";
    /// The file that the state of a report is written to.
    State = "state";
    /// The columns of the table.
    Columns = "columns";
    /// Whose columns the table has.
    Schema = "schema";
    /// Columns that must have a value get one.
    Fill = "fill";
    /// Places in files have 64 bits.
    WideOffsets = "wide_offsets";
    /// The value of the column `crawl`.
    Crawl = "crawl";
    /// The value of the column `subset`.
    Subset = "subset";
    /// The URI that references are resolved against.
    Base = "base";
    /// References are resolved as before RFC 3986.
    Compat = "compat";
    /// The specification that decides what is valid.
    Spec = "spec";
    /// The normal form.
    Level = "level";
    /// Texts that are not URI references are repaired.
    Repair = "repair";
    /// What has no scheme is dropped.
    NoSuffix = "no_suffix";
    /// The scheme that completes suffix references.
    DefaultScheme = "default_scheme";
    /// The public suffix list.
    Psl = "psl";
    /// Names without a rule in the list have their last label for the suffix.
    PslUnlisted = "psl_unlisted";
    /// The form of the column `canonical`.
    Canonical = "canonical";
    /// Parameters that the column `canonical` does not have.
    DropParams = "drop_params";
    /// The same for parameters that track visitors.
    DropTracking = "drop_tracking";
    /// Which ports a scheme may name without a flag.
    PortRules = "port_rules";
    /// The longest record.
    MaxRecord = "max_record";
    /// Passwords are written as `***`.
    MaskPasswords = "mask_passwords";
    /// User information is not written.
    DropUserinfo = "drop_userinfo";
    /// Messages show the passwords that they quote.
    ShowPasswords = "show_passwords";
    /// What becomes of records that are not URI references.
    OnInvalid = "on_invalid";
    /// What becomes of records in which the URL Standard and the RFC see different things.
    OnDisagreement = "on_disagreement";
    /// The file of rejected records.
    Rejects = "rejects";
    /// What becomes of damaged inputs.
    OnDamage = "on_damage";
    /// The columns that the rows are sorted by.
    SortBy = "sort_by";
    /// Where temporary files go.
    TempDir = "temp_dir";
    /// The columns whose values divide a directory of files.
    PartitionBy = "partition_by";
    /// The size of the files in a directory.
    FileSize = "file_size";
    /// How many partitions there may be.
    MaxPartitions = "max_partitions";
    /// The memory of the run.
    Memory = "memory";
    /// The number of threads.
    Threads = "threads";
    /// How much is read at once.
    ChunkBytes = "chunk";
    /// Outputs are read back before they are published.
    Verify = "verify";
    /// The file or directory of the table.
    Output = "write_to";
    /// The format of the table.
    OutputFormat = "output_format";
    /// The compression of Parquet pages.
    Compression = "compression";
    /// The rows of a Parquet row group.
    RowGroupRows = "row_group_rows";
    /// Whether texts in Parquet are stored by what differs from the one before.
    DeltaTexts = "delta_texts";
    /// CSV without formulas.
    CsvSafe = "csv_safe";
    /// Outputs that exist are replaced.
    Force = "force";
}

/// Noncharacters, which Unicode reserves for internal use, delimit a name in a sentence.
const BEGIN: char = '\u{FDD0}';
const END: char = '\u{FDD1}';
/// The separator of alternative values.
const OR: char = '\u{FDD2}';

impl OptionName {
    /// The option in a sentence.
    pub const fn named(self) -> Mention<'static> {
        Mention { option: self, value: None }
    }

    /// The option in a sentence, with a value such as `csv`, or what stands for one, in capitals, such as `FILE`.
    pub const fn with(self, value: &str) -> Mention<'_> {
        Mention { option: self, value: Some(value) }
    }

    /// The option in a sentence, with one of several values.
    pub fn with_any(self, values: &[&str]) -> String {
        self.with(&values.join(&OR.to_string())).to_string()
    }

    /// A switch in a sentence, where it is on.
    pub const fn on(self) -> Mention<'static> {
        self.with("true")
    }

    /// Whether it is on or off.
    pub const fn is_switch(self) -> bool {
        use OptionName::*;
        matches!(
            self,
            NoQuotes
                | Fill
                | WideOffsets
                | NoSuffix
                | Compat
                | Repair
                | PslUnlisted
                | Graph
                | Unsorted
                | DropTracking
                | MaskPasswords
        ) || matches!(self, DropUserinfo | ShowPasswords | Verify | CsvSafe | Force)
    }
}

impl std::str::FromStr for OptionName {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        OptionName::ALL.iter().copied().find(|option| option.as_str() == name).ok_or(())
    }
}

/// An option where a sentence names it: written out in the caller's words by [`in_words`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention<'a> {
    /// The option.
    pub option: OptionName,
    value: Option<&'a str>,
}

impl<'a> Mention<'a> {
    /// Its value, if the sentence tells one; the first of several.
    pub fn value(&self) -> Option<&'a str> {
        self.value.and_then(|value| value.split(OR).next())
    }

    /// Its values in one text, `a, b or c`, each as `write` writes it; `None` where the sentence tells none.
    pub fn values(&self, write: impl Fn(&str) -> String) -> Option<String> {
        let values: Vec<String> = self.value?.split(OR).map(write).collect();
        let (last, others) = values.split_last()?;
        Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
    }

    /// Whether the value stands for others, as FILE does.
    pub fn is_placeholder(&self) -> bool {
        let is_capital = |c: char| c.is_ascii_uppercase() || matches!(c, '.' | '/');
        self.value.is_some_and(|value| {
            value.starts_with(|c: char| c.is_ascii_uppercase()) && value.chars().all(is_capital)
        })
    }

    /// As a call of the method: `sort_by`, `format(csv)`.
    fn method(&self) -> String {
        match self.values(str::to_owned) {
            Some(values) => format!("{}({values})", self.option.as_str()),
            None => self.option.as_str().to_owned(),
        }
    }
}

impl fmt::Display for Mention<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.option.as_str();
        match self.value {
            Some(value) => write!(f, "{BEGIN}{name} {value}{END}"),
            None => write!(f, "{BEGIN}{name}{END}"),
        }
    }
}

/// An option in a constant: its name, perhaps with a value after it.
macro_rules! mention {
    ($name:literal) => {
        concat!("\u{FDD0}", $name, "\u{FDD1}")
    };
}
pub(crate) use mention;

/// A part of a sentence: text or a mention.
enum Part<'a> {
    Text(&'a str),
    Option(Mention<'a>),
}

fn parts(mut sentence: &str) -> impl Iterator<Item = Part<'_>> {
    std::iter::from_fn(move || {
        let begin = sentence.find(BEGIN).unwrap_or(sentence.len());
        if begin > 0 {
            let (text, rest) = sentence.split_at(begin);
            sentence = rest;
            return Some(Part::Text(text));
        }
        let inside = sentence.strip_prefix(BEGIN)?;
        let mention = inside.split_once(END).and_then(|(inside, rest)| {
            let (name, value) =
                inside.split_once(' ').map_or((inside, None), |(name, value)| (name, Some(value)));
            Some((Mention { option: name.parse().ok()?, value }, rest))
        });
        Some(match mention {
            Some((mention, rest)) => {
                sentence = rest;
                Part::Option(mention)
            }
            // A noncharacter that was in the text before.
            None => {
                let (text, rest) = sentence.split_at(BEGIN.len_utf8());
                sentence = rest;
                Part::Text(text)
            }
        })
    })
}

/// `sentence` with the options that it names as `say` says them.
pub fn in_words(sentence: &str, say: impl Fn(&Mention<'_>) -> String) -> Cow<'_, str> {
    if !sentence.contains(BEGIN) {
        return Cow::Borrowed(sentence);
    }
    let said = parts(sentence).map(|part| match part {
        Part::Text(text) => Cow::Borrowed(text),
        Part::Option(mention) => Cow::Owned(say(&mention)),
    });
    Cow::Owned(said.collect())
}

/// [`in_words`] of Rust: methods.
pub(crate) fn as_methods(sentence: &str) -> Cow<'_, str> {
    in_words(sentence, |mention| mention.method())
}

/// The options that `sentence` names, in order, with their values.
pub(crate) fn mentions(sentence: &str) -> impl Iterator<Item = Mention<'_>> {
    parts(sentence).filter_map(|part| match part {
        Part::Option(mention) => Some(mention),
        Part::Text(_) => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_said_in_words_of_the_caller() {
        let flags = |mention: &Mention<'_>| {
            let value = mention.values(str::to_owned).map_or(String::new(), |value| format!(" {value}"));
            format!("--{}{value}", mention.option.as_str())
        };
        let (format, field) = (OptionName::Format.with_any(&["csv", "tsv"]), OptionName::UriField.named());
        for (sentence, methods, said) in [
            ("plain".to_owned(), "plain", "plain"),
            (format!("say {format}"), "say format(csv or tsv)", "say --format csv or tsv"),
            (format!("{field}{format}!"), "uri_fieldformat(csv or tsv)!", "--uri_field--format csv or tsv!"),
            (
                "\u{FDD0}none of ours\u{FDD1}".to_owned(),
                "\u{FDD0}none of ours\u{FDD1}",
                "\u{FDD0}none of ours\u{FDD1}",
            ),
            ("open \u{FDD0}uri_field".to_owned(), "open \u{FDD0}uri_field", "open \u{FDD0}uri_field"),
        ] {
            assert_eq!(as_methods(&sentence), methods);
            assert_eq!(in_words(&sentence, flags), said);
        }
    }

    #[test]
    fn a_constant_names_options_too() {
        assert_eq!(
            concat!("say ", mention!("format csv")),
            format!("say {}", OptionName::Format.with("csv"))
        );
    }

    #[test]
    fn names_are_different_and_come_back() {
        for &option in OptionName::ALL {
            assert_eq!(option.as_str().parse(), Ok(option));
        }
    }

    #[test]
    fn capitals_stand_for_values() {
        for (value, is_one) in
            [("FILE", true), ("DIR/", true), ("FILE.csv", false), ("http://A/", false), ("csv", false)]
        {
            assert_eq!(OptionName::Output.with(value).is_placeholder(), is_one, "{value}");
        }
    }
}
