//! One figure, or the values of one column, of the records that meet conditions: what `urimill top` shows.

use std::cmp::Reverse;
use std::sync::Mutex;

use arrow_array::cast::AsArray;
use arrow_array::{BooleanArray, RecordBatch, StringViewArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use arrow_select::filter::filter_record_batch;
use urimill_base::error::{Error, ErrorKind, Result, did_you_mean};
use urimill_base::locks::{into_inner, lock};
use urimill_base::threads::Workers;
use urimill_columns::batch;
use urimill_columns::batch::{Column, Columns, MAX_ROWS};
use urimill_columns::templates::Widths;
use urimill_pipeline::{FormatCheck, Look, Looked, Plan, Progress, each_batch};
use urimill_read::RecordSource;
use urimill_uri::audit::FLAG_NAMES;
use urimill_uri::passwords::masked_userinfo;

use super::agents::Agents;
use super::counter::{Counter, Distinct, Item};
use super::figure::{Figure, Unit};
use super::partial::{Partial, Texts};
use super::{State, add, rows, shown, templates};

/// The most texts that are held exactly, and a third more of them.
const SIZE: usize = 1 << 16;

/// The thing to count.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum By {
    /// A figure of the report.
    Figure(Figure),
    /// The values of one of urimill's columns or of a record's field.
    Column(String),
}

impl By {
    /// A figure by its name, or by that of the option or column with the same meaning; otherwise a column.
    pub fn from_name(name: &str) -> By {
        let figure = match name {
            "param" | "params" => "parameter",
            "flags" => "flag",
            "type" => "file_type",
            "client" => "visitor",
            "user_agent" => "agent",
            "browser" | "family" => "agent_family",
            "os" => "operating_system",
            "robots" | "bot" | "bots" => "robot",
            "referer" => "referrer",
            name => name,
        };
        match Figure::ALL.iter().find(|known| known.as_str() == figure) {
            Some(figure) => By::Figure(*figure),
            None => By::Column(if name == "code" { "error" } else { name }.to_owned()),
        }
    }

    /// The column whose values are counted, unless a figure is.
    fn column(&self) -> Option<&str> {
        match self {
            By::Column(name) => Some(name),
            By::Figure(figure) => {
                let found = rows::OF_COLUMNS.iter().find(|(known, _)| known == figure);
                found.map(|(_, column)| column.as_str())
            }
        }
    }
}

/// A condition on records: a column has a value, or does not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Condition {
    /// The column; `flag` means each flag that is set.
    pub column: String,
    /// Its value as text; empty means null.
    pub value: String,
    /// Whether records with another value meet it.
    pub is_not: bool,
}

impl std::str::FromStr for Condition {
    type Err = Error;

    /// `column=value`, or `column!=value`.
    fn from_str(text: &str) -> Result<Condition> {
        let wrong = || Error::usage(format!("{text:?} is no condition: write column=value or column!=value"));
        let (column, value) = text.split_once('=').ok_or_else(wrong)?;
        let (column, is_not) = match column.strip_suffix('!') {
            Some(column) => (column, true),
            None => (column, false),
        };
        let column = match column.trim() {
            "" => return Err(wrong()),
            "code" => "error",
            "flags" => "flag",
            column => column,
        };
        if column == "flag" && !FLAG_NAMES.iter().any(|(_, name)| *name == value) {
            let names: Vec<_> = FLAG_NAMES.iter().map(|(_, name)| *name).collect();
            return Err(Error::usage(format!(
                "there is no flag {value:?}: choose from {}",
                names.join(", ")
            )));
        }
        Ok(Condition { column: column.to_owned(), value: value.to_owned(), is_not })
    }
}

/// The result of a count.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Counted {
    /// The texts with the greatest sums.
    pub items: Vec<Item>,
    /// The sum of all texts.
    pub total: u64,
    /// The unit of the sums.
    pub unit: Unit,
    /// The most by which a sum can be off.
    pub error: u64,
    /// The number of distinct texts.
    pub distinct: Distinct,
    /// Records that meet the conditions.
    pub records: u64,
    /// Records among them whose field is null. `None` for codes, and for values of which a record may have several.
    pub nulls: Option<u64>,
}

