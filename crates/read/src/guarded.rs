//! Runs the code of others that reads data, whose panic is an error about the data: the libraries that read tables, and
//! the readers that callers bring.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// Whether a panic of this thread is about damaged data.
    static IS_READING: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic of this thread is caught, and becomes an error about damaged data: a panic hook may stay silent
/// then.
pub fn panics_are_errors() -> bool {
    IS_READING.get()
}

/// Runs a library's reader, which may panic over damaged data: the panic then becomes the error about the data.
pub fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    let was_reading = IS_READING.replace(true);
    let read = catch_unwind(AssertUnwindSafe(read));
    IS_READING.set(was_reading);
    read.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(first_line(text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("its reader gave up")))
    })
}

/// The message of a library, short enough for a sentence.
pub fn first_line(text: &str) -> String {
    const CHARS: usize = 200;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
