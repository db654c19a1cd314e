//! Templates from many examples: if there are so many names at one place below the same beginning that they are values,
//! they become `{…}`.
//!
//! The templates form a tree with a level for each segment. From the top down, names at one place merge if they look
//! alike: pages by their extension, folders if many of their entries have the same names. The result depends only on
//! the templates, not on their order.

use std::collections::{BTreeMap, BTreeSet};

use super::ANY;
use super::words::{ROUTES, has};

/// Levels of the tree; the rest of a template is one text.
const DEEPEST: usize = 12;

/// The number of pages below one folder from which on they are values.
const MANY_PAGES: usize = 8;

/// The number of pages below a host from which on they are values: sites have many pages with names there.
const MANY_FIRST_PAGES: usize = 24;

/// The number of similar folders from which on they are values.
const MANY_FOLDERS: usize = 6;

/// The number of folders from which on they are values whatever they contain, if there is little in each.
const VERY_MANY_FOLDERS: usize = 24;

/// The limit on entries per folder, on average, for "little".
const LITTLE: usize = 4;

/// The parts of a template: its authority with the slash after it, then each segment with its slash, then the query.
pub(super) fn tokens(template: &str) -> impl Iterator<Item = &str> {
    let start = match template.split_once("//") {
        Some((before, _)) if before.is_empty() || before.ends_with(':') => before.len() + 2,
        _ => 0,
    };
    let query = template.find('?').unwrap_or(template.len());
    let first = template[start..query].find('/').map_or(query, |slash| start + slash + 1);
    let (mut at, mut level) = (0, 0);
    std::iter::from_fn(move || {
        if at == template.len() {
            return None;
        }
        let end = match at {
            0 if first > 0 => first,
            _ if at >= query || level >= DEEPEST => template.len(),
            _ => template[at..query].find('/').map_or(query, |slash| at + slash + 1),
        };
        let token = &template[at..end];
        (at, level) = (end, level + 1);
        Some(token)
    })
}

/// Whether a part is a name that could be a value.
pub(super) fn is_literal(token: &str) -> bool {
    let name = token.trim_end_matches('/');
    !(name.is_empty() || token.starts_with(['?', '{']) || name.contains(':') || has(ROUTES, name))
}

/// Whether a part is a placeholder that `{…}` may replace.
fn is_text(token: &str) -> bool {
    ["{slug}", "{text}", "{id}", "{…}", "{token}", "{hash}", "{numbers}"]
        .iter()
        .any(|text| token.starts_with(text))
}

/// The form of a part: everything after its last dot, and a slash if it is a folder.
fn form(token: &str) -> &str {
    let name = token.strip_suffix('/').unwrap_or(token);
    let dot = name.rfind('.').filter(|dot| *dot > 0 && matches!(name.len() - dot, 2..=6));
    &token[dot.unwrap_or(name.len())..]
}

/// A part whose name is a value.
pub(super) fn merged_token(token: &str) -> String {
    format!("{ANY}{}", form(token))
}

#[derive(Debug, Default)]
struct Node {
    children: BTreeMap<String, Node>,
    /// The sum of the templates that pass through this part or end here.
    sum: u64,
    ends: bool,
    /// Placeholders that are rare here, and the ones that replace them.
    rare: BTreeMap<String, String>,
}

