//! User information that must not appear in the table (`passwords`). It is removed from a valid reference before
//! anything is derived from it (`slow_path`): normal form, components, keys and hashes are those of the rest. This
//! module cleans the columns of texts as read: those of the reference, fields that pass through, whole columns of
//! tables.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringArray,
    StringViewArray, make_array,
};
use arrow_schema::{ArrowError, DataType};
use urimill_base::error::Result;
use urimill_uri::Host;
use urimill_uri::grammar::Spec;
use urimill_uri::internal::parse_full;
use urimill_uri::passwords::{Hide, hidden};
use urimill_uri::simd::Split;

use crate::batch::rows::{Rows, check_room};
use crate::batch::views::{Place, Texts};

/// Whether a text has user information to hide.
#[inline]
pub(crate) fn hides(text: &[u8], hide: Hide) -> bool {
    hide != Hide::Nothing && matches!(hidden(text, hide), Cow::Owned(_))
}

/// Texts as read, by row, for rows whose own text differs.
pub(crate) struct AsRead {
    /// The texts that had to be rewritten.
    pub(crate) written: Vec<u8>,
    pub(crate) places: Vec<(u32, Place)>,
}

/// The texts of `rewritten`, each with its row, without the hidden user information; `written` is memory for those that
/// change.
///
/// # Errors
/// Usage, if the written texts exceed 2 GiB.
pub(crate) fn as_read(
    (rows, texts): (&Rows, &Texts<'_>),
    rewritten: impl Iterator<Item = (u32, Place)>,
    mut written: Vec<u8>,
    hide: Hide,
) -> Result<AsRead> {
    let mut places = Vec::new();
    for (row, place) in rewritten {
        let own = texts.slice(row as usize, (0, rows.splits.end[row as usize]));
        match hidden(texts.text_at(place), hide) {
            text if *text == *own => {}
            Cow::Borrowed(_) => places.push((row, place)),
            Cow::Owned(text) => {
                check_room(written.len(), text.len())?;
                places.push((row, (texts.buffer_count(), written.len() as u32, text.len() as u32)));
                written.extend_from_slice(&text);
            }
        }
    }
    Ok(AsRead { written, places })
}

/// A column without the hidden user information in its texts and bytes, also in lists, structs, maps and dictionaries.
/// `None` if there is nothing to hide.
///
/// # Errors
/// Arrow's error, which is a defect.
pub(crate) fn column(array: &ArrayRef, hide: Hide) -> Result<Option<ArrayRef>, ArrowError> {
    macro_rules! rewritten {
        ($array:expr, $of:ty, $bytes:ident, $from:ident) => {{
            let values = $array;
            let is_hit = values.iter().flatten().any(|value| hides(value.$bytes(), hide));
            is_hit.then(|| {
                let cleaned =
                    values.iter().map(|value| value.map(|value| $from(hidden(value.$bytes(), hide))));
                Arc::new(cleaned.collect::<$of>()) as ArrayRef
            })
        }};
    }
    fn text(bytes: Cow<'_, [u8]>) -> String {
        String::from_utf8_lossy(&bytes).into_owned()
    }
    fn bytes(bytes: Cow<'_, [u8]>) -> Vec<u8> {
        bytes.into_owned()
    }
    Ok(match array.data_type() {
        DataType::Utf8 => rewritten!(array.as_string::<i32>(), StringArray, as_bytes, text),
        DataType::LargeUtf8 => rewritten!(array.as_string::<i64>(), LargeStringArray, as_bytes, text),
        DataType::Utf8View => rewritten!(array.as_string_view(), StringViewArray, as_bytes, text),
        DataType::Binary => rewritten!(array.as_binary::<i32>(), BinaryArray, as_ref, bytes),
        DataType::LargeBinary => rewritten!(array.as_binary::<i64>(), LargeBinaryArray, as_ref, bytes),
        DataType::BinaryView => rewritten!(array.as_binary_view(), BinaryViewArray, as_ref, bytes),
        _ => {
            let data = array.to_data();
            let mut is_hit = false;
            let children = data.child_data().iter().map(|child| {
                let cleaned = column(&make_array(child.clone()), hide)?;
                is_hit |= cleaned.is_some();
                Ok(cleaned.map_or_else(|| child.clone(), |cleaned| cleaned.to_data()))
            });
            let children = children.collect::<Result<Vec<_>, ArrowError>>()?;
            match is_hit {
                true => Some(make_array(data.into_builder().child_data(children).build()?)),
                false => None,
            }
        }
    })
}

/// A text, the offsets of its components, and the kind of its host.
type Left = (Vec<u8>, (Split, Option<Host>));

/// A reference without the hidden user information, and its parts. It is valid by the same specification: the grammar
/// does not require user information, and accepts the mask as such. If a reference nevertheless became invalid without
/// it, at least its password is removed.
pub(crate) fn left(text: &[u8], hide: Hide, spec: Spec) -> Option<Left> {
    [hide, Hide::Passwords].into_iter().find_map(|hide| match hidden(text, hide) {
        Cow::Owned(left) => parse_full(&left, spec).ok().map(|found| (left, found)),
        Cow::Borrowed(_) => None,
    })
}
