//! Keywords to the builder of a run: each is a method of `urimill::run::Conversion`, with a value of its type.

use std::ffi::OsString;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyString};
use urimill::Error;
use urimill::read::PageKind;
use urimill::run::{
    Compression, Conversion, Encoding, Header, InputFormat, InputOptions, Keep, LastLine, Links, OnDamage,
    OnInvalid, Output, OutputFormat, RecordTypes, TableSchema,
};

use crate::errors::Result;
use crate::options::{Keywords, OF_RECORDS};

/// What `read` and `convert` take beside the options of records.
const OF_RUNS: &[&str] = &[
    "format",
    "log_format",
    "delimiter",
    "comment",
    "encoding",
    "uri_field",
    "uri_template",
    "request_line",
    "base_field",
    "header",
    "no_quotes",
    "keep",
    "records",
    "skip_bodies",
    "last_line",
    "base",
    "columns",
    "schema",
    "fill",
    "wide_offsets",
    "crawl",
    "subset",
    "on_invalid",
    "rejects",
    "on_damage",
    "mask_passwords",
    "drop_userinfo",
    "show_passwords",
    "sort_by",
    "temp_dir",
    "memory",
    "threads",
    "chunk",
];
/// The options among them that `links` refuses: they say how records are read, and pages are not records.
const OF_INPUTS: &[&str] = &[
    "log_format",
    "delimiter",
    "comment",
    "uri_field",
    "uri_template",
    "request_line",
    "base_field",
    "header",
    "no_quotes",
    "records",
    "skip_bodies",
    "last_line",
];
/// What else `convert` takes: it has an output.
const OF_OUTPUTS: &[&str] = &[
    "to",
    "compression",
    "row_group_rows",
    "delta_texts",
    "csv_safe",
    "force",
    "partition_by",
    "file_size",
    "max_partitions",
    "verify",
];

/// The run that the keywords of a function describe, without its output. `of_pages`: a row is a reference in a page.
pub(crate) fn conversion(
    keywords: &Keywords<'_>,
    inputs: Vec<OsString>,
    (function, of_pages): (&str, bool),
) -> Result<Conversion> {
    keywords.check(function, &[OF_RECORDS, OF_RUNS, OF_OUTPUTS])?;
    let base = keywords.text("base")?;
    let options = keywords
        .normalize_options(base.as_deref().filter(|_| !of_pages))?
        .show_passwords(keywords.is("show_passwords")?);
    let run = Conversion::new().inputs(inputs).normalize(options).verify(keywords.is("verify")?);
    let run = match of_pages {
        true => run.links(links(keywords, base)?),
        false => run.read_as(input(keywords)?),
    };
    written(keywords, selected(keywords, run)?)
}

/// How pages are read.
pub(crate) fn links(keywords: &Keywords<'_>, base: Option<String>) -> Result<Links> {
    // A word that is no option of pages is an error, and no option that is passed over.
    let of_records = OF_INPUTS.iter().find(|name| keywords.any(name).is_ok_and(|value| value.is_some()));
    if let Some(name) = of_records {
        let sentence = format!("links takes no {name}: that says how records are read, and these are pages");
        return Err(Error::usage(sentence).into());
    }
    let mut links = Links::new();
    if let Some(format) = named(keywords, "format", &PageKind::ALL, PageKind::name)? {
        links = links.format(format);
    }
    if let Some(base) = base {
        links = links.base(base);
    }
    if let Some(encoding) = keywords.parsed::<Encoding>("encoding")? {
        links = links.encoding(encoding);
    }
    Ok(links)
}

/// How records are read.
pub(crate) fn input(keywords: &Keywords<'_>) -> Result<InputOptions> {
    let mut options = InputOptions::new().skip_bodies(keywords.is("skip_bodies")?);
    if let Some(format) = keywords.parsed::<InputFormat>("format")? {
        options = options.format(format);
    }
    if let Some(format) = keywords.text("log_format")? {
        options = options.log_format(format);
    }
    if let Some(delimiter) = keywords.text("delimiter")? {
        options = options.delimiter(delimiter);
    }
    if let Some(comment) = keywords.text("comment")? {
        options = options.comment(comment);
    }
    if let Some(encoding) = keywords.parsed::<Encoding>("encoding")? {
        options = options.encoding(encoding);
    }
    if let Some(field) = field(keywords, "uri_field")? {
        options = options.uri_field(field);
    }
    if let Some(template) = keywords.text("uri_template")? {
        options = options.uri_template(template);
    }
    if let Some(field) = field(keywords, "request_line")? {
        options = options.request_line(field);
    }
    if let Some(field) = field(keywords, "base_field")? {
        options = options.base_field(field);
    }
    let header = match keywords.any("header")?.filter(|value| value.is_instance_of::<PyBool>()) {
        Some(value) => Some(if value.extract()? { Header::Yes } else { Header::No }),
        None => {
            let choices = [("auto", Header::Auto), ("yes", Header::Yes), ("no", Header::No)];
            keywords.choice("header", &choices)?
        }
    };
    if let Some(header) = header {
        options = options.header(header);
    }
    if let Some(names) = keywords.list("keep")? {
        options = options.keep(names.join(",").parse::<Keep>()?);
    }
    if let Some(names) = keywords.list("records")? {
        options = options.records(names.join(",").parse::<RecordTypes>()?);
    }
    let choices = [("mark", LastLine::Mark), ("keep", LastLine::Keep), ("drop", LastLine::Drop)];
    if let Some(last_line) = keywords.choice("last_line", &choices)? {
        options = options.last_line(last_line);
    }
    Ok(options.no_quotes(keywords.is("no_quotes")?))
}

