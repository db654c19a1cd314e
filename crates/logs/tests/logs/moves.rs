//! The lines of `seeds`, `rare_seeds` and `named_seeds` taken apart: no value gets into the column of another field.

use urimill_testkit::moves::{Seed, assert_none_shifted};
use urimill_testkit::samples::LOGS;

use super::named_seeds::NAMED_SEEDS;
use super::rare_seeds::RARE_SEEDS;
use super::rows;
use super::seeds::SEEDS;

fn all() -> impl Iterator<Item = &'static Seed> {
    SEEDS.iter().chain(RARE_SEEDS).chain(NAMED_SEEDS)
}

#[test]
fn every_log_is_taken_apart() {
    for (_, format) in LOGS {
        assert!(all().any(|seed| seed.from == *format), "{format}");
    }
}

#[test]
fn no_value_comes_into_the_column_of_another_field() {
    assert_none_shifted(all(), 150, rows);
}

#[test]
#[ignore = "takes minutes"]
fn no_value_comes_into_the_column_of_another_field_in_many() {
    assert_none_shifted(all(), 20_000, rows);
}
