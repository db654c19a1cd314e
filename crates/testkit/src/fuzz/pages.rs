//! Invariants of pages: the same rows wherever chunks are cut, and accounts that add up, which the pipeline checks.

use std::sync::{Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use urimill::batch::{Column, Columns, Options, Reading};
use urimill::pipeline::{FormatCheck, Look, Looked, Plan, Progress, each_batch};
use urimill::read::format::Keep;
use urimill::read::{ChunkOptions, Format, PageCounts, PageKind, Pages};
use urimill::threads::Workers;
use urimill::{ErrorKind, Level, Result};

use super::records::{LONGEST, chunker};
use super::turns;

/// A page of each kind, which the mutations start from.
pub const PAGES: &[(&str, PageKind)] = &[
    (
        "<base href=/b/><a href='c&amp;d' rel=x>e<img srcset='f 1x, g' alt=h></a><style>@import 'i';j{k:url(l)}</style>\
         <svg><title/><a xlink:href=m></svg><meta http-equiv=refresh content='0;url=n'><!-- --><script>o</script>",
        PageKind::Html,
    ),
    ("/* a */ @import url(b); c{d:url('e\\66 g'), url( h ), image-set('i' type('j'), \"k\")}", PageKind::Css),
    (
        "<iframe srcdoc='<base href=a/><a href=b><iframe srcdoc=&quot;<img src=c>&quot;>'></iframe><a href=d>",
        PageKind::Html,
    ),
    (
        "<rss><item><link>a</link><description>&lt;a href=b>&lt;base href=c></description><x xml:base='d'>\
         <content:encoded><![CDATA[<img src=e>]]></content:encoded></x></item></rss>",
        PageKind::Xml,
    ),
    (
        "---\na: b\n---\n# c [d](e 'f')\n\n![g *h*](<i j>) <http://k/> <l@m> <a href=n>`o`</a>\n\n[p]: q\n\n| [p] |\n|---|\n| r[^s] |\n",
        PageKind::Markdown,
    ),
    (
        "<?xml-stylesheet href='a'?><feed xml:base='/b/'><link href='c'/><icon>d&amp;</icon><e xml:base='f'/></feed>",
        PageKind::Xml,
    ),
    (
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http\r\n\
         Content-Length: 90\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n\
         a\r\n<a href=b>\r\n0\r\n\r\n\r\n\r\n",
        PageKind::Warc,
    ),
    (
        "WARC/1.0\r\nWARC-Type: metadata\r\nContent-Length: 182\r\n\r\n{\"Envelope\":{\"WARC-Header-Metadata\":{\"WARC-Target-URI\":\
         \"http://h/\"},\"Payload-Metadata\":{\"HTTP-Response-Metadata\":{\"HTML-Metadata\":{\"Links\":[{\"path\":\"A@/href\",\
         \"url\":\"b\"}]}}}}}\r\n\r\n",
        PageKind::Wat,
    ),
    (
        "MIME-Version: 1.0\nMessage-ID: <a@h>\nContent-Location: http://h/\nContent-Type: multipart/related; boundary=x\n\n\
         --x\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<a href=3Db>=C3=\n=A9\n\
         --x\nContent-Type: text/html\nContent-Transfer-Encoding: base64\nContent-Location: c/\n\nPGEgaHJlZj1kPg==\n--x--\n",
        PageKind::Mail,
    ),
    (
        "From a\nContent-Type: text/html\n\n<a href=b>\n\nFrom c\r\nContent-Type: text/html\r\n\r\n<a href=d>\r\n\r\n\
         From e\nContent-Type: message/rfc822\n\nContent-Type: text/html\n\n<a href=f>\n",
        PageKind::Mbox,
    ),
];

/// The kind of the page, by the length of the input; some kinds are detected by the beginning.
pub(super) fn pages(data: &[u8]) {
    let kind = PageKind::ALL[data.len() % PageKind::ALL.len()];
    let whole = table(data, kind, data.len() + LONGEST);
    for chunk_bytes in turns(data, [1, 7, data.len() % 61 + 9]) {
        let cut = table(data, kind, chunk_bytes);
        assert_eq!(cut, whole, "{} in chunks of {chunk_bytes}: {}", kind.name(), data.escape_ascii());
    }
}

/// The rows and the counts of an input, or the error message.
fn table(data: &[u8], kind: PageKind, chunk_bytes: usize) -> Result<(RecordBatch, PageCounts), String> {
    let columns = [Column::Record, Column::Uri, Column::Base, Column::RawBytes, Column::Error];
    let options = Options {
        reading: Reading::default().at_level(Level::None),
        max_record: LONGEST,
        columns: Columns::new(columns),
        ..Options::default()
    };
    let pages = Pages::new(kind, &Keep::All, Some("http://example.com/a/b"), &options).expect("all fields");
    let sizes = ChunkOptions { chunk_bytes, max_record: LONGEST, ..ChunkOptions::default() };
    let chunker = chunker(data, sizes).with_format(Format::from(pages));
    let source = chunker.begin().map_err(|error| error.to_string())?;
    let options = Options { extra: source.format().extra_columns(), ..options };
    let schema = options.schema();
    let plan = Plan::new(&source, options, false).map_err(|error| error.to_string())?;
    let plan = plan.check_format(FormatCheck::Not);
    let rows = Rows(Mutex::default());
    let totals =
        each_batch(source, &plan, &Workers::default(), &rows, &Progress::default()).map_err(|error| {
            assert_ne!(error.kind(), ErrorKind::Internal, "{error}: {}", data.escape_ascii());
            error.to_string()
        })?;
    let batches = rows.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok((concat_batches(&schema, &batches).expect("one schema"), totals.pages))
}

/// Keeps every batch.
struct Rows(Mutex<Vec<RecordBatch>>);

impl Look for Rows {
    type Seen = RecordBatch;

    fn batch(&self, looked: &Looked<'_>) -> Result<RecordBatch> {
        Ok(looked.batch.clone())
    }

    fn then(&self, batch: RecordBatch) -> Result<()> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(batch);
        Ok(())
    }
}
