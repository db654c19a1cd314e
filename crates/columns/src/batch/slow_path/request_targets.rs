//! Request targets whose text is not a URI reference as written ([`TargetForm`]): the slow path of their rows. The
//! reference is the text with a prefix that identifies its form; `raw` keeps the text as read.

use urimill_uri::audit::Flags;
use urimill_uri::internal::parse_full;
use urimill_uri::internal::resolve::Parts;
use urimill_uri::simd::Split;
use urimill_uri::{Host, Reject};

use super::{Read, mend};
use crate::batch::Options;
use crate::batch::bases::Base;
use crate::batch::records::TargetForm;
use crate::batch::rows::Rows;

impl TargetForm {
    /// The prefix that makes the text a reference. A path that begins with `//` would be an authority: RFC 3986 (4.2,
    /// 5.2.4) puts `/.` before it, which resolution removes.
    pub(crate) const fn prefix(self) -> &'static [u8; 2] {
        match self {
            TargetForm::AbsolutePath => b"/.",
            TargetForm::Authority => b"//",
        }
    }
}

impl Rows {
    /// How the text of a row is read, if not as a reference.
    #[inline]
    pub(crate) fn form(&self, row: u32) -> Option<TargetForm> {
        if self.forms.is_empty() {
            return None;
        }
        let found = self.forms.binary_search_by_key(&row, |&(row, _)| row).ok();
        found.map(|at| self.forms[at].1)
    }

    /// Validates such a row.
    pub(crate) fn validate_form(
        &mut self,
        read: &Read<'_>,
        form: TargetForm,
        base: Option<&Base>,
        options: &Options,
    ) {
        let prefix = form.prefix();
        let text = [prefix, read.text].concat();
        let reject = match parse_full(&text, self.rfc.spec) {
            Ok(found) => {
                let flags = self.accept_form(read, &text, found, (form, base), options);
                return self.flag(read.row, flags);
            }
            Err(reject) => reject,
        };
        if self.rfc.repair {
            let mended = mend(&text, base.is_some(), self.rfc);
            // The prefix must not change the kind of the text.
            let is_same = mended.starts_with(prefix) && mended.get(2) == text.get(2);
            if let Ok(found) = parse_full(&mended, self.rfc.spec)
                && is_same
            {
                let is_utf8 = std::str::from_utf8(read.text).is_ok();
                let read = &Read { is_utf8, ..*read };
                let mut flags = self.accept_form(read, &mended, found, (form, base), options);
                flags.set(Flags::REPAIRED, true);
                return self.flag(read.row, flags);
            }
        }
        let offset = reject.offset.saturating_sub(prefix.len());
        self.reject(read, Reject { offset, ..reject });
    }

    /// Accepts a valid one: `text` is the reference including the prefix.
    fn accept_form(
        &mut self,
        read: &Read<'_>,
        text: &[u8],
        found: (Split, Option<Host>),
        (form, base): (TargetForm, Option<&Base>),
        options: &Options,
    ) -> Flags {
        match (form, base) {
            // Resolved unchanged, because RFC 2396 does not remove the prefix.
            (TargetForm::AbsolutePath, Some(base)) if base.parts().host.is_some() => {
                let path = found.0;
                let split = Split {
                    path_end: path.path_end - 2,
                    query_end: path.query_end - 2,
                    end: path.end - 2,
                    ..path
                };
                let bare = &text[2..];
                let mut flags = self.accept_target(read, Some(bare), (split, None), base, options);
                let parts =
                    Parts { text: bare, split, host: None, dots: true, encoded: false, spec: self.rfc.spec };
                flags.set(Flags::SAME_DOCUMENT, self.is_same_document(read, &parts, base));
                flags
            }
            _ => self.accept_parsed(read, Some(text), found, base, options),
        }
    }
}
