//! Reads the lines of a log: unwraps each, has its engine find the fields, makes its URI, and keeps the cells.

use std::borrow::Cow;

use memchr::memchr;
use urimill_columns::batch::{Cell, Kind, Records, Text};
use urimill_read::format::fields::Layout;
use urimill_read::format::json::Value;
use urimill_read::format::short_search::find;
use urimill_read::format::{line_end, log_line, span};
use urimill_uri::simd::Span;

use super::check::{Check, endpoint, is_number, is_value};
use super::definition::{Escapes, Form, HeaderKind};
use super::escapes::as_json;
use super::found::Found;
use super::headed::Header;
use super::named::{Slots, align, empty, owned, split};
use super::objects::{Object, Tree};
use super::pattern::Pattern;
use super::roles::Slot;
use super::shape::Chosen;
use super::state::State;
use super::target::{self, Line};
use super::wrappers::parts;
use super::{Engine, Log, access};

impl Log {
    /// Finds records: see [`urimill_read::format::RecordFormat::find`].
    pub(super) fn read(
        &self,
        layout: &Layout,
        bytes: &[u8],
        (from, most): (usize, usize),
        records: &mut Records,
    ) -> usize {
        let mut state = self.state();
        if let Engine::Named(head, slots) = &self.engine {
            // A header before this place, in the chunk or before it.
            let names = head.last(&bytes[..from]).unwrap_or_else(|| layout.names.to_vec());
            let names = match (names.is_empty(), head.orders()) {
                (true, [known, ..]) => owned(known),
                _ => names,
            };
            state.main = head.header().is_list(&names).then_some(names.len());
            state.header = self.header(names, *head, slots);
        }
        let mut unfinished = layout.unfinished;
        let column = self.column();
        let unwraps = !self.wrappers.is_empty();
        if unwraps && from > 0 {
            parts::follow(&mut unfinished, &bytes[..from]);
        }
        let begins_with_space = match &self.engine {
            // If a header names the fields, the first one may be empty.
            Engine::Named(..) => true,
            Engine::Lines(forms) => forms.iter().any(Pattern::begins_with_space),
            _ => false,
        };
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let fields = column.map(|column| (column, column.record(bytes, at)));
            let (end, next) = match &fields {
                Some((_, fields)) => (fields.stop, fields.next),
                None => {
                    let newline = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
                    (line_end(bytes, at, newline), newline + 1)
                }
            };
            let (start, first) = log_line(bytes, (at, end), records);
            at = next.min(bytes.len());
            let is_header =
                fields.as_ref().is_some_and(|(column, fields)| column.is_header(bytes, fields.line));
            if is_header
                || bytes[first..end].trim_ascii_start().is_empty()
                || self.is_comment(&bytes[start..end], &mut state)
            {
                records.push_blank();
                continue;
            }
            state.found.reset(self.shape.columns.len());
            state.may_have_escapes = true;
            // A space before a quote of CSV is no part of the field.
            let is_quoted =
                matches!(&self.engine, Engine::Named(HeaderKind::Csv(_), _) if bytes[first] == b'"');
            let first = if begins_with_space && !is_quoted { start } else { first };
            let whole = span(start, end);
            let line = Line { chunk: bytes, bytes, start: first, end, shift: None, origin: None, whole };
            if !unwraps {
                self.record(&line, &mut state, records);
                continue;
            }
            state.around.clear();
            if let Some((column, fields)) = &fields {
                self.in_column(&line, (column, fields), &mut state, records);
                continue;
            }
            match parts::part(&mut unfinished, &bytes[first..end]) {
                // Only the whole object shows whose fields they are.
                Some(tag) => {
                    state.around.put_text(span(first, first + tag + 1));
                    state.parts.clear();
                    self.finish(&line, Err(first + tag), &mut state, records);
                }
                None => self.within(&line, &self.wrappers, &mut state, records),
            }
        }
        at
    }

    /// Whether a line is a comment; it may be the header of the lines after it.
    fn is_comment(&self, line: &[u8], state: &mut State<'_>) -> bool {
        let Engine::Named(head, slots) = &self.engine else { return false };
        if !head.is_comment(line) {
            return false;
        }
        if let Some(names) = head.names(line) {
            state.main = None;
            state.header = self.header(names, *head, slots);
        }
        true
    }

    pub(super) fn header(&self, names: Vec<String>, head: HeaderKind, slots: &Slots) -> Header {
        let Form::Named { fields, .. } = self.definition.form else { return Header::default() };
        Header::new(names, slots, (&self.shape, fields), head)
    }

    pub(super) fn record<'a>(&'a self, line: &Line<'_>, state: &mut State<'a>, records: &mut Records) {
        if self.definition.skips(&line.bytes[line.start..line.end]) {
            return records.push_blank();
        }
        let read = match &self.engine {
            Engine::Lines(_) => self.in_places(line, state),
            Engine::Objects(tree) => {
                let read = self.object(tree, line, state, records);
                if let (Err(fault), true) = (read, self.definition.has_escapes_beside_json())
                    && line.bytes.get(fault..).is_some_and(|rest| rest.starts_with(b"\\x"))
                    && let Some(json) = as_json(&line.bytes[line.start..line.end])
                {
                    state.found.reset(self.shape.columns.len());
                    let Text::Unescaped(Span { start: shift, .. }) =
                        records.unescape(|out| out.extend_from_slice(&json))
                    else {
                        return;
                    };
                    let end = json.len();
                    let line =
                        Line { bytes: &json, start: 0, end, shift: Some(shift), origin: None, ..*line };
                    let read = self.object(tree, &line, state, records);
                    return self.finish(&line, read, state, records);
                }
                read
            }
            Engine::Pairs(pairs) => self.pairs(pairs, line, (&mut state.found, &mut state.pairs), records),
            Engine::Named(head, slots) => {
                let bytes = &line.bytes[..line.end];
                let between = head.between(&bytes[line.start..]);
                split(line.bytes, (line.start, line.end), between, &mut state.parts);
                if matches!(head, HeaderKind::Extended(header) if header.orders.is_empty()) {
                    align(bytes, &mut state.parts, state.header.names.len());
                }
                if matches!(head, HeaderKind::Zeek(_)) {
                    empty(bytes, &mut state.parts);
                }
                if let Some(main) = state.main.filter(|_| state.parts.len() != state.header.names.len()) {
                    self.take_list(main, (*head, slots), state);
                }
                state.header.place((bytes, line), &mut state.parts, &mut state.found, records)
            }
            Engine::Clf => {
                let read = access::read(line, self.shape.roles.is_bare, &mut state.found, records);
                if self.wrappers.is_empty() { read } else { self.whole(line, read, state, records) }
            }
        };
        self.finish(line, read, state, records);
    }

    /// The fields of an object. If a member has come twice, no field is certain.
    fn object<'a>(
        &self,
        tree: &'a Tree,
        line: &Line<'_>,
        state: &mut State<'a>,
        records: &mut Records,
    ) -> Result<(), usize> {
        let keeps = self.chosen.iter().any(|column| Some(column.slot) == self.shape.roles.extra);
        let found = &mut state.found;
        let each = |slot: Slot, value: Value, is_one_of_several: bool| {
            // An object or an array is not a value of a field, but its presence may show that TLS was used.
            let is_plain = !matches!(line.bytes[value.whole.start as usize], b'{' | b'[')
                || self.shape.roles.secure.iter().any(|&(secure, _)| secure == slot);
            let is_free = is_plain && found.get(slot).is_none() && !value.is_null();
            if is_free {
                let text = text_of(line, value, records);
                let bytes = records.bytes_of(line.chunk, text);
                if is_one_of_several && !is_value(bytes, self.shape.columns[slot].check) {
                    return false;
                }
                if !self.is_right(slot, bytes) {
                    found.refuse(slot);
                    return false;
                }
                found.set(slot, text);
                if keeps && !self.holds(slot, bytes) {
                    return false;
                }
            }
            // Fields that only decide the scheme or the client have no column, and stay among the others.
            is_free && !self.shape.is_hint(slot) || value.is_null()
        };
        let mut object = Object { bytes: line.bytes, others: &mut state.others, keeps, each };
        let read = object.read(tree, line.start, line.end);
        if !object.others.is_certain() {
            found.reset(self.shape.columns.len());
        }
        read
    }

    /// Whether the value of a member has the form of its column: the name alone proves its place. The column itself
    /// shows a value that should be a number and is not.
    #[inline]
    pub(super) fn is_right(&self, slot: Slot, text: &[u8]) -> bool {
        let column = &self.shape.columns[slot];
        match column.check {
            Check::None | Check::Number | Check::Time | Check::Request => true,
            Check::Address | Check::Endpoint if column.kind != Kind::Text => true,
            Check::Form(form) if column.name.is_empty() => {
                text.is_empty() || form.has(text) || self.shape.is_null(text)
            }
            _ if column.name.is_empty() || text.is_empty() || self.shape.is_null(text) => true,
            check => is_value(text, check) || column.kind != Kind::Text && !is_number(text),
        }
    }

    /// Pushes the record whose fields were found, or that of a line that is malformed from a byte on.
    pub(super) fn finish(
        &self,
        line: &Line<'_>,
        read: Result<(), usize>,
        state: &mut State<'_>,
        records: &mut Records,
    ) {
        if !self.wrappers.is_empty() {
            // What would be certain in a line may be a part of a wrapper.
            if read.is_err() && state.around.lacks_wrapper {
                state.found.reset(self.shape.columns.len());
            }
            self.put_surroundings(state);
        }
        if !self.shape.nulls.is_empty() {
            self.nulls(line, &mut state.found, records);
        }
        match (&self.engine, self.shape.roles.extra) {
            (Engine::Objects(_), Some(slot)) if read.is_ok() => {
                state.found.put(slot, state.others.object(line.bytes, records));
            }
            (Engine::Pairs(_), Some(slot)) if read.is_ok() => {
                state.found.put(slot, state.pairs.object(line, &self.shape, records));
            }
            (Engine::Named(..), Some(slot)) => {
                let text = state.header.extra(line, (&self.shape, &state.parts), records);
                state.found.put(slot, text);
            }
            _ => {}
        }
        self.plain(line, state, records);
        // `access` has read addresses, ports and times already.
        let is_clf = matches!(self.engine, Engine::Clf);
        if !is_clf {
            self.ends(line, &mut state.found, records);
        }
        match read {
            Ok(()) => {
                let found = (&mut state.found, state.may_have_escapes);
                target::push(&self.shape, line, found, &mut state.base, records);
            }
            Err(fault) => {
                if self.shape.roles.is_bare {
                    target::parts_of_request(&self.shape.roles, line, &mut state.found, records);
                }
                records.push_misfit(line.whole, line.fault(fault));
            }
        }
        if !is_clf {
            self.moment(line, state, records);
        }
        self.units(line, &mut state.found, records);
        self.values(line, state, records);
        let cells = state.found.cells();
        match state.are_in_order {
            true => records.keep(cells[..self.chosen.len()].iter().copied()),
            false => records.keep(self.chosen.iter().map(|column| cells[column.slot])),
        }
    }

    /// Undoes the escapes of the format in its fields, if the line may have any.
    #[inline]
    fn plain(&self, line: &Line<'_>, state: &mut State<'_>, records: &mut Records) {
        // Each field has its own escapes, if the format has none.
        let mark = self.shape.escapes.mark();
        let has_any = mark.is_none_or(|mark| match line.shift {
            None => state.marks.may_be_in(mark, line.bytes, span(line.start, line.end)),
            Some(_) => memchr(mark, &line.bytes[line.start..line.end]).is_some(),
        });
        match has_any {
            true => self.undo_all(line, mark, state, records),
            false => state.may_have_escapes &= mark != Some(b'\\'),
        }
    }

    /// The same for a line that may have some.
    fn undo_all(&self, line: &Line<'_>, mark: Option<u8>, state: &mut State<'_>, records: &mut Records) {
        let State { found, marks, .. } = state;
        for &(slot, escapes) in &self.shape.escaped {
            if let (Some(mark), Some(Text::Read(span)), None) = (mark, found.get(slot), line.shift)
                && !marks.may_be_in(mark, line.bytes, span)
            {
                continue;
            }
            self.undo(line, (slot, escapes), found, records);
        }
    }

    /// Undoes the escapes of a field. A text that would not be UTF-8 stays as it is written, unless it is a part of the
    /// URI; then its row shows the fault.
    fn undo(
        &self,
        line: &Line<'_>,
        (slot, escapes): (Slot, Escapes),
        found: &mut Found,
        records: &mut Records,
    ) {
        let Some(text) = found.get(slot) else { return };
        let Cow::Owned(plain) = escapes.undo(records.bytes_of(line.chunk, text)) else { return };
        if self.shape.columns[slot].name.is_empty() || std::str::from_utf8(&plain).is_ok() {
            found.set(slot, records.unescape(|out| out.extend_from_slice(&plain)));
        }
    }

    /// Finds out who the client is, and takes ports off addresses.
    fn ends(&self, line: &Line<'_>, found: &mut Found, records: &Records) {
        self.peer(line, found, records);
        if matches!(self.engine, Engine::Objects(_)) {
            self.forwarded(line, found, records);
        }
        let is_proved = matches!(self.engine, Engine::Lines(_));
        for &slot in &*self.endpoints {
            divide(line, slot, (found, is_proved), records);
        }
    }

    /// Takes the address at the other end of the connection as the client's, if no field has the client's.
    fn peer(&self, line: &Line<'_>, found: &mut Found, records: &Records) {
        let (Some(peer), Some(client)) = (self.shape.roles.peer, self.shape.roles.client) else { return };
        let Some(text) = found.get(peer) else { return };
        let is_none = |text: Text| matches!(records.bytes_of(line.chunk, text), b"" | b"-");
        if found.get(client).is_none_or(is_none) {
            found.set(client, text);
        }
        if let Some((address, _)) = endpoint(records.bytes_of(line.chunk, text)) {
            let open = u32::from(address.starts_with(b"["));
            found.set(peer, text.part(open, address.len() as u32 - 2 * open));
        }
    }

    /// Moves a list of addresses in the place of the client to the field of lists. The first address of the list is the
    /// client's, as in access logs.
    fn forwarded(&self, line: &Line<'_>, found: &mut Found, records: &Records) {
        let Some((slot, client)) = self.shape.roles.client.and_then(|slot| Some((slot, found.get(slot)?)))
        else {
            return;
        };
        let bytes = records.bytes_of(line.chunk, client);
        let Some(comma) = memchr(b',', bytes) else { return };
        if bytes.split(|&b| b == b',').any(|part| endpoint(part.trim_ascii()).is_none()) {
            return;
        }
        let Some(list) = self.shape.find("forwarded_for") else { return };
        let first = bytes[..comma].trim_ascii();
        let from = bytes.len() - bytes.trim_ascii_start().len();
        if found.get(list).is_none() {
            found.set(list, client);
        }
        found.set(slot, client.part(from as u32, first.len() as u32));
    }

    /// The form of a line; or the fields that are certain, of the form that it follows longest.
    fn in_places(&self, line: &Line<'_>, state: &mut State<'_>) -> Result<(), usize> {
        let Engine::Lines(forms) = &self.engine else { return Ok(()) };
        let (bytes, start) = (Pattern::trim_end(forms, &line.bytes[..line.end], line.start), line.start);
        let found = &mut state.found;
        let mut put = |slot: Slot, field: Option<Span>| {
            // An empty text is null, unless quotes or brackets enclose it.
            let is_word = |span: &Span| !b"\"[({".contains(&bytes[(span.start as usize).saturating_sub(1)]);
            let field = field.filter(|span| span.len > 0 || !is_word(span));
            found.put(slot, field.map(|span| line.text(span)));
        };
        match Pattern::read_first(forms, bytes, start, &mut put) {
            Ok(read) => {
                state.may_have_escapes = read.has_backslash;
                Ok(())
            }
            Err(None) => Ok(()),
            Err(Some((form, fault))) => {
                form.certain(bytes, start).into_iter().for_each(|(slot, span)| put(slot, Some(span)));
                Err(fault)
            }
        }
    }

    /// Date and time of day make one moment.
    fn moment(&self, line: &Line<'_>, state: &mut State<'_>, records: &mut Records) {
        let roles = &self.shape.roles;
        let Some(time) = roles.time.filter(|_| roles.clock.is_some() || roles.date.is_some()) else { return };
        let get = |slot: Option<Slot>| slot.and_then(|slot| state.found.get(slot));
        let moment = match (get(roles.date), get(roles.clock)) {
            (Some(Text::Read(date)), Some(Text::Read(clock)))
                if clock.start == date.start + date.len + 1
                    && matches!(line.chunk[clock.start as usize - 1], b' ' | b'\t') =>
            {
                Some(Text::Read(Span { start: date.start, len: date.len + 1 + clock.len }))
            }
            (Some(date), Some(clock)) => {
                let text =
                    [records.bytes_of(line.chunk, date), b" ", records.bytes_of(line.chunk, clock)].concat();
                Some(records.unescape(|out| out.extend_from_slice(&text)))
            }
            (date, clock) => date.or(clock),
        };
        state.found.put(time, moment);
    }

    /// Turns the texts of the columns into values: a dash means null, and escapes are undone.
    fn values(&self, line: &Line<'_>, state: &mut State<'_>, records: &mut Records) {
        let cells = state.found.cells();
        for column in &*self.chosen {
            let cell = cells[column.slot];
            if cell.is_within(column.most) {
                match cell.span().map(|text| &line.chunk[text.start as usize..][..text.len as usize]) {
                    Some(b"-") => cells[column.slot] = Cell::NULL,
                    Some([b'0'..=b'9', ..]) => {}
                    _ => cells[column.slot] = self.value(line, (cell, column), records),
                }
            }
        }
        if state.may_have_escapes {
            for column in self.chosen.iter().filter(|column| column.is_escaped) {
                self.undo(line, (column.slot, Escapes::Backslash), &mut state.found, records);
            }
        }
    }

    /// The value of a text that may be a dash, be empty or begin with a sign.
    fn value(&self, line: &Line<'_>, (cell, column): (Cell, &Chosen), records: &Records) -> Cell {
        let Some(text) = cell.text() else { return cell };
        match records.bytes_of(line.chunk, text) {
            [] if self.shape.columns[column.slot].kind != Kind::Text && !self.shape.roles.is_bare => {
                Cell::NULL
            }
            // An escaped dash is one that was sent.
            b"-" if line.shift.is_some() || matches!(text, Text::Read(_)) => Cell::NULL,
            // HAProxy writes a plus where a number was still growing.
            [b'+', digits @ ..] if column.is_signed() => text.part(1, digits.len() as u32).into(),
            _ => cell,
        }
    }
}

