//! Crawler traps: URIs of which a site makes ever more without new pages. This module finds those that a URI shows by
//! itself; each has a name and a rule (docs/TRAPS.md). Rules prefer precision to completeness: on sites without traps
//! they match at most one page in a thousand.

mod path;
mod query;

use crate::templates::Parts;

macro_rules! traps {
    ($($variant:ident, $name:literal, $meaning:literal;)*) => {
        /// A trap that a URI shows by itself.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Trap {
            $(#[doc = $meaning] $variant,)*
        }

        impl Trap {
            /// All of them; if several rules match, the first gives the name.
            pub const ALL: &'static [Trap] = &[$(Trap::$variant),*];

            /// Its name.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Trap::$variant => $name,)*
                }
            }

            /// Its rule, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Trap::$variant => $meaning,)*
                }
            }
        }
    };
}

traps! {
    SessionId, "session_id", "a parameter of the query or of a segment holds a session";
    RepeatedSegments, "repeated_segments", "segments of the path repeat themselves one after the other";
    GrowingPath, "growing_path", "segments follow two names of pages, or there are more than 20";
    NestedUri, "nested_uri", "a parameter occurs twice more in its own value, or a path has three URIs";
    Calendar, "calendar", "a date below or beside a calendar";
    SortFilter, "sort_filter", "sorting, views and filters are multiplied";
    RepeatedParameters, "repeated_parameters", "a parameter occurs three times with the same value";
    EndlessPages, "endless_pages", "the number of a page has five digits";
    ActionLink, "action_link", "a parameter that answers, adds or edits: replytocom, add-to-cart, redlink";
}

/// The trap that a reference shows.
///
/// ```
/// use urimill::templates::Parts;
/// use urimill::traps::{Trap, trap};
///
/// let parts = Parts { path: "/shop/shop/shop/shop/", ..Parts::default() };
/// assert_eq!(trap(&parts), Some(Trap::RepeatedSegments));
/// ```
pub fn trap(parts: &Parts<'_>) -> Option<Trap> {
    // After a scheme without an authority there is no site.
    if parts.scheme.is_some() && parts.authority.is_none() {
        return None;
    }
    let in_path = path::Survey::of(parts.path);
    let in_query = parts.query.map(query::Survey::of).unwrap_or_default();
    let holds = |trap: &Trap| match trap {
        Trap::SessionId => in_path.has_session || in_query.has_session,
        Trap::RepeatedSegments => in_path.repeats,
        Trap::GrowingPath => in_path.grows,
        Trap::NestedUri => in_path.uris >= 3 || in_query.is_nested,
        Trap::Calendar => {
            (in_path.is_calendar || in_query.is_calendar) && (in_path.has_date || in_query.has_date)
        }
        Trap::SortFilter => in_query.is_product(),
        Trap::RepeatedParameters => in_query.repeats,
        Trap::EndlessPages => in_path.is_far || in_query.is_far,
        Trap::ActionLink => in_query.acts,
    };
    Trap::ALL.iter().find(|trap| holds(trap)).copied()
}

