//! Options about passwords: whether messages show them, and what tables contain of user information (RFC 3986, 7.5).

use clap::Args;

use urimill::run::NormalizeOptions;

/// The options of commands that write tables.
#[derive(Debug, Args)]
pub(crate) struct Hiding {
    /// Write *** for passwords in user information, in every column of the table and of the rejects; keys,
    /// hashes and rows are made from the masked URIs
    #[arg(long)]
    mask_passwords: bool,

    /// Remove user information, name and password, from every column of the table and of the rejects; flags
    /// still say that there was some
    #[arg(long)]
    drop_userinfo: bool,
}

impl Hiding {
    /// The options, with what the rows must not contain.
    pub(crate) fn fill(&self, options: NormalizeOptions) -> NormalizeOptions {
        options.mask_passwords(self.mask_passwords).drop_userinfo(self.drop_userinfo)
    }
}