/// The text of a value, which the line may hold as it is.
fn text_of(line: &Line<'_>, value: Value, records: &mut Records) -> Text {
    match value.text(line.bytes, records) {
        Text::Read(span) => line.text(span),
        unescaped => unescaped,
    }
}

/// Takes the port off an address. If the address `is_proved`, a single colon in IPv4 precedes the port.
fn divide(line: &Line<'_>, slot: Slot, (found, is_proved): (&mut Found, bool), records: &Records) {
    let Some(text) = found.get(slot) else { return };
    let bytes = records.bytes_of(line.chunk, text);
    let Some((address, port)) = (match find(bytes, 0, b':') {
        None if !bytes.starts_with(b"[") => return,
        Some(colon) if is_proved && bytes[0].is_ascii_digit() && !bytes[colon + 1..].contains(&b':') => {
            Some((&bytes[..colon], &bytes[colon + 1..]))
        }
        _ => endpoint(bytes),
    }) else {
        return;
    };
    // The brackets of an address are part of the notation, not of the address.
    let open = u32::from(address.starts_with(b"["));
    let address_len = address.len() as u32 - 2 * open;
    let (from, len) = ((bytes.len() - port.len()) as u32, port.len() as u32);
    found.set(slot, text.part(open, address_len));
    // It may be in a field of its own.
    if len > 0 {
        found.set(slot + 1, text.part(from, len));
    }
}