impl Node {
    fn add<'a>(&mut self, mut tokens: impl Iterator<Item = &'a str>, sum: u64) {
        self.sum = self.sum.saturating_add(sum);
        match tokens.next() {
            None => self.ends = true,
            Some(token) => {
                if !self.children.contains_key(token) {
                    self.children.insert(token.to_owned(), Node::default());
                }
                if let Some(child) = self.children.get_mut(token) {
                    child.add(tokens, sum);
                }
            }
        }
    }

    fn join(&mut self, other: Node) {
        self.sum = self.sum.saturating_add(other.sum);
        self.ends |= other.ends;
        self.rare.extend(other.rare);
        for (token, child) in other.children {
            self.children.entry(token).or_default().join(child);
        }
    }

    fn merge(&mut self, level: usize) {
        if level > 0 {
            self.merge_pages(level);
            self.merge_folders();
            self.merge_rare();
        }
        self.children.values_mut().for_each(|child| child.merge(level + 1));
    }

    /// Moves these children to `{…}` with their form.
    fn replace(&mut self, tokens: &[String]) {
        for token in tokens {
            if let Some(child) = self.children.remove(token) {
                self.children.entry(merged_token(token)).or_default().join(child);
            }
        }
    }

    fn merge_pages(&mut self, level: usize) {
        let mut forms: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let pages = self.children.iter().filter(|(token, child)| child.is_page() && is_literal(token));
        for (token, _) in pages {
            forms.entry(form(token).to_owned()).or_default().push(token.clone());
        }
        let most = if level == 1 { MANY_FIRST_PAGES } else { MANY_PAGES };
        for (form, names) in forms {
            let others: Vec<(String, u64)> = self.placeholders(&form);
            let texts: u64 = others.iter().filter(|(token, _)| is_text(token)).map(|(_, sum)| *sum).sum();
            let sums: u64 = names.iter().map(|name| self.children[name].sum).sum();
            let chosen: Vec<String> = if names.len() >= most {
                names
            } else if texts > 0 && texts >= sums / 4 {
                // Next to titles of many words, those of two words are titles, too.
                names
                    .into_iter()
                    .filter(|name| name.contains(['-', '_']) || texts >= 4 * sums.max(4))
                    .collect()
            } else {
                continue;
            };
            let sum: u64 = chosen.iter().map(|name| self.children[name].sum).sum();
            self.replace(&chosen);
            if !chosen.is_empty() {
                let joins = |(token, own): &(String, u64)| {
                    is_text(token) || (token.starts_with("{number}") && *own < sum / 2)
                };
                let joined: Vec<String> = others.into_iter().filter(joins).map(|(token, _)| token).collect();
                self.replace(&joined);
            }
        }
    }

    /// Placeholders of a form, with their sums.
    fn placeholders(&self, of: &str) -> Vec<(String, u64)> {
        let children = self.children.iter();
        let fits = |token: &str| token.starts_with('{') && !token.starts_with(ANY) && form(token) == of;
        children.filter(|(token, _)| fits(token)).map(|(token, child)| (token.clone(), child.sum)).collect()
    }

    fn merge_folders(&mut self) {
        let folders = self.children.iter().filter(|(token, child)| !child.is_page() && is_literal(token));
        let names: Vec<String> = folders.map(|(token, _)| token.clone()).collect();
        if names.len() < MANY_FOLDERS {
            return;
        }
        let inside: Vec<Vec<String>> = names.iter().map(|name| self.children[name].inside()).collect();
        let entries: usize = inside.iter().map(Vec::len).sum();
        let chosen: Vec<String> = if names.len() >= VERY_MANY_FOLDERS && entries <= LITTLE * names.len() {
            names
        } else {
            let mut common: BTreeMap<String, usize> = BTreeMap::new();
            inside.iter().flatten().for_each(|text| *common.entry(text.clone()).or_default() += 1);
            let least = 3.max(names.len() * 3 / 10);
            let is_alike = |inside: &Vec<String>| inside.iter().any(|text| common[text] >= least);
            let alike = names.iter().zip(&inside).filter(|(_, inside)| is_alike(inside));
            alike.map(|(name, _)| name.clone()).collect()
        };
        if chosen.len() >= MANY_FOLDERS {
            self.replace(&chosen);
            let others: Vec<String> = self.placeholders("/").into_iter().map(|(token, _)| token).collect();
            let others: Vec<String> = others.into_iter().filter(|token| is_text(token)).collect();
            self.replace(&others);
        }
    }

    /// Placeholders that are rare compared with another of the same form: an identifier may look like a word.
    fn merge_rare(&mut self) {
        let forms: BTreeSet<String> =
            self.children.keys().filter(|token| is_text(token)).map(|token| form(token).to_owned()).collect();
        for form in forms {
            let of_form =
                self.children.iter().filter(|(token, _)| is_text(token) && self::form(token) == form);
            let mut texts: Vec<(u64, String)> =
                of_form.map(|(token, child)| (child.sum, token.clone())).collect();
            texts.sort();
            let Some((most, main)) = texts.pop() else { continue };
            for (_, token) in texts.into_iter().filter(|(sum, _)| *sum <= most / 4) {
                if let Some(child) = self.children.remove(&token) {
                    self.children.entry(main.clone()).or_default().join(child);
                    self.rare.insert(token, main.clone());
                }
            }
        }
    }

    /// Whether only queries are below it.
    fn is_page(&self) -> bool {
        self.children.keys().all(|token| token.starts_with('?'))
    }

    /// The names that similar folders share: names and placeholders one and two levels below.
    fn inside(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (token, child) in &self.children {
            found.push(token.clone());
            found.extend(child.children.keys().map(|below| format!("*/{below}")));
        }
        found.sort();
        found.dedup();
        found
    }
}

