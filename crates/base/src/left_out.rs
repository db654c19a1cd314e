//! Features that a build can leave out: using one that is missing is an error that names it.

pub use crate::error::{Error, Result};

/// Something that a feature provides: its name, the feature, and whether it is built in.
#[derive(Debug, Clone, Copy)]
pub struct Feature {
    /// The name of the feature.
    pub name: &'static str,
    /// Whether this build has it.
    pub is_built_in: bool,
}

macro_rules! features {
    ($($constant:ident = $name:literal;)*) => {
        $(#[doc = concat!("The feature `", $name, "`.")]
        pub const $constant: Feature = Feature { name: $name, is_built_in: cfg!(feature = $name) };)*
    };
}

features! {
    PARQUET = "parquet";
    IPC = "ipc";
    GZIP = "gzip";
    ZSTD = "zstd";
    BZIP2 = "bzip2";
    XZ = "xz";
    BROTLI = "brotli";
}

impl Feature {
    /// The sentence that names what this build cannot do.
    pub fn missing(self, what: &str) -> String {
        format!("this build of urimill has no {what}: it was built without the feature {}", self.name)
    }

    /// # Errors
    /// Usage, if it is not built in. `what` names it in the sentence: "Parquet".
    pub fn check(self, what: &str) -> Result<()> {
        if self.is_built_in { Ok(()) } else { Err(Error::usage(self.missing(what))) }
    }
}
