//! The members of the first objects of an input, with their values.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::names::{NEUTRAL, words};
use super::values::Sample;

/// Objects within objects are looked at up to this depth.
const DEPTH: usize = 6;
/// At most this many members are looked at.
const MOST: usize = 512;

/// A member at a path.
#[derive(Debug)]
pub(super) struct Member {
    /// The path, as a format file has it.
    pub(super) path: String,
    /// The number of names in it.
    pub(super) depth: usize,
    /// What it may be called: its words without separators, also without neutral ones at the beginning.
    pub(super) names: Vec<String>,
    /// Its values that are not null, one for each object that has it.
    pub(super) values: Vec<Sample>,
    /// The number of objects that have it.
    pub(super) count: usize,
    /// Whether it is an element of an array.
    pub(super) is_element: bool,
}

/// The members of all objects, in their order.
#[derive(Debug, Default)]
pub(super) struct Members {
    pub(super) all: Vec<Member>,
    places: HashMap<String, usize>,
}

/// The names before a member.
#[derive(Debug, Clone, Default)]
struct Before {
    path: String,
    words: Vec<String>,
    depth: usize,
    is_element: bool,
}

impl Members {
    pub(super) fn of<'o>(objects: impl IntoIterator<Item = &'o Map<String, Value>>) -> Members {
        let mut members = Members::default();
        objects.into_iter().for_each(|object| members.object(object, &Before::default()));
        members
    }

    fn object(&mut self, object: &Map<String, Value>, before: &Before) {
        for (name, value) in object {
            let Some(path) = before.path_of(name) else { continue };
            // Most members have been in an object before.
            match (Sample::of(value), self.places.get(&path)) {
                (Some(sample), Some(&at)) => self.all[at].add(Some(sample)),
                _ => self.value(value, &before.named(name, path)),
            }
        }
    }

    fn value(&mut self, value: &Value, place: &Before) {
        let sample = match value {
            Value::Null => return self.add(place, None),
            Value::Object(inner) => {
                if place.depth < DEPTH {
                    self.object(inner, place);
                }
                Sample::Object
            }
            Value::Array(elements) => {
                if place.depth < DEPTH {
                    self.array(elements, place);
                }
                return;
            }
            _ => return self.add(place, Sample::of(value)),
        };
        self.add(place, Some(sample));
    }

    /// The first of several values; or, where the elements are names and values, that of each name.
    fn array(&mut self, elements: &[Value], place: &Before) {
        let named = elements.iter().filter_map(|element| {
            let object = element.as_object()?;
            let name = object.get("name")?.as_str()?;
            Some((name, object.get("value")?))
        });
        for (name, value) in named {
            let Some(path) = place.path_of(name).filter(|_| !name.contains([']', '['])) else { continue };
            let mut inner = place.named(name, path);
            inner.path = format!("{}[name={name}].value", place.path);
            inner.is_element = true;
            self.value(value, &inner);
        }
        if let Some(first @ (Value::String(_) | Value::Number(_))) = elements.first() {
            let path = format!("{}[0]", place.path);
            self.value(first, &Before { path, is_element: true, ..place.clone() });
        }
    }

    fn add(&mut self, place: &Before, sample: Option<Sample>) {
        let at = match self.places.get(&place.path) {
            Some(&at) => at,
            None if self.all.len() == MOST => return,
            None => {
                self.places.insert(place.path.clone(), self.all.len());
                self.all.push(place.member());
                self.all.len() - 1
            }
        };
        self.all[at].add(sample);
    }
}

impl Member {
    fn add(&mut self, sample: Option<Sample>) {
        self.values.extend(sample);
        self.count += 1;
    }
}

impl Before {
    /// The path of a member with this name; `None` if no path can have it.
    fn path_of(&self, name: &str) -> Option<String> {
        let before = &self.path;
        Some(match name {
            "" => return None,
            _ if name.contains(['"', '|']) || name.chars().any(char::is_control) => return None,
            _ if name.contains(['.', '[', ']']) => format!("{before}[\"{name}\"]"),
            _ if before.is_empty() => name.to_owned(),
            _ => format!("{before}.{name}"),
        })
    }

    /// The place of the member with this name and path.
    fn named(&self, name: &str, path: String) -> Before {
        let mut next = Before { path, depth: self.depth + 1, ..self.clone() };
        words(name, &mut next.words);
        next
    }

    fn member(&self) -> Member {
        let neutral = self.words.iter().take_while(|word| NEUTRAL.contains(&word.as_str())).count();
        // Neutral words may stand between others, too: `requestContext.http.path`.
        let last = self.words.len().saturating_sub(1);
        let is_telling = |&(at, word): &(usize, &String)| at == last || !NEUTRAL.contains(&word.as_str());
        let mut telling: Vec<&str> =
            self.words.iter().enumerate().filter(is_telling).map(|(_, word)| word.as_str()).collect();
        telling.dedup();
        let names = (0..=neutral.min(last)).map(|from| self.words[from..].concat());
        Member {
            path: self.path.clone(),
            depth: self.depth,
            names: names.chain([telling.concat()]).collect(),
            values: Vec::new(),
            count: 0,
            is_element: self.is_element,
        }
    }
}