/// Whether a text is a page number greater than any site has.
fn is_far(text: &str) -> bool {
    // Longer numbers are those of documents that are called pages.
    text.len() == 5 && !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Words that occur in calendars.
fn is_calendar(word: &str) -> bool {
    const WORDS: [&str; 9] = [
        "agenda",
        "cal",
        "calendar",
        "calendario",
        "calendrier",
        "event-calendar",
        "events-calendar",
        "kalender",
        "tribe-bar-date",
    ];
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (path and query, trap, the family)
    const PLANTED: &[(&str, &str, &str)] = &[
        ("/a/b.jsp;jsessionid=0A1B2C3D4E5F", "session_id", "Java servlets"),
        ("/shop?PHPSESSID=0a1b2c3d4e5f6071", "session_id", "PHP"),
        ("/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "session_id", "ASP.NET without cookies"),
        ("/a.cfm?CFID=1234567&CFTOKEN=89012345", "session_id", "ColdFusion"),
        ("/product.php?id=1&osCsid=0a1b2c3d4e5f6071", "session_id", "osCommerce"),
        ("/t?sid=0a1b2c3d4e5f60718293", "session_id", "phpBB"),
        ("/img/img/img/img/a", "repeated_segments", "a relative link without its slash"),
        ("/css/images/css/images/css/images/", "repeated_segments", "two segments in turn"),
        ("/en/blog/post/en/blog/post/", "repeated_segments", "three segments, twice"),
        ("/news/a/news/b/news/c/news/d/news/e", "repeated_segments", "one segment among others, five times"),
        ("/a.html/b.html/c", "growing_path", "pages as folders"),
        ("/index.php/about.php/contact.php", "growing_path", "PHP's path information"),
        ("/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/u/v", "growing_path", "ever deeper"),
        (
            "/login?next=%2Flogin%3Fnext%3D%252Flogin%253Fnext%253D%25252F",
            "nested_uri",
            "a return address in a return address",
        ),
        ("/http://h/http://h/http://h/", "nested_uri", "links with a slash too many"),
        ("/share?u=http://h/s?u=http://h/s?u=http://h/", "nested_uri", "share links of share links"),
        ("/calendar/2031/05/", "calendar", "months of a calendar"),
        ("/calendar/day.php?year=2090&month=4&day=1", "calendar", "its days by parameters"),
        ("/kalender/2044-01-01", "calendar", "another language"),
        ("/events/?tribe-bar-date=2077-04", "calendar", "The Events Calendar of WordPress"),
        ("/index.php?module=calendar&date=20990101", "calendar", "a module of a portal"),
        ("/shoes?sort=price&dir=asc&limit=48&color=red", "sort_filter", "Magento's toolbar"),
        ("/c?orderby=price&min_price=5&max_price=9&filter_size=m", "sort_filter", "WooCommerce's filters"),
        ("/list?f[0]=a:1&f[1]=b:2&f[2]=c:3&f[3]=d:4", "sort_filter", "Drupal's facets"),
        ("/l?sort=name&order=desc&view=grid&per_page=10", "sort_filter", "views of one list"),
        ("/p?a=1&a=1&a=1", "repeated_parameters", "a parameter that each link adds again"),
        ("/blog/page/99999/", "endless_pages", "pages of an archive"),
        ("/list?page=54321", "endless_pages", "pages by a parameter"),
        ("/post/?replytocom=42", "action_link", "answers to comments"),
        ("/shop/?add-to-cart=42", "action_link", "baskets"),
    ];

    fn found(text: &str) -> Option<&'static str> {
        let (path, query) = match text.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (text, None),
        };
        trap(&Parts { path, query, ..Parts::default() }).map(Trap::as_str)
    }

    #[test]
    fn planted_families_are_found() {
        assert_eq!(PLANTED.len(), 30);
        for (text, expected, family) in PLANTED {
            assert_eq!(found(text), Some(*expected), "{family}: {text}");
        }
        for trap in Trap::ALL {
            assert!(PLANTED.iter().any(|row| row.1 == trap.as_str()), "no family of {}", trap.as_str());
        }
    }

    #[test]
    fn pages_are_no_traps() {
        for (text, why) in [
            ("/", "the beginning"),
            ("/1/1/1/1", "numbers may be the same"),
            ("/a/a/b", "twice is no rule"),
            ("/index.php/about", "one page and its path information"),
            ("/web/2020/http://h/a", "an archive has one URI in another"),
            ("/2031/05/01/a", "a date without a calendar"),
            ("/calendar", "a calendar without a date"),
            ("/search?sort=price&page=2", "one sorting of one list"),
            ("/a?id=1&id=2&id=3", "values differ"),
            ("/page/999/?page=9999", "pages that sites have"),
            ("/a?sid=42", "too short for a session"),
            ("/login?next=http%3A%2F%2Fh%2Fa%3Fnext%3Db", "one return address in another"),
            ("/page/47151/tag", "a page with a number, and something of it"),
            ("/list?page=2169791", "a document that is called a page"),
            ("/t?sid=00/05/10/1452227", "an identifier of a story"),
        ] {
            assert_eq!(found(text), None, "{why}: {text}");
        }
    }
}
