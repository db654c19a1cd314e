//! WAT, Common Crawl's extracts of its archives: WARC files of metadata records, whose blocks are JSON. Each block
//! describes one record of a WARC file: its place in the file, its header, and its response. `warc` reads the headers;
//! this module reads the blocks.
//!
//! ```text
//! {"Container": {"Filename": "a.warc.gz", "Offset": "466", "Gzip-Metadata": {"Deflate-Length": "1234", …}},
//!  "Envelope":  {"WARC-Header-Metadata": {"WARC-Type": "response", …},
//!                "Payload-Metadata": {"HTTP-Response-Metadata": {"Response-Message": {"Status": "200", …},
//!                   "Headers": {"Content-Type": "text/html", …}, "HTML-Metadata": {"Head": {"Title": "…"}, …}}}}}
//! ```

use urimill_columns::batch::{Cell, Records};
use urimill_read::format::framing::FramedRecord;
use urimill_read::format::json;
use urimill_read::format::json::{Shape, Tree, Value};

use super::{
    CONTAINER_LENGTH, CONTAINER_NAME, CONTAINER_OFFSET, DESCRIBED_TYPE, HTTP_STATUS, IDENTIFIED, IP_ADDRESS,
    PAYLOAD_DIGEST, PAYLOAD_TYPE, PLACES, TITLE, media_type,
};

/// The fields that stand in the blocks.
pub(crate) const PLACES_OF_BLOCKS: [u8; 10] = [
    CONTAINER_NAME,
    CONTAINER_OFFSET,
    CONTAINER_LENGTH,
    DESCRIBED_TYPE,
    IP_ADDRESS,
    PAYLOAD_DIGEST,
    IDENTIFIED,
    HTTP_STATUS,
    PAYLOAD_TYPE,
    TITLE,
];

/// Where they stand.
const TREE: &[(&str, Tree)] = &[
    (
        "Container",
        Tree::Members(&[
            ("Filename", Tree::Field(CONTAINER_NAME)),
            ("Offset", Tree::Field(CONTAINER_OFFSET)),
            ("Gzip-Metadata", Tree::Members(&[("Deflate-Length", Tree::Field(CONTAINER_LENGTH))])),
        ]),
    ),
    (
        "Envelope",
        Tree::Members(&[
            (
                "WARC-Header-Metadata",
                Tree::Members(&[
                    ("WARC-Type", Tree::Field(DESCRIBED_TYPE)),
                    ("WARC-IP-Address", Tree::Field(IP_ADDRESS)),
                    ("WARC-Payload-Digest", Tree::Field(PAYLOAD_DIGEST)),
                    ("WARC-Identified-Payload-Type", Tree::Field(IDENTIFIED)),
                ]),
            ),
            (
                "Payload-Metadata",
                Tree::Members(&[(
                    "HTTP-Response-Metadata",
                    Tree::Members(&[
                        ("Response-Message", Tree::Members(&[("Status", Tree::Field(HTTP_STATUS))])),
                        ("Headers", Tree::AnyCase(&[("content-type", Tree::Field(PAYLOAD_TYPE))])),
                        (
                            "HTML-Metadata",
                            Tree::Members(&[("Head", Tree::Members(&[("Title", Tree::Field(TITLE))]))]),
                        ),
                    ]),
                )]),
            ),
        ]),
    ),
];

/// The description of a record in one block.
#[derive(Default)]
pub(crate) struct Described {
    found: Option<[Option<Value>; PLACES]>,
    /// Whether the block is too long to be held.
    is_cut: bool,
    /// The byte of the chunk where the block is not JSON any more.
    pub(crate) fault: Option<usize>,
}

impl Described {
    pub(crate) fn of(bytes: &[u8], head: &FramedRecord) -> Described {
        let block = head.block();
        if head.is_cut {
            return Described { is_cut: true, ..Described::default() };
        }
        let mut found = [None; PLACES];
        let read = json::pick(bytes, block, Tree::Members(TREE), &mut |place, value| {
            found[usize::from(place)].get_or_insert(value);
        });
        Described { found: Some(found), is_cut: false, fault: read.err() }
    }

    /// The type of the record, as it is written.
    pub(crate) fn kind<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let value = self.found.as_ref()?[usize::from(DESCRIBED_TYPE)].filter(|value| value.is_text())?;
        Some(value.written(bytes))
    }

    /// The field of a place.
    pub(crate) fn cell(&self, bytes: &[u8], place: u8, records: &mut Records) -> Cell {
        let Some(found) = &self.found else {
            return if self.is_cut { Cell::TOO_LONG } else { Cell::NULL };
        };
        match found[usize::from(place)] {
            None => Cell::NULL,
            Some(value) if place == PAYLOAD_TYPE && value.shape == (Shape::Text { is_escaped: false }) => {
                let inner = value.inner();
                media_type(bytes, inner.start as usize..(inner.start + inner.len) as usize)
            }
            Some(value) => value.cell(bytes, records),
        }
    }
}
