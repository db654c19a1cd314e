//! Redirects that lead back to where they began. A redirect is known if a record names its target, or if a crawler came
//! to a URI by a redirect.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::sample::{Sample, Sampled};
use super::share;

/// The most pairs of URIs of a sample.
pub(crate) const MOST_PAIRS: usize = 1 << 15;
/// The most URIs of an example.
const MOST_SHOWN: usize = 10;

/// The redirects between two URIs, or from one to itself. The key is the hash of both, in either direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirect {
    /// The hashes of the URIs, the smaller one first; equal if a URI redirects to itself.
    pub(crate) hashes: [u64; 2],
    /// The beginnings of the URIs.
    pub(crate) uris: [Box<str>; 2],
    /// Whether the first leads to the second, and the second to the first.
    pub(crate) leads: [bool; 2],
}

impl Sampled for Redirect {
    const MOST: usize = MOST_PAIRS;

    fn add(&mut self, other: Redirect) {
        for (own, other) in self.leads.iter_mut().zip(other.leads) {
            *own |= other;
        }
    }
}

pub(crate) type Redirects = Sample<u64, Redirect>;

/// URIs that redirect to each other in a circle.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Circle {
    /// The number of URIs of the circle, and of all others that are connected with it in both directions.
    pub uris: u64,
    /// A shortest circle through the first of them by its bytes: each redirects to the next, and the last to the first.
    /// At most ten URIs.
    pub example: Vec<String>,
}

/// The circles of redirects of a sample.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Circles {
    /// Those with the fewest URIs first.
    pub circles: Vec<Circle>,
    /// The pairs of URIs in the sample, one of which redirects to the other.
    pub pairs: u64,
    /// The share of all such pairs that the sample has.
    pub share: f64,
}

/// The circles of redirects.
pub(super) fn circles(redirects: &Redirects) -> Circles {
    let graph = Graph::of(redirects);
    let mut circles: Vec<Circle> = graph.components().iter().filter_map(|part| graph.circle(part)).collect();
    circles.sort_by(|a, b| a.uris.cmp(&b.uris).then_with(|| a.example.cmp(&b.example)));
    Circles { circles, pairs: redirects.entries().len() as u64, share: share(redirects.limit()) }
}

/// URIs by number, in the order of their hashes, and the targets of each.
struct Graph<'a> {
    uris: Vec<&'a str>,
    targets: Vec<Vec<usize>>,
    sources: Vec<Vec<usize>>,
}

