//! Locks that a panic does not poison. A panic in a thread fails the run, and every locked state is consistent at each
//! moment or only dropped afterwards.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The locked state of a mutex.
pub fn lock<T>(state: &Mutex<T>) -> MutexGuard<'_, T> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The state of a mutex that no other thread can lock.
pub fn into_inner<T>(state: Mutex<T>) -> T {
    state.into_inner().unwrap_or_else(PoisonError::into_inner)
}
