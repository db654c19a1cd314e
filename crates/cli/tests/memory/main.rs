//! How much memory the program takes: no input makes it grow without a bound.
//!
//! - `inputs`: numbers that an input states, records without an end, compressed bombs
//! - `hostile`: tables of which little stands for much, or that state lengths that they do not have
//! - `lookup`: indexes of which a line is looked up
//! - `payloads`: payloads of web archives that are searched for URIs
//! - `pages`: pages with more references than bytes would let one think
//! - `reports`: what is distinct in a log
//! - `threads`: many threads, each with something long
//! - `wide`: thousands of columns, in every format
//! - `zips`: zip archives of which few bytes stand for many
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

mod hostile;
mod inputs;
mod lookup;
mod pages;
mod payloads;
mod reports;
mod threads;
mod wide;
mod zips;
