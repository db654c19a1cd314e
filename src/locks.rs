//! Locks that a panic does not close. A thread that panicked has failed its run, and every state here is consistent at
//! each moment or only dropped after that.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The state of a mutex.
pub fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of a mutex that nobody else has.
pub fn into_inner<T>(state: Mutex<T>) -> T {
    state.into_inner().unwrap_or_else(PoisonError::into_inner)
}