impl Counted {
    fn of(by: Option<Figure>, counter: &Counter, records: u64, most: usize) -> Counted {
        let (items, distinct) = match by {
            Some(figure) => (templates::top(figure, counter, most), templates::distinct(figure, counter)),
            None => (counter.top(most), counter.distinct()),
        };
        Counted {
            items,
            total: counter.total(),
            unit: by.map_or(Unit::Records, Figure::unit),
            error: counter.error(),
            distinct,
            records,
            nulls: by.is_none_or(Figure::is_one_of_each).then(|| records.saturating_sub(counter.total())),
        }
    }
}

impl State {
    /// A figure of a state, in the form of [`top`].
    pub fn counted(&self, figure: Figure, most: usize) -> Counted {
        Counted::of(Some(figure), &self.figures[figure as usize], self.accounts.records, most)
    }

    /// The codes of rejects, in the form of [`top`].
    pub fn counted_codes(&self, most: usize) -> Counted {
        let item =
            |(code, records): (&str, u64)| Item { text: code.to_owned(), lower: records, upper: records };
        let mut items: Vec<Item> = self.codes().filter(|(_, records)| *records > 0).map(item).collect();
        let distinct = items.len() as u64;
        // Codes are in the order of their bytes already.
        items.sort_by_key(|item| Reverse(item.lower));
        items.truncate(most);
        Counted {
            items,
            total: self.accounts.rejects,
            unit: Unit::Records,
            error: 0,
            distinct: Distinct { estimate: distinct, lower: distinct, upper: distinct },
            records: self.accounts.records,
            nulls: None,
        }
    }
}

/// Reads every record of `record_source`, and counts those that meet all conditions.
///
/// # Errors
/// The first that occurs; usage where there is no column of a name.
pub fn top(
    record_source: RecordSource,
    records: batch::Options,
    (by, conditions, most): (&By, &[Condition], usize),
    threads: &Workers,
    progress: &Progress,
) -> Result<Counted> {
    let column = by.column();
    let asked = conditions.iter().map(|condition| condition.column.as_str());
    let asked: Vec<&str> = asked.chain(column).collect();
    let own = Column::ALL.into_iter().filter(|column| asked.contains(&column.as_str()));
    let base = if column.is_none() { rows::columns() } else { Columns::new([Column::Flags]) };
    let columns = base.union(&Columns::new(own));
    let extra = record_source.extra_columns();
    let records = batch::Options { columns, extra, batch_rows: MAX_ROWS, ..records };
    let plan = Plan::new(&record_source, records, false)?.check_format(FormatCheck::ByRecords);
    let size = if let By::Figure(figure) = by { figure.size() } else { SIZE };
    let sums = Mutex::new((Counter::new(size)?, 0, Widths::default()));
    let counting = Counting { by, conditions, agents: Agents::default(), sums };
    each_batch(record_source, &plan, threads, &counting, progress)?;
    let (counter, records, _) = into_inner(counting.sums);
    let figure = if let By::Figure(figure) = by { Some(*figure) } else { None };
    let counted = Counted::of(figure, &counter, records, most);
    // Records without a code are valid.
    let is_code = matches!(by, By::Column(name) if name == Column::Error.as_str());
    Ok(Counted { nulls: counted.nulls.filter(|_| !is_code), ..counted })
}

struct Counting<'a> {
    by: &'a By,
    conditions: &'a [Condition],
    agents: Agents,
    /// The sums, the records that meet the conditions, and learned templates.
    sums: Mutex<(Counter, u64, Widths)>,
}

impl Look for Counting<'_> {
    type Seen = (Texts, u64);

    fn batch(&self, looked: &Looked<'_>) -> Result<(Texts, u64)> {
        let mut batch = looked.batch.clone();
        for condition in self.conditions {
            let fits = condition.fits(&batch)?;
            batch = filter_record_batch(&batch, &fits).map_err(|error| internal(&error))?;
        }
        let mut texts = Texts::default();
        if let Some(name) = self.by.column() {
            values(&batch, name, true)?.iter().flatten().for_each(|text| texts.add(text, 1));
        } else if let By::Figure(figure) = self.by {
            let mut partial = Partial::new();
            rows::count(&batch, "", &mut partial);
            if Agents::counts(*figure) {
                self.agents.count(&mut partial);
            }
            texts = partial.into_texts(*figure);
        }
        Ok((texts, batch.num_rows() as u64))
    }

    fn then(&self, (texts, records): (Texts, u64)) -> Result<()> {
        let mut sums = lock(&self.sums);
        let (counter, all, widths) = &mut *sums;
        *all += records;
        match self.by {
            By::Figure(figure) => add(*figure, counter, texts.iter(), widths),
            By::Column(name) => texts.iter().filter(|(_, sum)| *sum > 0).for_each(|(text, sum)| {
                match name == Column::Userinfo.as_str() {
                    true => counter.add(&masked_userinfo(text), sum),
                    false => counter.add(&shown(text, name == Column::Path.as_str()), sum),
                }
            }),
        }
        Ok(())
    }
}

