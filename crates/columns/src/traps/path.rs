//! Traps in a path, found in one pass over its segments.

use super::{is_calendar, is_far};
use crate::templates::{is_date, is_session};

/// The number of segments that are compared with each other.
const MOST: usize = 64;

/// More segments than any page has.
const DEEP: usize = 20;

#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) has_session: bool,
    pub(super) repeats: bool,
    pub(super) grows: bool,
    pub(super) uris: usize,
    pub(super) is_calendar: bool,
    pub(super) has_date: bool,
    pub(super) is_far: bool,
}

impl Survey {
    pub(super) fn of(path: &str) -> Survey {
        let mut survey = Survey::default();
        let mut segments = [""; MOST];
        let (mut count, mut pages, mut last) = (0, 0, "");
        for segment in path.split('/').filter(|segment| !segment.is_empty()) {
            survey.segment(segment, last);
            survey.grows |= pages >= 2;
            pages += usize::from(is_page(segment));
            if count < MOST {
                segments[count] = segment;
            }
            count += 1;
            last = segment;
        }
        survey.grows |= count > DEEP && survey.uris == 0;
        survey.repeats = repeats(&segments[..count.min(MOST)]);
        survey
    }

    fn segment(&mut self, segment: &str, last: &str) {
        let begins = segment.as_bytes()[0];
        if let Some(params) = memchr::memchr(b';', segment.as_bytes()) {
            let mut params = segment[params + 1..].split(';').filter_map(|param| param.split_once('='));
            self.has_session |= params.any(|(name, value)| is_session(name) && value.len() >= 8);
        }
        match begins {
            b'(' => self.has_session |= segment.starts_with("(S(") && segment.ends_with("))"),
            b'h' => self.uris += usize::from(matches!(segment, "http:" | "https:")),
            b'0'..=b'9' => {
                let is_month =
                    segment.len() <= 2 && last.len() == 4 && last.bytes().all(|b| b.is_ascii_digit());
                self.has_date |= is_date(segment) || is_month;
            }
            _ => {}
        }
        // Only the last segment is the number of a page.
        self.is_far = last == "page" && is_far(segment);
        self.is_calendar |= is_calendar(segment);
    }
}

fn is_page(segment: &str) -> bool {
    let extension = segment.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "html" | "htm" | "php" | "asp" | "aspx" | "jsp" | "shtml" | "cfm")
}

/// Whether segments that are not numbers repeat: one or two of them three times, three or four twice, or one anywhere
/// five times.
fn repeats(segments: &[&str]) -> bool {
    if segments.len() < 3 {
        return false;
    }
    let is_word =
        |segment: &&str| segment.len() > 1 && segment.bytes().any(|byte| byte.is_ascii_alphabetic());
    let in_turn = [(1, 3), (2, 3), (3, 2), (4, 2)].into_iter().any(|(length, times)| {
        segments.windows(length * times).any(|window| {
            let (first, rest) = window.split_at(length);
            rest.chunks(length).all(|block| block == first) && first.iter().all(is_word)
        })
    });
    in_turn
        || (segments.len() >= 9
            && segments.iter().enumerate().any(|(at, segment)| {
                is_word(segment) && segments[at..].iter().filter(|other| *other == segment).count() >= 5
            }))
}
