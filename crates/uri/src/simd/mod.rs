//! The kernels: 64 bytes at a time become masks with one bit per byte, and records become offsets. They use the
//! grammar's tables; the full parser takes over from them. A URI of `te` (docs/PERFORMANCE.md) is split and validated
//! in 14.6 ns with AVX-512; oxiri parses one in 79.3 ns (Zen 4).
//!
//! The algorithm is written once, in `kernel`, over the trait `block::Block`; each instruction set supplies that trait
//! and one thin entry point, and `dispatch` chooses among them once. The result is [`Splits`]: for each record the
//! offsets of its components, and whether anything about it needs the slow path. `verdicts` only says which lines are
//! certainly valid, over the same trait and its extension `verdicts::Judged`.
//!
//! This module and `batch::views` are the only ones with `unsafe`.
#![allow(unsafe_code)]

mod block;
mod devices;
mod dispatch;
mod kernel;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod newlines;
mod places;
mod records;
mod scalar;
mod splits;
mod stops;
mod text;
mod triplets;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod verdicts;
mod views;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod devices_avx2;
#[cfg(target_arch = "x86_64")]
mod groups;
#[cfg(target_arch = "x86_64")]
mod marks;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod not_plain;
#[cfg(target_arch = "x86_64")]
mod triplets_avx2;
#[cfg(target_arch = "x86_64")]
mod triplets_avx512;
#[cfg(target_arch = "x86_64")]
mod views_avx2;
#[cfg(target_arch = "x86_64")]
mod views_avx512;

pub use dispatch::{
    Isa, Progress, find_devices, list_unsure, split_lines, split_one, split_spans, string_views,
    survey_triplets, text_run,
};
pub use places::{Places, equal};
pub use splits::{Offsets, SlowPath, Span, Split, Splits};
pub use stops::{Either, OfString, One, StopBytes, Stops};
pub use text::PADDING;
pub use triplets::{TripletKinds, TripletSurvey};
pub use views::{Given, IN_SECOND, INLINE, Parts, view};
