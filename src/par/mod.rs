//! URIs in memory to columns, on all cores: one large text, an Arrow array, a slice of strings.
//!
//! The input is cut into pieces, each of at most some thousand records, which rayon's threads take one after the other.
//! What comes out is a parallel iterator of record batches in the order of the input. It runs in the caller's pool, or
//! else in rayon's global one. Nothing waits in it, so it can be called in a task of rayon's; there is no file and no
//! thread of its own.
//!
//! ```
//! use rayon::prelude::*;
//! use urimill::batch::{Columns, Options};
//! use urimill::par;
//!
//! let text = "http://example.com/\nHTTP://example.com:80/%7Ea\n\n/a b\n";
//! let table = par::lines(text, &Options::default()).collect_table()?;
//! assert_eq!((table.num_rows(), table.tally.rejects(), table.tally.blank), (3, 1, 1));
//!
//! // With the columns that are needed, and without keeping them:
//! let options = Options { columns: Columns::parse("host")?, ..Options::default() };
//! let rows: urimill::Result<Vec<usize>> = par::lines(text, &options).map(|batch| Ok(batch?.num_rows())).collect();
//! assert_eq!(rows?.iter().sum::<usize>(), 3);
//! # Ok::<(), urimill::Error>(())
//! ```
//!
//! The calls of [`Normalizer`](crate::batch::Normalizer) give the same rows, one batch after the other in one thread.

mod drive;
mod rows;
mod table;
#[cfg(test)]
mod tests;
mod text;

use arrow_array::{Array, ArrayRef};
use urimill_base::error::{Error, Result};
use urimill_columns::batch::{Options, holds_texts};

pub use rows::{Rows, rows};
pub use table::{Batches, Round, Rounds, Table, Tallied};
pub use text::Text;

use text::{Lines, Strings};

/// Turns the lines of a text into rows. A line that is no URI reference is a row with the code and the offset of its
/// fault; blank lines have no row, but a number in the column `record`. A UTF-8 byte-order mark at the beginning is
/// skipped.
///
/// A text in [`Bytes`](bytes::Bytes) or [`Buffer`](arrow_buffer::Buffer) is not copied, except for its last lines:
/// texts in normal form are views of it, and the batches keep it alive. Of a slice every piece is copied once. It may
/// be of any length.
///
/// ```
/// use bytes::Bytes;
/// use urimill::batch::Options;
/// use urimill::par;
///
/// let text = Bytes::from(b"http://a.example/\nhttp://b.example/\n".repeat(10_000));
/// let table = par::lines(text, &Options::default()).collect_table()?;
/// assert_eq!((table.num_rows(), table.tally.changed), (20_000, 0));
/// # Ok::<(), urimill::Error>(())
/// ```
pub fn lines<'a>(text: impl Into<Text<'a>>, options: &Options) -> Batches<'a> {
    Lines::new(text.into(), options).batches()
}

/// Turns each text into a row, whatever line ends are in it. `record` counts them from 1. A piece of texts at a time is
/// copied. With the column `offset` every batch is an error, as for [`array()`].
///
/// ```
/// use urimill::batch::Options;
/// use urimill::par;
///
/// let table = par::strings(&["http://example.com/", "HTTP://example.com/"], &Options::default()).collect_table()?;
/// assert_eq!((table.num_rows(), table.tally.changed), (2, 1));
/// # Ok::<(), urimill::Error>(())
/// ```
pub fn strings<'a, T: AsRef<[u8]> + Sync>(texts: &'a [T], options: &Options) -> Batches<'a> {
    Strings::new(texts, options).batches()
}

/// Turns each value of an array into a row: see [`Normalizer::array`](crate::batch::Normalizer::array) for the types.
/// A null is a row of nulls. `record` counts the values from 1.
///
/// # Errors
/// Usage, if the array is of another type. Values have no byte offset: with the column `offset` every batch is that
/// error.
///
/// ```
/// use arrow_array::StringArray;
/// use urimill::batch::Options;
/// use urimill::{arrow_array, par};
///
/// let urls = StringArray::from(vec![Some("http://example.com/"), None]);
/// let table = par::array(&urls, &Options::default())?.collect_table()?;
/// assert_eq!((table.num_rows(), table.tally.nulls), (2, 1));
/// # Ok::<(), urimill::Error>(())
/// ```
pub fn array(array: &dyn Array, options: &Options) -> Result<Batches<'static>> {
    arrays(&[array.slice(0, array.len())], options)
}

/// [`array()`] for an array in chunks, whose rows are counted on from chunk to chunk.
///
/// # Errors
/// The same, for any of the chunks.
pub fn arrays(chunks: &[ArrayRef], options: &Options) -> Result<Batches<'static>> {
    let columns = chunks.iter().map(|chunk| checked(chunk).map(|()| vec![chunk.clone()]));
    Ok(rows::references(columns.collect::<Result<_>>()?, options))
}

/// Resolves each reference against the base in the same place (RFC 3986, 5), and makes a row of the target: see
/// [`Normalizer::array_with_bases`](crate::batch::Normalizer::array_with_bases). For one base of all references, use
/// [`Options::with_base`] with any other call.
///
/// # Errors
/// Usage, if an array is of another type, or the two differ in length; with the column `offset`, as for [`array()`].
///
/// ```
/// use arrow_array::StringArray;
/// use urimill::batch::Options;
/// use urimill::{arrow_array, par};
///
/// let bases = StringArray::from(vec!["http://example.com/a/b", "http://example.org/"]);
/// let references = StringArray::from(vec!["../c", "?q"]);
/// let table = par::resolve(&bases, &references, &Options::default())?.collect_table()?;
/// assert_eq!(table.tally.rejects(), 0);
/// # Ok::<(), urimill::Error>(())
/// ```
pub fn resolve(bases: &dyn Array, references: &dyn Array, options: &Options) -> Result<Batches<'static>> {
    if bases.len() != references.len() {
        return Err(Error::usage(format!(
            "there are {} references and {} bases: give each reference its own",
            references.len(),
            bases.len()
        )));
    }
    checked(bases)?;
    checked(references)?;
    let columns = [references, bases].map(|column| column.slice(0, column.len()));
    Ok(rows::references(vec![columns.to_vec()], options))
}

fn checked(array: &dyn Array) -> Result<()> {
    match holds_texts(array.data_type()) {
        true => Ok(()),
        false => Err(urimill_columns::batch::no_texts(array.data_type())),
    }
}
