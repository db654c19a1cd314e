//! The builder of a run that counts the values of one column, or one figure of a report.

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_read::format::Keep;
use urimill_read::{Damage, Source};
use urimill_report::{By, Condition, Counted, Figure, fields, top};

use super::common::{Common, setters};
use super::job::{Job, Running};
use super::options;
use super::output::MakeSink;
use super::report::{Figures, Report};
use super::states::merged;

/// Counts the values of a column, or one figure, of the records that fit conditions.
///
/// ```
/// use urimill::run::{Report, Top};
///
/// let folder = tempfile::tempdir()?;
/// let list = folder.path().join("list.txt");
/// std::fs::write(&list, "http://a.example/\nhttp://b.example/\nhttps://b.example/\n")?;
/// let top = Top::new("host", Report::new().inputs([&list])).only("scheme=http".parse()?);
/// let (counted, _) = top.run()?;
/// assert_eq!((counted.records, counted.items[0].text.as_str()), (2, "a.example"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
pub struct Top {
    report: Report,
    by: By,
    conditions: Vec<Condition>,
    most: usize,
}

impl Top {
    /// A run that counts this figure or column of what the report would read; its outputs are ignored.
    pub fn new(by: &str, report: Report) -> Self {
        Top { report, by: By::from_name(by), conditions: Vec::new(), most: 20 }
    }

    /// Counts only records that fit this condition and all others.
    pub fn only(mut self, condition: Condition) -> Self {
        self.conditions.push(condition);
        self
    }

    /// The number of texts in the answer; 20 by default.
    pub fn most(self, most: usize) -> Self {
        Top { most, ..self }
    }

    setters!(run);
}

impl Job for Top {
    const NAME: options::Job = options::Job::Top;
    type Opened = Figures;
    /// The counts, and the damage of the inputs.
    type Stats = (Counted, Vec<Damage>);

    fn common(&self) -> &Common {
        &self.report.common
    }

    fn check(&self, _: bool) -> Result<()> {
        self.report.validate()
    }

    fn open(&self, sources: Vec<Source>, running: &Running, _: Option<MakeSink<'_>>) -> Result<Figures> {
        // Any column may be counted.
        let keep = Keep::AllWithOptional(fields());
        self.report.figures(sources, &keep, running)
    }

    fn work(self, figures: Figures, running: Running) -> Result<Self::Stats> {
        let (threads, progress) = (&*running.workers, &running.common.progress);
        match (figures, &self.by) {
            (Figures::Records(source, records, _), by) => {
                let how = (by, self.conditions.as_slice(), self.most);
                let counted = top(*source, *records, how, threads, &progress.counters)?;
                Ok((counted, running.damages.list()))
            }
            (Figures::States(sources), By::Figure(figure)) if self.conditions.is_empty() => {
                Ok((merged(&sources, self.report.force, progress)?.counted(*figure, self.most), Vec::new()))
            }
            (Figures::States(sources), By::Column(column))
                if column == "error" && self.conditions.is_empty() =>
            {
                Ok((merged(&sources, self.report.force, progress)?.counted_codes(self.most), Vec::new()))
            }
            (Figures::States(_), _) => Err(Error::usage(format!(
                "states have figures and no records: give {} code or a figure of the report ({}), and no condition",
                OptionName::By.named(),
                Figure::names()
            ))),
        }
    }
}
