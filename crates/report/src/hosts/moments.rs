//! Moments in bounded memory, from which the longest gap between two of them is known within bounds.
//!
//! Moments that agree in all but their last bits form a span, of which the first and the last moment are kept. If there
//! are too many spans, one more bit is ignored, and neighbours merge. So the result depends on the moments alone,
//! whatever their order, and the moments of two inputs add up to those of both.

use std::mem;

/// The most spans.
pub(crate) const MOST: usize = 64;

/// Moments, in milliseconds since 1970.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Moments {
    /// The number of bits in which the moments of a span may differ.
    bits: u32,
    /// The first and the last of each span, in order.
    spans: Vec<(i64, i64)>,
}

impl Moments {
    pub(super) fn add(&mut self, moment: i64) {
        self.add_span((moment, moment));
    }

    /// Adds a span, whose moments differ in these bits only.
    fn add_span(&mut self, (first, last): (i64, i64)) {
        let place = |moment: i64| moment >> self.bits;
        let at = match self.spans.last() {
            // Logs are mostly in order.
            Some(end) if place(end.1) < place(first) => self.spans.len(),
            Some(end) if place(end.1) == place(first) => self.spans.len() - 1,
            _ => self.spans.partition_point(|span| place(span.1) < place(first)),
        };
        match self.spans.get_mut(at) {
            Some(span) if span.1 >> self.bits == first >> self.bits => {
                *span = (span.0.min(first), span.1.max(last));
            }
            _ => self.spans.insert(at, (first, last)),
        }
        while self.spans.len() > MOST {
            self.leave_out(self.bits + 1);
        }
    }

    /// The spans with this number of ignored bits.
    fn leave_out(&mut self, bits: u32) {
        self.bits = bits;
        let mut spans: Vec<(i64, i64)> = Vec::with_capacity(self.spans.len());
        for span in mem::take(&mut self.spans) {
            match spans.last_mut() {
                Some(before) if before.1 >> bits == span.0 >> bits => before.1 = span.1,
                _ => spans.push(span),
            }
        }
        self.spans = spans;
    }

    pub(super) fn merge(&mut self, other: &Moments) {
        if other.bits > self.bits {
            self.leave_out(other.bits);
        }
        other.spans.iter().for_each(|span| self.add_span(*span));
    }

    /// The first and the last moment.
    pub(super) fn ends(&self) -> Option<(i64, i64)> {
        Some((self.spans.first()?.0, self.spans.last()?.1))
    }

    /// The longest time between two neighbouring moments, in milliseconds: lower and upper bound. `None` if there is
    /// only one moment.
    pub(super) fn longest_gap(&self) -> Option<(u64, u64)> {
        let (first, last) = self.ends()?;
        let between = self.spans.windows(2).map(|pair| pair[1].0.abs_diff(pair[0].1)).max().unwrap_or(0);
        let within = self.spans.iter().map(|span| span.1.abs_diff(span.0)).max().unwrap_or(0);
        (first < last).then_some((between, between.max(within)))
    }

    /// The data for a stored state.
    pub(crate) fn parts(&self) -> (u32, &[(i64, i64)]) {
        (self.bits, &self.spans)
    }

    /// [`parts`](Self::parts) back; `None` if they cannot be those of moments.
    pub(crate) fn from_parts(bits: u32, spans: Vec<(i64, i64)>) -> Option<Moments> {
        let is_span = |&(first, last): &(i64, i64)| first <= last && first >> bits == last >> bits;
        let fits = bits < i64::BITS
            && (1..=MOST).contains(&spans.len())
            && spans.iter().all(is_span)
            && spans.windows(2).all(|pair| pair[0].1 >> bits < pair[1].0 >> bits);
        fits.then_some(Moments { bits, spans })
    }
}

#[cfg(test)]
mod tests {
    use urimill_testkit::random::Random;

    use super::*;

    fn of(moments: &[i64]) -> Moments {
        let mut all = Moments::default();
        moments.iter().for_each(|moment| all.add(*moment));
        all
    }

    #[test]
    fn gaps_of_few_moments_are_exact() {
        for (moments, ends, gap, reason) in [
            (&[][..], None, None, "nothing"),
            (&[5], Some((5, 5)), None, "one"),
            (&[5, 5], Some((5, 5)), None, "the same"),
            (&[5, 7], Some((5, 7)), Some(2), "two"),
            (&[7, 5], Some((5, 7)), Some(2), "in any order"),
            (&[0, 10, 3, 4], Some((0, 10)), Some(6), "what comes later divides a gap"),
            (&[-10, -4, 1], Some((-10, 1)), Some(6), "before 1970"),
            (&[i64::MIN, i64::MAX], Some((i64::MIN, i64::MAX)), Some(u64::MAX), "all the time that there is"),
        ] {
            let all = of(moments);
            assert_eq!((all.ends(), all.longest_gap()), (ends, gap.map(|gap| (gap, gap))), "{reason}");
        }
    }

    /// In any order and division into parts: the same spans, and the gap within its bounds.
    #[test]
    fn moments_have_no_order() {
        let mut random = Random(3);
        for round in 0..200 {
            let (number, width) = (1 + random.next() % 3000, 1 << (random.next() % 62));
            let mut moments: Vec<i64> =
                (0..number).map(|_| (random.next() % width) as i64 - width as i64 / 3).collect();
            let whole = of(&moments);
            let mut parts: Vec<Moments> = moments.chunks(1 + random.next() as usize % 700).map(of).collect();
            for _ in 0..3 {
                let at = random.next() as usize % parts.len();
                parts.rotate_left(at);
                let mut merged = Moments::default();
                parts.iter().for_each(|part| merged.merge(part));
                assert_eq!(merged, whole, "round {round}");
            }
            moments.sort_unstable();
            let exact = moments.windows(2).map(|pair| pair[1].abs_diff(pair[0])).max().filter(|gap| *gap > 0);
            let Some((lower, upper)) = whole.longest_gap() else {
                assert_eq!(exact, None, "round {round}");
                continue;
            };
            let gap = exact.expect("a gap");
            assert!(lower <= gap && gap <= upper, "round {round}: {lower} ≤ {gap} ≤ {upper}");
            assert!(upper - lower <= 1 << whole.bits, "round {round}: as long as a span, at most");
            assert_eq!(whole.ends(), Some((moments[0], moments[moments.len() - 1])), "round {round}");
            let (bits, spans) = whole.parts();
            assert!(spans.len() <= MOST);
            assert_eq!(Moments::from_parts(bits, spans.to_vec()), Some(whole.clone()), "round {round}");
        }
    }
}
