//! The module: parse, normalize and resolve as exports. The caller writes texts into the memory at `text()`, calls one
//! of them with their lengths, and finds the result there; the call returns its length, or -1 if it does not fit.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![cfg(target_arch = "wasm32")]

extern crate alloc;

mod answers;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, Ordering};

#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// Atomic, so that both sides may write without unsafe code here.
static TEXT: [AtomicU8; 1 << 20] = [const { AtomicU8::new(0) }; 1 << 20];

fn read(from: usize, len: usize) -> Vec<u8> {
    TEXT.iter().skip(from).take(len).map(|byte| byte.load(Ordering::Relaxed)).collect()
}

fn answer(write: impl FnOnce(&mut Vec<u8>)) -> i32 {
    let mut out = Vec::new();
    write(&mut out);
    if out.len() > TEXT.len() {
        return -1;
    }
    for (place, byte) in TEXT.iter().zip(&out) {
        place.store(*byte, Ordering::Relaxed);
    }
    out.len() as i32
}

/// The memory for the texts and the results.
#[unsafe(no_mangle)]
pub extern "C" fn text() -> *const AtomicU8 {
    TEXT.as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn parse(len: usize) -> i32 {
    let text = read(0, len);
    answer(|out| answers::parse(&text, out))
}

#[unsafe(no_mangle)]
pub extern "C" fn normalize(len: usize, level: usize) -> i32 {
    let text = read(0, len);
    answer(|out| answers::normalize(&text, level, out))
}

/// The base precedes the reference.
#[unsafe(no_mangle)]
pub extern "C" fn resolve(base_len: usize, len: usize) -> i32 {
    let (base, text) = (read(0, base_len), read(base_len, len));
    answer(|out| answers::resolve(&base, &text, out))
}
