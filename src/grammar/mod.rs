//! The specifications as data: character classes, IP literals, schemes. Stands left of all rooms
//! that decide anything; nothing in here knows of buffers, batches or files.

pub mod chars;
pub mod ip;
pub mod scheme;

/// The specification that decides what is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Spec {
    /// RFC 3986 (STD 66), as published.
    #[default]
    Rfc3986,
}

impl Spec {
    /// The name on the command line and in file metadata.
    pub fn as_str(self) -> &'static str {
        match self {
            Spec::Rfc3986 => "rfc3986",
        }
    }
}
