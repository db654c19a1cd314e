//! The lines of `seeds` taken apart: no value gets into the column of another field.

use urimill_testkit::moves::assert_none_shifted;

use super::rows;
use super::seeds::SEEDS;

#[test]
fn no_value_comes_into_the_column_of_another_field() {
    assert_none_shifted(SEEDS.iter(), 150, rows);
}

#[test]
#[ignore = "takes minutes"]
fn no_value_comes_into_the_column_of_another_field_in_many() {
    assert_none_shifted(SEEDS.iter(), 20_000, rows);
}
