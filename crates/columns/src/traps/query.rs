//! Traps in a query, found in one pass over its parameters.

use super::{is_calendar, is_far};
use crate::templates::{is_date, is_session};

/// The number of parameters that are compared with each other.
const MOST: usize = 32;

#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) has_session: bool,
    pub(super) is_nested: bool,
    pub(super) is_calendar: bool,
    pub(super) has_date: bool,
    pub(super) repeats: bool,
    pub(super) is_far: bool,
    pub(super) acts: bool,
    /// Parameters that sort, that choose a view, and that filter.
    sorts: usize,
    views: usize,
    filters: usize,
}

impl Survey {
    pub(super) fn of(query: &str) -> Survey {
        let mut survey = Survey::default();
        let mut params = [""; MOST];
        let (mut count, mut has_year, mut has_month) = (0, false, false);
        for param in query.split('&').filter(|param| !param.is_empty()).take(MOST) {
            let (name, value) = param.split_once('=').unwrap_or((param, ""));
            survey.param(name, value);
            has_year |= matches!(name, "year" | "yr" | "y") && value.len() == 4;
            has_month |= matches!(name, "month" | "mon" | "mo" | "m") && matches!(value.len(), 1..=2);
            if params[..count].iter().filter(|other| **other == param).count() >= 2 && !value.is_empty() {
                survey.repeats = true;
            }
            params[count] = param;
            count += 1;
        }
        survey.has_date |= has_year && has_month;
        survey
    }

    fn param(&mut self, name: &str, value: &str) {
        self.has_session |= is_session(name) && is_session_value(name, value);
        self.is_nested |= value.len() > 2 * name.len() && nests(name, value);
        self.is_calendar |= is_calendar(name) || is_calendar(value);
        self.has_date |= value.as_bytes().first().is_some_and(u8::is_ascii_digit) && is_date(value);
        self.is_far |= matches!(name, "page" | "paged" | "pg" | "pageno" | "page_number") && is_far(value);
        self.acts |=
            matches!(name, "replytocom" | "add-to-cart" | "add_to_wishlist" | "add_to_compare" | "redlink");
        match name {
            "sort" | "sortby" | "sort_by" | "sort_order" | "order" | "orderby" | "order_by" | "dir"
            | "direction" => {
                self.sorts += 1;
            }
            "limit" | "per_page" | "perpage" | "view" | "pagesize" | "page_size" | "product_list_limit" => {
                self.views += 1;
            }
            "color" | "colour" | "size" | "brand" | "price" | "manufacturer" | "min_price" | "max_price" => {
                self.filters += 1;
            }
            _ => {
                let begins = |with: &str| name.starts_with(with);
                let is_facet =
                    begins("filter") || begins("f[") || begins("facet") || begins("attr") || begins("refine");
                self.filters += usize::from(is_facet);
            }
        }
    }

    /// Whether lists are multiplied: by sorting with two other parameters, or by four filters.
    pub(super) fn is_product(&self) -> bool {
        self.filters >= 4
            || (self.sorts >= 1 && self.views + self.filters >= 2)
            || (self.sorts >= 2 && self.views >= 1)
    }
}

/// Whether a value could be that of a session: parameters with short names have other values, too.
fn is_session_value(name: &str, value: &str) -> bool {
    match name.len() {
        ..=4 => matches!(value.len(), 16..=64) && value.bytes().all(|byte| byte.is_ascii_hexdigit()),
        _ => value.len() >= 7,
    }
}

/// Whether a parameter occurs twice more in its own value, encoded or not.
fn nests(name: &str, value: &str) -> bool {
    let bytes = value.as_bytes();
    let is_inner = |(at, _): &(usize, &str)| {
        let (before, behind) = (&bytes[..*at], &bytes[at + name.len()..]);
        let begins = before.ends_with(b"?") || before.ends_with(b"3F") || before.ends_with(b"3f");
        let joins = before.ends_with(b"26") || begins;
        joins && (behind.starts_with(b"=") || behind.starts_with(b"%3D") || behind.starts_with(b"%25"))
    };
    !name.is_empty() && value.match_indices(name).filter(is_inner).nth(1).is_some()
}