/// The routes in many templates. Made from templates with their sums; then it returns the route of each template.
///
/// ```
/// use urimill::templates::Learned;
///
/// let names = ["anna", "bob", "carla", "dan", "eve", "fritz", "greta", "hans"];
/// let learned = Learned::new(names.iter().map(|name| (format!("//h/users/{name}"), 1)));
/// assert_eq!(learned.route("//h/users/greta"), "//h/users/{…}");
/// assert_eq!(learned.route("//h/users/zoe"), "//h/users/{…}");
/// assert_eq!(learned.route("//h/about"), "//h/about");
/// ```
#[derive(Debug)]
pub struct Learned {
    root: Node,
}

impl Learned {
    /// Learns from templates, each with its number of occurrences. Takes memory for all of them.
    pub fn new<T: AsRef<str>>(templates: impl IntoIterator<Item = (T, u64)>) -> Learned {
        let mut root = Node::default();
        for (template, sum) in templates {
            root.add(tokens(template.as_ref()), sum);
        }
        root.merge(0);
        Learned { root }
    }

    /// The route of a template.
    pub fn route(&self, template: &str) -> String {
        let mut out = String::with_capacity(template.len());
        let mut node = Some(&self.root);
        for token in tokens(template) {
            let children = node.map(|node| &node.children);
            if let Some(child) = children.and_then(|children| children.get(token)) {
                out.push_str(token);
                node = Some(child);
                continue;
            }
            let may_merge = is_literal(token) || is_text(token) || token.starts_with("{number}");
            let main = node.and_then(|node| node.rare.get(token)).cloned();
            let merged = main.unwrap_or_else(|| merged_token(token));
            node = children.filter(|_| may_merge).and_then(|children| children.get(&merged));
            out.push_str(if node.is_some() { &merged } else { token });
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_templates() {
        for (template, expected) in [
            ("", &[][..]),
            ("/", &["/"]),
            ("/a/b?c={…}", &["/", "a/", "b", "?c={…}"]),
            ("//h/a/", &["//h/", "a/"]),
            ("//h?q={…}", &["//h", "?q={…}"]),
            ("ftp://h/a", &["ftp://h/", "a"]),
            ("a/b", &["a/", "b"]),
            ("mailto:{…}", &["mailto:{…}"]),
        ] {
            let parts: Vec<&str> = tokens(template).collect();
            assert_eq!(parts.concat(), template);
            assert_eq!(parts, expected, "{template}");
        }
    }

    #[test]
    fn names_that_are_many_are_values() {
        let names = ["ann", "bob", "cat", "dan", "eve", "fay", "gus", "hal", "ida"];
        let all = |make: &dyn Fn(&str) -> String| -> Vec<(String, u64)> {
            names.iter().map(|name| (make(name), 1)).collect()
        };
        let few = vec![("//h/about".to_owned(), 9), ("//h/x/one".to_owned(), 1), ("//h/x/two".to_owned(), 1)];
        for (templates, asked, expected, why) in [
            (
                all(&|n| format!("//h/{n}/repo/issues")),
                "//h/eve/repo/issues",
                "//h/{…}/repo/issues",
                "folders alike",
            ),
            (
                all(&|n| format!("//h/{n}/{n}{n}")),
                "//h/eve/eveeve",
                "//h/eve/eveeve",
                "nothing is alike in them",
            ),
            (all(&|n| format!("//h/w/{n}.html")), "//h/w/zoe.html", "//h/w/{…}.html", "pages of one form"),
            (all(&|n| format!("//h/w/{n}.html")), "//h/w/zoe.css", "//h/w/zoe.css", "another form"),
            (all(&|n| format!("//h/{n}")), "//h/eve", "//h/eve", "first pages are many only above 24"),
            (all(&|n| format!("//{n}.example/")), "//eve.example/", "//eve.example/", "hosts stay"),
            (few, "//h/x/one", "//h/x/one", "two are few"),
            (
                all(&|n| format!("/u/{n}?page={{number}}")),
                "/u/ida",
                "/u/{…}",
                "a query stands behind the page",
            ),
        ] {
            let learned = Learned::new(templates.iter().map(|(text, sum)| (text, *sum)));
            assert_eq!(learned.route(asked), expected, "{why}");
            let mut reversed = templates;
            reversed.reverse();
            assert_eq!(Learned::new(reversed).route(asked), expected, "the order of templates");
        }
    }
}
