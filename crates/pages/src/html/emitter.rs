//! Takes the parts of a page from the tokenizer.

use std::convert::Infallible;

use html5gum::{Emitter, Error, State};

use super::{Collector, LONGEST_NAME, Text};
use crate::attributes;
use crate::link::collapse;
use crate::stream::LONGEST_VALUE;

impl Emitter for Collector<'_, '_> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, last_start_tag: Option<&[u8]>) {
        self.last_start_tag.clear();
        self.last_start_tag.extend_from_slice(last_start_tag.unwrap_or_default());
    }

    fn emit_eof(&mut self) {
        if let Some(from) = self.raw.take().filter(|_| self.last_start_tag == b"style") {
            let end = match self.page {
                Text::Whole(page) => page.len(),
                Text::Window(_) => self.position,
            };
            self.style_sheet(from, end, false);
        }
        self.end_anchor();
        self.codebases.resolve(self.links, self.resolve);
    }

    fn emit_error(&mut self, _: Error) {}

    #[inline]
    fn should_emit_errors(&mut self) -> bool {
        false
    }

    #[inline]
    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    #[inline]
    fn emit_string(&mut self, text: &[u8]) {
        match self.raw {
            None if self.anchor.is_some() => collapse(text, &mut self.text),
            Some(_) if self.is_foreign() => {
                let room = LONGEST_VALUE.saturating_sub(self.sheet.len());
                self.links.is_cut |= text.len() > room;
                self.sheet.extend_from_slice(&text[..text.len().min(room)]);
            }
            _ => {}
        }
    }

    fn init_start_tag(&mut self) {
        self.tag.clear();
        self.held.clear();
        self.values.clear();
        (self.is_end, self.is_self_closing, self.has_attribute) = (false, false, false);
    }

    fn init_end_tag(&mut self) {
        self.init_start_tag();
        self.is_end = true;
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.end_attribute();
        if self.is_end {
            if let Some(from) = self.raw.take().filter(|_| self.tag == b"style") {
                self.style_sheet(from, self.position, true);
            }
            if self.tag == b"a" {
                self.end_anchor();
            }
            if self.tag == b"template" && !self.is_foreign() {
                self.templates = self.templates.saturating_sub(1);
            }
            if self.tag == b"frameset" {
                self.framesets = self.framesets.saturating_sub(1);
            }
            if !self.foreign.is_empty() {
                self.leave();
            }
            return None;
        }
        // The parser reads `image` as `img` (13.2.6.4.7).
        if self.tag == b"image" && !self.is_foreign() {
            self.tag = b"img".to_vec();
        }
        self.start_tag();
        self.templates += usize::from(self.tag == b"template" && !self.is_foreign());
        self.has_body |= self.tag == b"body";
        self.framesets += usize::from(self.tag == b"frameset" && !self.has_body);
        self.last_start_tag.clear();
        self.last_start_tag.extend_from_slice(&self.tag);
        let next = self.next_state();
        self.raw = next.as_ref().map(|_| self.position);
        if next.is_none() && self.is_foreign() && self.last_start_tag == b"style" && !self.is_self_closing {
            self.raw = Some(self.position);
        }
        self.sheet.clear();
        if let (Text::Window(window), true) =
            (self.page, self.raw.is_some() && self.last_start_tag == b"style")
        {
            window.borrow_mut().hold(self.position);
        }
        next
    }

    #[inline]
    fn set_self_closing(&mut self) {
        self.is_self_closing = true;
    }

    #[inline]
    fn push_tag_name(&mut self, name: &[u8]) {
        self.tag.extend_from_slice(&name[..name.len().min(LONGEST_NAME.saturating_sub(self.tag.len()))]);
    }

    fn init_attribute(&mut self) {
        self.end_attribute();
        self.name.clear();
        (self.has_attribute, self.known, self.value_at) = (true, None, 0);
    }

    #[inline]
    fn push_attribute_name(&mut self, name: &[u8]) {
        self.name.extend_from_slice(&name[..name.len().min(LONGEST_NAME.saturating_sub(self.name.len()))]);
    }

    fn init_attribute_value(&mut self) {
        self.known = attributes::known(&self.name);
        self.value_at = self.position;
    }

    #[inline]
    fn push_attribute_value(&mut self, value: &[u8]) {
        if self.known.is_some() && !self.is_end {
            let room = LONGEST_VALUE.saturating_sub(self.values.len());
            self.links.is_cut |= value.len() > room;
            self.values.extend_from_slice(&value[..value.len().min(room)]);
        }
    }

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.is_end && !self.last_start_tag.is_empty() && self.last_start_tag == self.tag
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.is_foreign()
    }

    #[inline]
    fn move_position(&mut self, offset: isize) {
        self.position = self.position.saturating_add_signed(offset);
    }

    fn init_comment(&mut self) {}
    fn emit_current_comment(&mut self) {}
    fn emit_current_doctype(&mut self) {}
    fn set_force_quirks(&mut self) {}
    fn push_comment(&mut self, _: &[u8]) {}
    fn push_doctype_name(&mut self, _: &[u8]) {}
    fn init_doctype(&mut self) {}
    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}
    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}
}
