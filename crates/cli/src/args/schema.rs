//! The arguments that choose a table's schema.

use clap::{Args, ValueEnum};

use urimill::run::{Conversion, TableSchema};

/// The table's schema.
#[derive(Debug, Args)]
pub(crate) struct Schemas {
    /// The columns of the table: urimill's, or those of Common Crawl's columnar index
    #[arg(long, value_enum, value_name = "SCHEMA", default_value_t = Schema::Table)]
    schema: Schema,

    /// With --schema cc-index: if a record has no value for a required column, write an empty string, 0 or
    /// 1970-01-01
    #[arg(long)]
    fill: bool,

    /// With --schema cc-index: 64 bits for warc_record_offset and warc_record_length
    #[arg(long)]
    wide_offsets: bool,

    /// With --schema cc-index: add the column crawl, with NAME in every row; --columns +crawl and
    /// --partition-by crawl take it from warc_filename
    #[arg(long, value_name = "NAME")]
    crawl: Option<String>,

    /// With --schema cc-index: add the column subset, as --crawl does
    #[arg(long, value_name = "NAME")]
    subset: Option<String>,
}

/// What `--schema` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Schema {
    /// urimill's own table
    Table,
    /// The table of Common Crawl's columnar index, for existing queries
    CcIndex,
}

impl Schemas {
    /// The run with these options.
    pub(crate) fn fill(&self, mut run: Conversion) -> Conversion {
        if let Some(crawl) = &self.crawl {
            run = run.crawl(crawl);
        }
        if let Some(subset) = &self.subset {
            run = run.subset(subset);
        }
        let schema = match self.schema {
            Schema::Table => TableSchema::Urimill,
            Schema::CcIndex => TableSchema::CcIndex,
        };
        run.schema(schema).fill(self.fill).wide_offsets(self.wide_offsets)
    }
}
