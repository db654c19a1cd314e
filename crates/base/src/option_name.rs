//! The options of a run by name. A sentence about an option names it as a typed value, and the code that shows the
//! sentence writes the name in the caller's terms: a method in Rust, a flag on the command line, a keyword argument in
//! Python. Any module may use it, because the sentence of any error may name an option.

use std::borrow::Cow;
use std::fmt;

macro_rules! option_names {
    (@or $default:expr) => { $default };
    (@or $default:expr, $name:literal) => { Cow::Borrowed($name) };
    ($($variant:ident = $name:literal $(flag $flag:literal)? $(keyword $keyword:literal)?;)*) => {
        /// An option of a run, as [`Error::option`](crate::error::Error::option) returns it.
        /// `urimill::run::options` describes what each does.
        ///
        /// ```
        /// use urimill::OptionName;
        ///
        /// assert_eq!(OptionName::SortBy.as_str(), "sort_by");
        /// assert_eq!("sort_by".parse(), Ok(OptionName::SortBy));
        /// assert_eq!(OptionName::Format.flag(), "from");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[expect(missing_docs, reason = "the row of an option says what it does")]
        pub enum OptionName {
            $($variant,)*
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

            /// The name of its flag on the command line, without the hyphens before it.
            pub fn flag(self) -> Cow<'static, str> {
                match self {
                    $(OptionName::$variant => {
                        option_names!(@or Cow::Owned($name.replace('_', "-")) $(, $flag)?)
                    })*
                }
            }

            /// Its keyword argument in Python.
            pub const fn keyword(self) -> &'static str {
                match self {
                    $(OptionName::$variant => option_names!(@name $name $(, $keyword)?),)*
                }
            }
        }
    };
    (@name $default:expr) => { $default };
    (@name $default:expr, $name:literal) => { $name };
}

option_names! {
    Require = "require";
    Inputs = "inputs";
    Format = "format" flag "from";
    FormatFile = "format_file" keyword "formats";
    LogFormat = "log_format";
    SaveFormat = "save_format";
    Delimiter = "delimiter";
    Comment = "comment";
    Encoding = "encoding";
    UriTemplate = "uri_template";
    RequestLine = "request_line";
    UriField = "uri_field";
    BaseField = "base_field";
    Header = "header";
    NoQuotes = "no_quotes";
    Keep = "keep";
    Records = "records";
    By = "by";
    Edges = "edges";
    Shards = "shards";
    BlockLines = "block_lines";
    SkipBodies = "skip_bodies";
    NoPost = "no_post";
    Scan = "scan";
    Index = "index";
    Match = "match";
    Since = "from" keyword "start";
    Until = "to" keyword "end";
    Limit = "limit";
    A = "a";
    B = "b";
    IgnoreFragments = "ignore_fragments";
    AbsoluteOnly = "absolute_only";
    Component = "component";
    KeepTriplets = "keep_triplets";
    FromUri = "from_uri";
    Lenient = "lenient";
    Null = "null";
    Shell = "shell";
    Topic = "topic";
    Subcommand = "subcommand";
    LastLine = "last_line";
    SkipLines = "skip_lines";
    Unwrap = "unwrap";
    Unsorted = "unsorted";
    Root = "root";
    Graph = "graph";
    State = "state";
    Columns = "columns";
    Schema = "schema";
    Named = "name";
    Test = "test";
    Fill = "fill";
    WideOffsets = "wide_offsets";
    Crawl = "crawl";
    Subset = "subset";
    Base = "base";
    Compat = "compat";
    Spec = "spec";
    Level = "level";
    Repair = "repair";
    NoSuffix = "no_suffix";
    DefaultScheme = "default_scheme";
    Psl = "psl";
    PslUnlisted = "psl_unlisted";
    Canonical = "canonical";
    DropParams = "drop_params";
    DropTracking = "drop_tracking";
    PortRules = "port_rules";
    MaxRecord = "max_record";
    MaskPasswords = "mask_passwords";
    DropUserinfo = "drop_userinfo";
    ShowPasswords = "show_passwords";
    OnInvalid = "on_invalid";
    OnDisagreement = "on_disagreement";
    Rejects = "rejects";
    OnDamage = "on_damage";
    SortBy = "sort_by";
    TempDir = "temp_dir";
    PartitionBy = "partition_by";
    FileSize = "file_size";
    MaxPartitions = "max_partitions";
    Memory = "memory";
    Threads = "threads";
    ChunkBytes = "chunk";
    Verify = "verify";
    Output = "write_to" flag "output" keyword "output";
    OutputFormat = "output_format" flag "to" keyword "to";
    Compression = "compression";
    RowGroupRows = "row_group_rows";
    DeltaTexts = "delta_texts";
    CsvSafe = "csv_safe";
    Force = "force";
    Refang = "refang";
    TimeStages = "time_stages";
    Title = "title";
    Page = "page" flag "output";
    Json = "json";
    Like = "like";
    Where = "where";
    Number = "number";
    Watch = "watch";
    Progress = "progress";
    Summary = "summary";
    Color = "color";
    Quiet = "quiet";
}

/// Noncharacters, which Unicode reserves for internal use, delimit a name in a sentence.
const BEGIN: char = '\u{FDD0}';
const END: char = '\u{FDD1}';
/// The separator of alternative values.
const OR: char = '\u{FDD2}';

impl OptionName {
    /// Mentions the option.
    pub const fn named(self) -> Mention<'static> {
        Mention { option: self, value: None }
    }

    /// Mentions the option with a value such as `csv`, or with a placeholder in capitals, such as `FILE`.
    pub const fn with(self, value: &str) -> Mention<'_> {
        Mention { option: self, value: Some(value) }
    }

    /// Mentions the option with one of several values.
    pub fn with_any(self, values: &[&str]) -> String {
        self.with(&values.join(&OR.to_string())).to_string()
    }

    /// Mentions a switch that is on.
    pub const fn on(self) -> Mention<'static> {
        self.with("true")
    }
}

impl std::str::FromStr for OptionName {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        OptionName::ALL.iter().copied().find(|option| option.as_str() == name).ok_or(())
    }
}

/// A mention of an option in a sentence; [`in_words`] writes it in the caller's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention<'a> {
    /// The option.
    pub option: OptionName,
    value: Option<&'a str>,
}

impl<'a> Mention<'a> {
    /// Its value, if the sentence has one; the first of several.
    pub fn value(&self) -> Option<&'a str> {
        self.value.and_then(|value| value.split(OR).next())
    }

    /// Its values in one text, `a, b or c`, each written by `write`; `None` if the sentence has none.
    pub fn values(&self, write: impl Fn(&str) -> String) -> Option<String> {
        let values: Vec<String> = self.value?.split(OR).map(write).collect();
        let (last, others) = values.split_last()?;
        Some(if others.is_empty() { last.clone() } else { format!("{} or {last}", others.join(", ")) })
    }

    /// Whether the value is a placeholder such as FILE.
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
#[macro_export]
macro_rules! mention {
    ($name:literal) => {
        concat!("\u{FDD0}", $name, "\u{FDD1}")
    };
}
pub use mention;

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
            // A noncharacter that was in the text already.
            None => {
                let (text, rest) = sentence.split_at(BEGIN.len_utf8());
                sentence = rest;
                Part::Text(text)
            }
        })
    })
}

/// `sentence` with its options written by `say`.
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

/// [`in_words`] for Rust: methods.
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
