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

    /// [`check`](Feature::check) before `input` is read.
    ///
    /// # Errors
    /// Usage, if it is not built in.
    pub fn check_reads(self, what: &str, input: &str) -> Result<()> {
        let missing = || Error::usage(format!("cannot read {input}: {}", self.missing(what)));
        if self.is_built_in { Ok(()) } else { Err(missing()) }
    }
}

/// Stands for what a feature brings where it is left out: functions that return the given error, and types without
/// values, whose methods nobody can call. Each is its signature and nothing else.
///
/// ```
/// use urimill_base::error::{Error, Result};
/// use urimill_base::left_out;
///
/// left_out! {
///     Error::usage("there are no tables");
///     pub enum Table {
///         pub fn open(_: &str) -> Result<Table>;
///         pub fn rows(&self, _: usize) -> Vec<String>;
///     }
/// }
/// assert!(Table::open("x").is_err());
/// ```
#[macro_export]
macro_rules! left_out {
    (@body $error:expr; & mut $this:ident $($rest:tt)*) => { match *$this {} };
    (@body $error:expr; & $this:ident $($rest:tt)*) => { match *$this {} };
    (@body $error:expr; $this:ident $($rest:tt)*) => { match $this {} };
    (@body $error:expr; $($rest:tt)*) => { Err($error) };
    ($error:expr; $($(#[$meta:meta])* $vis:vis fn $name:ident($($args:tt)*) -> $result:ty;)*) => {
        $($(#[$meta])* $vis fn $name($($args)*) -> $result { $crate::left_out!(@body $error; $($args)*) })*
    };
    ($error:expr; $($(#[$meta:meta])* $vis:vis enum $name:ident { $($methods:tt)* })*) => {
        $($(#[$meta])* #[derive(Debug, Clone)] $vis enum $name {} impl $name { $crate::left_out!($error; $($methods)*); })*
    };
}
