//! Passwords: whether messages show them, and what tables tell of user information (RFC 3986, 7.5). Beside the commands
//! that write tables.

use clap::Args;

use crate::batch;
use crate::output::SinkOptions;
use crate::passwords::{Hide, hidden};

/// The options of commands that write tables.
#[derive(Debug, Args)]
pub(super) struct Hiding {
    /// Write *** where a password stands in user information, in every column of the table and of the rejects; keys, hashes
    /// and rows are those of the URIs that are left
    #[arg(long, conflicts_with = "drop_userinfo")]
    mask_passwords: bool,

    /// Leave user information out altogether, name and password, from every column likewise; flags still tell that there
    /// was some
    #[arg(long)]
    drop_userinfo: bool,
}

impl Hiding {
    pub(super) fn hide(&self) -> Hide {
        match (self.mask_passwords, self.drop_userinfo) {
            (_, true) => Hide::UserInfo,
            (true, _) => Hide::Passwords,
            _ => Hide::Nothing,
        }
    }

    /// The options with what their rows do not tell.
    pub(super) fn options(&self, options: batch::Options) -> batch::Options {
        batch::Options { hide: self.hide(), ..options }
    }

    /// What the files say of it, in which nothing is told that the rows do not tell.
    pub(super) fn told(&self, mut options: SinkOptions) -> SinkOptions {
        let hide = self.hide();
        let name = match hide {
            Hide::Nothing => return options,
            Hide::Passwords => "passwords",
            Hide::UserInfo => "userinfo",
        };
        for (_, value) in &mut options.metadata {
            *value = String::from_utf8_lossy(&hidden(value.as_bytes(), hide)).into_owned();
        }
        options.metadata.push(("urimill.hidden".to_owned(), name.to_owned()));
        options
    }
}
