//! The kernels of `urimill-uri`: each gives the results of the portable one, and these are right. These tests need no
//! other package of urimill, so that they also run on machines without the engine: `.ci/targets` runs them on aarch64.
//!
//! - `records`: records and lines, by hand and at random
//! - `mutations`: seeded mutations of the sample lists
//! - `edges`, `guard`: at the edges of memory, between pages that must not be touched
//! - `groups`: lists of more records than a kernel takes at once
//! - `runs`: the run of text that a component can hold
//! - `triplets`: the bytes that the triplets of a text encode

#[cfg(unix)]
mod edges;
mod groups;
#[cfg(unix)]
mod guard;
mod mutations;
mod records;
mod runs;
mod triplets;

use urimill_uri::simd::Isa;

/// Without this check the other tests could compare the portable kernel with itself, and pass.
#[test]
fn the_kernel_of_this_processor_is_among_those_tested() {
    let names: Vec<_> = Isa::available().map(Isa::as_str).collect();
    assert_eq!(names.first(), Some(&"scalar"));
    assert_eq!(names.contains(&"neon"), cfg!(target_arch = "aarch64"), "{names:?}");
    #[cfg(target_arch = "x86_64")]
    assert_eq!(names.contains(&"avx2"), std::is_x86_feature_detected!("avx2"), "{names:?}");
    assert_eq!(names.last(), Some(&Isa::chosen().as_str()), "the fastest one is in use");
}
