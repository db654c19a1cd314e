//! The columns of a log, and the fields that make its URI. Every definition is compiled to a shape, whichever engine
//! reads it. A reader puts the fields into slots: one for each column, and some without a column.

use std::sync::Arc;

use urimill_base::error::Result;
use urimill_columns::batch::{Cell, ExtraColumns, Kind, TimeForm, Unit};
use urimill_read::format::keep::Keep;
use urimill_read::format::template::Template;

use super::check::Check;
use super::definition::{Definition, Escapes};
use super::forms::Values;
use super::known_forms::Loose;
use super::notation::Notation;
use super::roles::{Roles, Slot};
use super::secure::Secure;

/// The columns that a log has where the user names them: the time and the host of what is around its lines.
pub const LOG_TIME: &str = "log_time";
/// See [`LOG_TIME`].
pub const LOG_HOST: &str = "log_host";

/// A field that has a slot.
#[derive(Debug, Clone)]
pub(super) struct Column {
    /// Empty where the field has no column of its own: it is part of the URI.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The kind of the field's own values, which get to a column of another unit.
    pub(super) held: Kind,
    pub(super) check: Check,
    /// The form that most clients write.
    pub(super) loose: Option<Loose>,
    /// Whether a backslash in it begins an escape, as servers write them.
    pub(super) is_escaped: bool,
}

/// A column that a user wants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen {
    pub(super) slot: Slot,
    /// A longer text without escapes is its own value. One byte may be a dash, and a number may have a sign.
    pub(super) most: u32,
    /// Whether it may have escapes, as servers write them.
    pub(super) is_escaped: bool,
}

impl Chosen {
    pub(super) fn is_signed(&self) -> bool {
        self.most > 1
    }
}

/// A duration whose column has another unit, because another field or form of lines has it so.
#[derive(Debug, Clone, Copy)]
pub(super) struct OtherUnit {
    pub(super) slot: Slot,
    pub(super) column: Slot,
    pub(super) unit: Unit,
}

/// The columns of a format, and the parts of its URIs.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    pub(super) columns: Vec<Column>,
    pub(super) roles: Roles,
    /// The escapes of the format's texts, and the slots that may contain some once the fields have been found.
    pub(super) escapes: Escapes,
    pub(super) escaped: Vec<(Slot, Escapes)>,
    /// The template of the URI and the slots that it takes, where the user gives one.
    pub(super) made: Option<(Arc<Template>, Arc<[Slot]>)>,
    /// The durations that have another unit than their column.
    pub(super) units: Vec<OtherUnit>,
    /// The forms of values that the format defines.
    values: Values,
    /// The words that mean that a field has no value.
    pub(super) nulls: &'static [&'static str],
    /// Whether a format string describes the fields.
    is_described: bool,
}

impl Shape {
    /// A shape without fields, for a format.
    pub(super) fn of(definition: &Definition) -> Shape {
        Shape { values: definition.values, nulls: definition.nulls, ..Shape::default() }
    }

    /// Whether a text is one of the words for no value.
    #[inline]
    pub(super) fn is_null(&self, text: &[u8]) -> bool {
        self.nulls.iter().any(|word| word.as_bytes() == text)
    }

    /// A shape without fields, for a format string.
    pub(super) fn described() -> Shape {
        Shape { is_described: true, ..Shape::default() }
    }