/// A field by its name, or its number.
fn field(keywords: &Keywords<'_>, name: &str) -> Result<Option<String>> {
    match keywords.any(name)? {
        Some(value) if value.is_instance_of::<PyString>() => keywords.text(name),
        // Fields with several URIs of a record.
        Some(value) if value.is_instance_of::<PyList>() => {
            Ok(keywords.list(name)?.map(|names| names.join(",")))
        }
        Some(_) => Ok(keywords.number(name, (0, i64::MAX as usize))?.map(|number| number.to_string())),
        None => Ok(None),
    }
}

/// Which columns the table has, and which rows.
fn selected(keywords: &Keywords<'_>, mut run: Conversion) -> Result<Conversion> {
    if let Some(names) = keywords.list("columns")? {
        run = run.columns(names);
    }
    if let Some(schema) = keywords.parsed::<TableSchema>("schema")? {
        run = run.schema(schema);
    }
    if let Some(crawl) = keywords.text("crawl")? {
        run = run.crawl(crawl);
    }
    if let Some(subset) = keywords.text("subset")? {
        run = run.subset(subset);
    }
    let choices = [
        ("keep", OnInvalid::Keep),
        ("reject", OnInvalid::Reject),
        ("drop", OnInvalid::Drop),
        ("fail", OnInvalid::Fail),
    ];
    if let Some(on_invalid) = keywords.choice("on_invalid", &choices)? {
        run = run.on_invalid(on_invalid);
    }
    if let Some(on_damage) = on_damage(keywords)? {
        run = run.on_damage(on_damage);
    }
    if let Some(path) = keywords.path("rejects")? {
        run = run.rejects(path);
    }
    Ok(run.fill(keywords.is("fill")?).wide_offsets(keywords.is("wide_offsets")?))
}

/// What becomes of inputs that are truncated or damaged.
pub(crate) fn on_damage(keywords: &Keywords<'_>) -> Result<Option<OnDamage>> {
    keywords
        .choice("on_damage", &[("fail", OnDamage::Fail), ("keep", OnDamage::Keep), ("skip", OnDamage::Skip)])
}

/// In which order rows are written, to how many files, and with which means.
fn written(keywords: &Keywords<'_>, mut run: Conversion) -> Result<Conversion> {
    run = run.sort_by(keywords.names("sort_by")?.unwrap_or_default());
    run = run.partition_by(keywords.names("partition_by")?.unwrap_or_default());
    if let Some(path) = keywords.path("temp_dir")? {
        run = run.temp_dir(path);
    }
    if let Some(bytes) = keywords.bytes("file_size")? {
        run = run.file_size(bytes);
    }
    if let Some(bytes) = keywords.bytes("memory")? {
        run = run.memory(bytes);
    }
    if let Some(bytes) = keywords.bytes("chunk")? {
        run = run.chunk(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    if let Some(most) = keywords.number("max_partitions", (1, u32::MAX as usize))? {
        run = run.max_partitions(most);
    }
    Ok(match keywords.number("threads", (1, 1024))? {
        Some(threads) => run.threads(threads),
        None => run,
    })
}

/// Where the table goes.
pub(crate) fn output(keywords: &Keywords<'_>, target: OsString) -> Result<Output> {
    let mut output = Output::to(target)
        .delta_texts(keywords.is("delta_texts")?)
        .csv_safe(keywords.is("csv_safe")?)
        .force(keywords.is("force")?);
    if let Some(format) = named(keywords, "to", &OutputFormat::ALL, OutputFormat::name)? {
        output = output.format(format);
    }
    if let Some(codec) = named(keywords, "compression", &Compression::ALL, Compression::name)? {
        output = output.compression(codec);
    }
    Ok(match keywords.number("row_group_rows", (1, u32::MAX as usize))? {
        Some(rows) => output.row_group_rows(rows),
        None => output,
    })
}

/// One of several by its name.
pub(crate) fn named<T: Copy>(
    keywords: &Keywords<'_>,
    name: &str,
    all: &[T],
    name_of: fn(T) -> &'static str,
) -> Result<Option<T>> {
    let choices: Vec<_> = all.iter().map(|&one| (name_of(one), one)).collect();
    keywords.choice(name, &choices)
}
