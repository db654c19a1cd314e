//! The counts of records that every report has.

/// Counts of records, in the order in which a state has them. They add up: `records = valid + rejects + nulls`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accounts {
    /// Records read.
    pub records: u64,
    /// Records that are URI references.
    pub valid: u64,
    /// Records that are not.
    pub rejects: u64,
    /// Records without a URI.
    pub nulls: u64,
    /// Blank lines and comments, which are not records.
    pub blank: u64,
    /// Headers, which are not records.
    pub headers: u64,
    /// Records whose text was changed by resolution and normalization.
    pub changed: u64,
    /// Changed records whose text was repaired.
    pub repaired: u64,
    /// Records that are not UTF-8.
    pub not_utf8: u64,
    /// Records of which only the beginning was read, because they are too long.
    pub cut: u64,
    /// Bytes read, decompressed.
    pub bytes: u64,
}

impl Accounts {
    /// Names and values.
    pub fn all(&self) -> [(&'static str, u64); 11] {
        let Accounts {
            records,
            valid,
            rejects,
            nulls,
            blank,
            headers,
            changed,
            repaired,
            not_utf8,
            cut,
            bytes,
        } = *self;
        [
            ("records", records),
            ("valid", valid),
            ("rejects", rejects),
            ("nulls", nulls),
            ("blank", blank),
            ("headers", headers),
            ("changed", changed),
            ("repaired", repaired),
            ("not_utf8", not_utf8),
            ("cut", cut),
            ("bytes", bytes),
        ]
    }

    pub(super) fn from_values(values: [u64; 11]) -> Accounts {
        let [records, valid, rejects, nulls, blank, headers, changed, repaired, not_utf8, cut, bytes] =
            values;
        Accounts { records, valid, rejects, nulls, blank, headers, changed, repaired, not_utf8, cut, bytes }
    }

    pub(super) fn add(&mut self, other: &Accounts) {
        let (own, other) = (self.all(), other.all());
        *self = Accounts::from_values(std::array::from_fn(|at| own[at].1.saturating_add(other[at].1)));
    }
}