    /// The parts of a field.
    pub(super) fn notation<'f>(&self, field: &'f str) -> Notation<'f> {
        if self.is_described { Notation::described(field) } else { Notation::of(field) }
    }

    /// The slot of the column `name`; makes it if there is none.
    pub(super) fn column(&mut self, name: &str, kind: Kind) -> Slot {
        let found = (!name.is_empty()).then(|| self.columns.iter().position(|column| column.name == name));
        found.flatten().unwrap_or_else(|| self.new_column(name, kind))
    }

    /// The slot of a duration. Where the column has another unit, the field has a slot of its own.
    fn duration(&mut self, name: &str, unit: Unit) -> Slot {
        let slot = self.column(name, Kind::Micros(unit));
        if self.columns[slot].kind == Kind::Micros(unit) {
            return slot;
        }
        let known = self.units.iter().find(|other| (other.column, other.unit) == (slot, unit));
        if let Some(known) = known {
            return known.slot;
        }
        let own = self.hidden();
        self.columns[own].held = Kind::Micros(unit);
        self.units.push(OtherUnit { slot: own, column: slot, unit });
        own
    }

    /// The slot of a new column; no column may have its name yet.
    pub(super) fn new_column(&mut self, name: &str, kind: Kind) -> Slot {
        let column = Column {
            name: name.to_owned(),
            kind,
            held: kind,
            check: Check::None,
            loose: None,
            is_escaped: false,
        };
        self.columns.push(column);
        self.columns.len() - 1
    }

    /// The parts of a URI that have slots without columns.
    fn parts(&self) -> impl Iterator<Item = (&'static str, Slot)> {
        let roles = &self.roles;
        let parts = [
            ("target", roles.target),
            ("path", roles.path),
            ("query", roles.query),
            ("scheme", roles.scheme),
            ("host", roles.named_host.or(roles.hosts.first().copied())),
            ("port", roles.port),
        ];
        let bare = |&(_, slot): &(&str, Slot)| self.columns[slot].name.is_empty();
        parts.into_iter().filter_map(|(name, slot)| Some((name, slot?))).filter(bare)
    }

    /// The slot of a field that a user names: of a column, or of a part of the URI.
    pub(super) fn find(&self, name: &str) -> Option<Slot> {
        let column = self.columns.iter().position(|column| column.name == name && !name.is_empty());
        column.or_else(|| self.parts().find(|(part, _)| *part == name).map(|(_, slot)| slot))
    }

    /// The name of a slot's field.
    pub(super) fn name_of(&self, slot: Slot) -> &str {
        let name = &self.columns[slot].name;
        let part = || self.parts().find(|&(_, part)| part == slot).map(|(name, _)| name);
        if name.is_empty() { part().unwrap_or("request") } else { name }
    }

    /// The names that a user can give.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let columns = self.columns.iter().map(|column| column.name.as_str()).filter(|name| !name.is_empty());
        columns.chain(self.parts().map(|(name, _)| name))
    }

    fn hidden(&mut self) -> Slot {
        self.column("", Kind::Text)
    }

    /// The slot of a field of a definition, in its [notation](crate::notation).
    pub(super) fn field(&mut self, field: &str) -> Slot {
        let field = self.notation(field);
        let slot = self.bare(field);
        let (check, loose) = field.forms(self.values);
        let column = &mut self.columns[slot];
        column.check = check.unwrap_or(column.check);
        column.loose = loose.or(column.loose);
        slot
    }

    /// The check and the loose form of one field of a definition, without those that other forms of its lines add.
    pub(super) fn alone(&self, field: &str) -> (Check, Option<Loose>) {
        let mut shape = Shape { values: self.values, is_described: self.is_described, ..Shape::default() };
        let slot = shape.field(field);
        (shape.columns[slot].check, shape.columns[slot].loose)
    }

    fn bare(&mut self, field: Notation<'_>) -> Slot {
        let Notation { name, kind: holds, .. } = field;
        let number = |kind| (kind, Check::Number);
        let (kind, check) = match holds {
            unit if let Some(unit) = unit_of(unit) => number(Kind::Micros(unit)),
            "int" | "port" => number(Kind::Int32),
            "long" => number(Kind::Int64),
            "time" | "moment" => (Kind::Time(TimeForm::Any), Check::Time),
            "addr" => (Kind::Text, Check::Address),
            "endpoint" => (Kind::Text, Check::Endpoint),
            "request" => return self.request(),
            "proxied-request" => {
                self.roles.has_errors = true;
                return self.request();
            }
            "method" => return self.method(),
            "plus" => return self.escaped_text(name, Escapes::Plus),
            "cookie" => return self.escaped_text(name, Escapes::CookiePlus),
            "percent" => return self.escaped_text(name, Escapes::Percent),
            "quotes" => return self.escaped_text(name, Escapes::Quotes),
            role => return self.role(name, role),
        };
        let kind = if name == "client" && kind == Kind::Text { Kind::Address } else { kind };
        let slot = match kind {
            Kind::Micros(unit) => self.duration(name, unit),
            kind => self.column(name, kind),
        };
        self.columns[slot].check = check;
        if check == Check::Endpoint {
            // Directly after it: the engines rely on that.
            let port = self.column(&format!("{name}_port"), Kind::Int32);
            debug_assert_eq!(port, slot + 1);
        }
        if holds == "port" {
            self.roles.port = Some(slot);
        }
        if name == "time" {
            self.roles.time = Some(slot);
        }
        if name == "client" {
            self.roles.client = Some(slot);
        }
        slot
    }

    fn escaped_text(&mut self, name: &str, escapes: Escapes) -> Slot {
        let slot = self.column(name, Kind::Text);
        // Several forms may have the field.
        if !self.escaped.contains(&(slot, escapes)) {
            self.escaped.push((slot, escapes));
        }
        slot
    }

    /// The slot of a field that only a later header names: the column that others of its kind have. A field that makes
    /// the URI or its moment gets a slot without a column; other fields get none.
    pub(super) fn later(&mut self, field: &str) -> Option<Slot> {
        let field = Notation::of(field);
        let slot = self.bare_later(field)?;
        let (check, loose) = field.forms(self.values);
        let column = &mut self.columns[slot];
        column.check = check.unwrap_or(column.check);
        column.loose = loose.or(column.loose);
        Some(slot)
    }

    fn bare_later(&mut self, Notation { name, kind: role, .. }: Notation<'_>) -> Option<Slot> {
        let column = self.columns.iter().position(|column| column.name == name && !name.is_empty());
        if let (Some(_), Some(unit)) = (column, unit_of(role)) {
            return Some(self.duration(name, unit));
        }
        if column.is_some() {
            return column;
        }
        let slot = match role {
            "path" | "query" | "url" | "uri" | "scheme" => return Some(self.role("", role)),
            "date" | "clock" if self.roles.time.is_some() => return Some(self.role("", role)),
            "secure" => self.role("", role),
            "host" => {
                let slot = self.hidden();
                self.roles.hosts.push(slot);
                slot
            }
            "port" if self.roles.port.is_none() => {
                let slot = self.hidden();
                *self.roles.port.insert(slot)
            }
            "method" if self.roles.method.is_none() => {
                let slot = self.hidden();
                self.columns[slot].check = Check::Method;
                *self.roles.method.insert(slot)
            }
            _ => return None,
        };
        self.roles.later.push(slot);
        Some(slot)
    }

    /// Whether a field has no column, and only decides the scheme or the client.
    pub(super) fn is_hint(&self, slot: Slot) -> bool {
        let roles = &self.roles;
        let is = |other: Option<Slot>| other == Some(slot);
        self.columns[slot].name.is_empty()
            && (is(roles.peer) || roles.secure.iter().any(|&(secure, _)| secure == slot))
    }

    /// Notes which escapes the texts have, once all columns exist.
    pub(super) fn with_escapes(&mut self, escapes: Escapes) {
        self.escapes = escapes;
        self.roles.is_request_escaped = self.roles.request.is_some_and(|slot| self.columns[slot].is_escaped);
        if escapes == Escapes::None {
            return;
        }
        let roles = &self.roles;
        // These are made of others, or read in parts.
        let others = [roles.extra, roles.prefix, roles.log_time, roles.log_host, roles.rest, roles.request];
        let is_text = |slot: &Slot| {
            let column = &self.columns[*slot];
            column.kind == Kind::Text && !column.is_escaped && !others.contains(&Some(*slot))
        };
        let parts = [roles.path, roles.query, roles.target];
        let of = |slot: Slot| match escapes {
            Escapes::Percent if parts.contains(&Some(slot)) => Escapes::PercentInUri,
            Escapes::Backslash if matches!(&*self.columns[slot].name, "user" | "ident") => {
                Escapes::BackslashInName
            }
            escapes => escapes,
        };
        self.escaped = (0..self.columns.len()).filter(is_text).map(|slot| (slot, of(slot))).collect();
    }

    fn request(&mut self) -> Slot {
        let slot = self.roles.request.unwrap_or_else(|| self.hidden());
        self.columns[slot].check = Check::Request;
        self.roles.request = Some(slot);
        self.method();
        let protocol = self.column("protocol", Kind::Text);
        self.roles.protocol = Some(protocol);
        slot
    }

    fn method(&mut self) -> Slot {
        let slot = self.column("method", Kind::Text);
        self.columns[slot].check = Check::Method;
        self.roles.method = Some(slot);
        slot
    }

    fn role(&mut self, name: &str, role: &str) -> Slot {
        // Names that mean the same share a slot.
        let roles = &self.roles;
        let same = match role {
            "url" | "uri" | "proxied" => roles.target,
            "path" | "whole-path" => roles.path,
            "query" => roles.query,
            "scheme" => roles.scheme,
            "peer" => roles.peer,
            // Several forms of lines may have them.
            "date" if name.is_empty() => roles.date,
            "clock" if name.is_empty() => roles.clock,
            _ => None,
        };
        // No address is required, because servers may look up names.
        let kind = if role == "resolved" { Kind::Client } else { Kind::Text };
        let slot = same.unwrap_or_else(|| self.column(name, kind));
        let roles = &mut self.roles;
        match role {
            "url" => roles.target = Some(slot),
            "proxied" => (roles.target, roles.has_errors) = (Some(slot), true),
            "uri" => (roles.target, roles.may_lack_scheme) = (Some(slot), true),
            "path" => roles.path = Some(slot),
            "whole-path" => (roles.path, roles.may_have_query) = (Some(slot), true),
            "query" => roles.query = Some(slot),
            "scheme" => {
                roles.scheme = Some(slot);
                // A scheme is a token, too.
                self.columns[slot].check = Check::Method;
            }
            "secure" => roles.secure.push((slot, Secure::Says)),
            "listener" => roles.secure.push((slot, Secure::Port)),
            "peer" => roles.peer = Some(slot),
            "protocol" => roles.protocol = Some(slot),
            "rest" => roles.rest = Some(slot),
            "date" => roles.date = Some(slot),
            "clock" => roles.clock = Some(slot),
            "host" | "doubtful-host" => {
                roles.hosts.push(slot);
                if role == "doubtful-host" {
                    roles.doubtful_host = Some(slot);
                }
                let (vhost, port) =
                    (self.column("vhost", Kind::Text), self.column("vhost_port", Kind::Int32));
                (self.roles.vhost, self.roles.vhost_port) = (Some(vhost), Some(port));
            }
            _ => {}
        }
        if matches!(role, "date" | "clock") {
            let time = self.column("time", Kind::Time(TimeForm::Any));
            self.roles.time = Some(time);
        }
        slot
    }

    /// Says that who asked is an address, never a name.
    pub(super) fn has_addresses(&mut self) {
        let clients = self.columns.iter_mut().filter(|column| column.kind == Kind::Client);
        clients.for_each(|column| column.kind = Kind::Address);
    }

    /// The column of the fields that have none of their own.
    pub(super) fn with_extra(&mut self) {
        let slot = self.column("extra", Kind::Text);
        self.roles.extra = Some(slot);
    }

    /// The columns of what is around each line: `prefix` if there is anything; its time and its host if the user names
    /// these columns.
    pub(super) fn with_surroundings(&mut self, unwraps: bool, keep: &Keep) {
        if unwraps {
            let slot = self.column("prefix", Kind::Text);
            self.roles.prefix = Some(slot);
        }
        let (Keep::Names(names) | Keep::AllWith(names) | Keep::AllWithOptional(names) | Keep::AnyOf(names)) =
            keep
        else {
            return;
        };
        if names.iter().any(|name| name == LOG_TIME) {
            self.roles.log_time = Some(self.column(LOG_TIME, Kind::Time(TimeForm::Any)));
        }
        if names.iter().any(|name| name == LOG_HOST) {
            self.roles.log_host = Some(self.column(LOG_HOST, Kind::Text));
        }
    }

    /// Restricts the columns to those that a user wants.
    ///
    /// # Errors
    /// Usage, if no column has one of the names.
    pub(super) fn chosen(&self, keep: &Keep, format: &str) -> Result<(ExtraColumns, Arc<[Chosen]>)> {
        let named = (0..self.columns.len()).filter(|&slot| !self.columns[slot].name.is_empty());
        let (named, names): (Vec<Slot>, Vec<&str>) =
            named.map(|slot| (slot, self.columns[slot].name.as_str())).unzip();
        let slots: Vec<Slot> = keep.numbers(&names, format)?.into_iter().map(|at| named[at]).collect();
        let columns = slots.iter().map(|&slot| (self.columns[slot].name.clone(), self.columns[slot].kind));
        let chosen = |slot: Slot| {
            let Column { kind, check, is_escaped, .. } = self.columns[slot];
            let is_number = matches!(kind, Kind::Int32 | Kind::Int64 | Kind::Micros(_));
            let is_signed = is_number && matches!(check, Check::Number | Check::Signed);
            Chosen { slot, most: if is_signed && !is_escaped { Cell::LONGEST } else { 1 }, is_escaped }
        };
        let chosen = slots.iter().map(|&slot| chosen(slot)).collect();
        Ok((ExtraColumns::new(columns), chosen))
    }
}

/// The unit of a kind of durations.
fn unit_of(kind: &str) -> Option<Unit> {
    Some(match kind {
        "s" => Unit::Seconds,
        "ms" => Unit::Millis,
        "us" => Unit::Micros,
        "ns" => Unit::Nanos,
        "mixed" => Unit::Mixed,
        _ => return None,
    })
}