fn internal(error: &arrow_schema::ArrowError) -> Error {
    Error::new(ErrorKind::Internal, format!("cannot choose records: {error}"))
}

/// The values of a column as texts. If `is_counted`, the name of a figure would be right as well, which the error says.
fn values(batch: &RecordBatch, name: &str, is_counted: bool) -> Result<StringViewArray> {
    let Some(column) = batch.column_by_name(name) else {
        let schema = batch.schema();
        let names = schema.fields().iter().map(|field| field.name().as_str());
        let fields: Vec<&str> =
            names.filter(|name| Column::ALL.iter().all(|own| own.as_str() != *name)).collect();
        let meant = did_you_mean(name, schema.fields().iter().map(|field| field.name().as_str()));
        let figures = if is_counted { format!("a figure ({}) or ", Figure::names()) } else { String::new() };
        let fields = match fields.as_slice() {
            [] => String::new(),
            fields => format!(", or a field of these inputs ({})", fields.join(", ")),
        };
        return Err(Error::usage(format!(
            "there is no column {name:?} in these inputs{meant}: choose {figures}a column of urimill schema{fields}"
        )));
    };
    // As an offset: Arrow writes moments of the zone UTC only if it has a table of zones.
    let utc = match column.data_type() {
        DataType::Timestamp(unit, Some(_)) => DataType::Timestamp(*unit, Some("+00:00".into())),
        other => other.clone(),
    };
    let texts = cast(column, &utc)
        .and_then(|column| cast(&column, &DataType::Utf8))
        .and_then(|texts| cast(&texts, &DataType::Utf8View))
        .map_err(|_| Error::usage(format!("the column {name:?} has no values that are texts or numbers")))?;
    Ok(texts.as_string_view().clone())
}

impl Condition {
    fn fits(&self, batch: &RecordBatch) -> Result<BooleanArray> {
        if self.column == "flag" {
            let bit = FLAG_NAMES.iter().find(|(_, name)| *name == self.value).map_or(0, |(bit, _)| *bit);
            let flags = batch.column_by_name(Column::Flags.as_str());
            let flags = flags.map(|flags| flags.as_primitive::<arrow_array::types::Int32Type>());
            let has = flags.into_iter().flat_map(|flags| flags.values().iter());
            return Ok(has.map(|flags| Some((flags & bit != 0) != self.is_not)).collect());
        }
        let values = values(batch, &self.column, false)?;
        let has = |value: Option<&str>| value.unwrap_or_default() == self.value;
        Ok(values.iter().map(|value| Some(has(value) != self.is_not)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_and_figures_by_name() {
        for (text, expected) in [
            ("status=404", Some(("status", "404", false))),
            ("code!=", Some(("error", "", true))),
            ("a=b=c", Some(("a", "b=c", false))),
            ("flags=has_userinfo", Some(("flag", "has_userinfo", false))),
            ("flag=none", None),
            ("status", None),
            ("=1", None),
        ] {
            let condition = text.parse::<Condition>().ok();
            let parts = condition.as_ref().map(|one| (one.column.as_str(), one.value.as_str(), one.is_not));
            assert_eq!(parts, expected, "{text}");
        }
        assert_eq!(By::from_name("param"), By::Figure(Figure::Parameter));
        assert_eq!(By::from_name("os"), By::Figure(Figure::OperatingSystem));
        assert_eq!(By::from_name("host"), By::Figure(Figure::Host));
        assert_eq!(By::from_name("code"), By::Column("error".to_owned()));
    }
}