impl<'a> Graph<'a> {
    fn of(redirects: &'a Redirects) -> Graph<'a> {
        let mut texts: BTreeMap<u64, &str> = BTreeMap::new();
        for Redirect { hashes, uris, .. } in redirects.entries().values() {
            texts.extend(hashes.iter().copied().zip(uris.iter().map(|uri| &**uri)));
        }
        let numbers: BTreeMap<u64, usize> = texts.keys().enumerate().map(|(at, hash)| (*hash, at)).collect();
        let (mut targets, mut sources) = (vec![Vec::new(); texts.len()], vec![Vec::new(); texts.len()]);
        for Redirect { hashes, leads, .. } in redirects.entries().values() {
            let [first, second] = hashes.map(|hash| numbers[&hash]);
            for (from, to, leads) in [(first, second, leads[0]), (second, first, leads[1])] {
                if leads {
                    targets[from].push(to);
                    sources[to].push(from);
                }
            }
        }
        Graph { uris: texts.into_values().collect(), targets, sources }
    }

    /// The URIs by strongly connected component: each leads to every other one in its component (Kosaraju's algorithm,
    /// without recursion, as chains may be long).
    fn components(&self) -> Vec<Vec<usize>> {
        let mut order = Vec::with_capacity(self.uris.len());
        let mut is_seen = vec![false; self.uris.len()];
        for start in 0..self.uris.len() {
            // URIs on the way, each with the number of its targets that were visited.
            let mut way = Vec::new();
            if !is_seen[start] {
                is_seen[start] = true;
                way.push((start, 0));
            }
            while let Some((at, next)) = way.last_mut() {
                match self.targets[*at].get(*next) {
                    Some(&target) => {
                        *next += 1;
                        if !is_seen[target] {
                            is_seen[target] = true;
                            way.push((target, 0));
                        }
                    }
                    None => {
                        order.push(*at);
                        way.pop();
                    }
                }
            }
        }
        let mut components = Vec::new();
        for start in order.into_iter().rev() {
            if !is_seen[start] {
                continue;
            }
            // URIs that are not yet in a component are marked.
            is_seen[start] = false;
            let (mut component, mut at) = (vec![start], 0);
            while let Some(&uri) = component.get(at) {
                at += 1;
                for &source in &self.sources[uri] {
                    if is_seen[source] {
                        is_seen[source] = false;
                        component.push(source);
                    }
                }
            }
            components.push(component);
        }
        components
    }

    /// The circle of a component; `None` if it is one URI that does not redirect to itself.
    fn circle(&self, component: &[usize]) -> Option<Circle> {
        let start = *component.iter().min_by_key(|uri| self.uris[**uri])?;
        if let [only] = component
            && !self.targets[*only].contains(only)
        {
            return None;
        }
        let within: BTreeSet<usize> = component.iter().copied().collect();
        // Breadth first: for each URI, the one that led to it.
        let mut before: BTreeMap<usize, usize> = BTreeMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(uri) = queue.pop_front() {
            let mut targets: Vec<usize> =
                self.targets[uri].iter().copied().filter(|target| within.contains(target)).collect();
            targets.sort_unstable_by_key(|target| self.uris[*target]);
            for target in targets {
                if let std::collections::btree_map::Entry::Vacant(entry) = before.entry(target) {
                    entry.insert(uri);
                    queue.push_back(target);
                }
            }
            if before.contains_key(&start) {
                break;
            }
        }
        let mut way = vec![start];
        let mut at = *before.get(&start)?;
        while at != start {
            way.push(at);
            at = before[&at];
        }
        way[1..].reverse();
        let example = way.iter().take(MOST_SHOWN).map(|uri| self.uris[*uri].to_owned()).collect();
        Some(Circle { uris: component.len() as u64, example })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Redirects between letters.
    fn sample(redirects: &[(u8, u8)]) -> Redirects {
        let mut sample = Redirects::below(None);
        for &(from, to) in redirects {
            let leads = [from <= to, from > to];
            let [first, second] = [from.min(to), from.max(to)];
            let text = |letter: u8| char::from(letter).to_string().into();
            let redirect =
                Redirect { hashes: [first, second].map(u64::from), uris: [text(first), text(second)], leads };
            sample.add(u64::from(first) << 8 | u64::from(second), redirect);
        }
        sample
    }

    #[test]
    fn circles_of_redirects() {
        for (what, redirects, expected) in [
            ("none", &[][..], &[][..]),
            ("a chain", &[(b'a', b'b'), (b'b', b'c'), (b'a', b'c')], &[]),
            ("to itself", &[(b'a', b'a')], &[(1, "a")]),
            ("there and back", &[(b'b', b'a'), (b'a', b'b')], &[(2, "ab")]),
            ("a longer one", &[(b'c', b'a'), (b'a', b'b'), (b'b', b'c')], &[(3, "abc")]),
            ("with a tail", &[(b'd', b'a'), (b'a', b'b'), (b'b', b'a'), (b'b', b'e')], &[(2, "ab")]),
            ("two apart", &[(b'x', b'x'), (b'a', b'b'), (b'b', b'a')], &[(1, "x"), (2, "ab")]),
            (
                "two that share a URI are one, with the shortest way as the example",
                &[(b'a', b'b'), (b'b', b'c'), (b'c', b'a'), (b'a', b'd'), (b'd', b'a')],
                &[(4, "ad")],
            ),
        ] {
            let found = circles(&sample(redirects));
            let found: Vec<_> = found.circles.iter().map(|one| (one.uris, one.example.concat())).collect();
            let expected: Vec<_> = expected.iter().map(|(uris, way)| (*uris, (*way).to_owned())).collect();
            assert_eq!(found, expected, "{what}");
        }
    }

    /// As long as a sample can be: no recursion, no quadratic time.
    #[test]
    fn a_circle_of_all_redirects() {
        let mut sample = Redirects::below(None);
        let most = MOST_PAIRS as u64;
        for number in 0..most {
            let (from, to) = (number, (number + 1) % most);
            let leads = [from <= to, from > to];
            let hashes = [from.min(to), from.max(to)];
            let redirect = Redirect { hashes, uris: hashes.map(|hash| format!("{hash:05}").into()), leads };
            sample.add(number, redirect);
        }
        let found = circles(&sample).circles;
        assert_eq!((found.len(), found[0].uris, found[0].example.len()), (1, most, 10));
        assert_eq!(found[0].example[..2], ["00000", "00001"]);
    }
}
