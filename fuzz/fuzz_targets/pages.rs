#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| urimill_fuzz::run("pages", data));
