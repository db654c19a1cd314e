//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! What all other parts need and no product is: errors and the names of options, files and streams, lists of free
//! buffers, temporary files, threads, timing.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod calendar;
pub mod error;
pub mod files;
pub mod free_list;
pub mod left_out;
pub mod lists;
pub mod locks;
pub mod memory;
pub mod option_name;
pub mod pattern;
pub mod pieces_checksum;
pub mod pool;
pub mod streams;
pub mod temporary;
pub mod threads;
pub mod timing;
pub mod varint;
