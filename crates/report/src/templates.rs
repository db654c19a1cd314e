//! The figure of templates as it is shown: the texts of the sketch are merged by what they have in common
//! ([`Learned`]). States have the texts as they were counted, so that states can be added up before.

use std::collections::BTreeMap;

use urimill_columns::templates::Learned;

use super::counter::{Counter, Distinct, Item};
use super::figure::Figure;

/// The texts of a figure with the greatest sums.
pub(super) fn top(figure: Figure, counter: &Counter, most: usize) -> Vec<Item> {
    if figure != Figure::Template {
        return counter.top(most);
    }
    let mut items = routes(counter);
    items.truncate(most);
    items
}

/// The number of distinct texts of a figure.
pub(super) fn distinct(figure: Figure, counter: &Counter) -> Distinct {
    let counted = counter.distinct();
    if figure != Figure::Template {
        return counted;
    }
    // Templates that the sketch dropped may be of any known route, or of others.
    let routes = routes(counter).len() as u64;
    let upper = if counter.error() == 0 { routes } else { counted.upper.max(routes) };
    Distinct { estimate: routes, lower: routes, upper }
}

fn routes(counter: &Counter) -> Vec<Item> {
    let items = counter.top(usize::MAX);
    let learned = Learned::new(items.iter().map(|item| (&item.text, item.lower)));
    let mut routes: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for item in items {
        let (lower, upper) = routes.entry(learned.route(&item.text)).or_default();
        (*lower, *upper) = (*lower + item.lower, *upper + item.upper);
    }
    let total = counter.total();
    let item = |(text, (lower, upper)): (String, (u64, u64))| Item { text, lower, upper: upper.min(total) };
    let mut routes: Vec<Item> = routes.into_iter().map(item).collect();
    routes.sort_by(|a, b| b.lower.cmp(&a.lower).then_with(|| a.text.cmp(&b.text)));
    routes
}
