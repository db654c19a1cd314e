//! The standard streams of a program: which of them were closed when it began, and which are files.
//!
//! Before `main` the standard library puts `/dev/null` in the place of a stream that is closed, so that nothing else
//! gets its number. Output to it is lost without an error, so the program checks before that.

use std::io;
#[cfg(unix)]
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::error::{Error, ErrorKind, Result};
use crate::files;
use crate::files::Identity;

/// A standard stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard input.
    Input,
    /// Standard output.
    Output,
    /// Standard error.
    Errors,
}

static CLOSED: [AtomicBool; 3] = [AtomicBool::new(false), AtomicBool::new(false), AtomicBool::new(false)];

/// Notes which streams are closed. Must be called before the standard library has started.
#[cfg(target_os = "linux")]
pub fn note_closed() {
    use rustix::io::{Errno, fcntl_getfd};
    use rustix::stdio::{stderr, stdin, stdout};
    for (closed, stream) in CLOSED.iter().zip([stdin(), stdout(), stderr()]) {
        closed.store(fcntl_getfd(stream) == Err(Errno::BADF), Ordering::Relaxed);
    }
}

/// Checks that a stream can be read or written.
///
/// # Errors
/// `Io` if it was closed when the process began.
pub fn check_open(stream: Stream) -> Result<()> {
    match CLOSED[stream as usize].load(Ordering::Relaxed) {
        true => {
            let doing = if stream == Stream::Input { "read" } else { "write" };
            Err(Error::new(ErrorKind::Io, format!("cannot {doing} {}: it is closed", stream.name())))
        }
        false => Ok(()),
    }
}

/// Refuses standard output and standard error if they append to the file that standard input reads: that would never
/// end.
///
/// # Errors
/// `Usage` if that is so; `Io` if the system does not report it.
pub fn refuse_own_input() -> Result<()> {
    let input = file(Stream::Input)?;
    for stream in [Stream::Output, Stream::Errors] {
        if input.is_some() && file(stream)? == input {
            return Err(is_input(stream.name()));
        }
    }
    Ok(())
}

/// Whether something can be read within this time, or the end is reached: a pipe may wait for its writer. If the system
/// does not report it, the answer is yes.
#[cfg(unix)]
pub fn is_ready(stream: impl std::os::fd::AsFd, within: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut asked = [PollFd::new(&stream, PollFlags::IN)];
    let within = Timespec::try_from(within).ok();
    !matches!(poll(&mut asked, within.as_ref()), Ok(0))
}

/// The same.
#[cfg(not(unix))]
pub(crate) fn is_ready<S>(_: S, _: Duration) -> bool {
    true
}

/// The error for an output that would destroy an input.
pub fn is_input(output: &str) -> Error {
    Error::usage(format!("cannot write {output}: it is an input; name another file"))
}

/// The regular file behind a stream, if there is one.
pub fn file(stream: Stream) -> Result<Option<Identity>> {
    let looked = |e| Error::io("look at", stream.name(), e);
    let file = stream.duplicate().map_err(looked)?;
    let found = files::again(|| file.metadata()).map_err(looked)?;
    #[cfg(unix)]
    return match found.is_file() {
        true => Identity::of(&found, Path::new("")).map(Some).map_err(looked),
        false => Ok(None),
    };
    // Without its path nothing is known about it.
    #[cfg(not(unix))]
    return Ok(None).inspect(|_| drop(found));
}

impl Stream {
    /// Its name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Stream::Input => "standard input",
            Stream::Output => "standard output",
            Stream::Errors => "standard error",
        }
    }

    /// The stream itself, past the buffers of the standard library.
    #[cfg(unix)]
    pub fn duplicate(self) -> io::Result<std::fs::File> {
        use std::os::fd::AsFd;
        Ok(std::fs::File::from(match self {
            Stream::Input => io::stdin().as_fd().try_clone_to_owned()?,
            Stream::Output => io::stdout().as_fd().try_clone_to_owned()?,
            Stream::Errors => io::stderr().as_fd().try_clone_to_owned()?,
        }))
    }

    /// The stream itself, past the buffers of the standard library.
    #[cfg(windows)]
    pub(crate) fn duplicate(self) -> io::Result<std::fs::File> {
        use std::os::windows::io::AsHandle;
        Ok(std::fs::File::from(match self {
            Stream::Input => io::stdin().as_handle().try_clone_to_owned()?,
            Stream::Output => io::stdout().as_handle().try_clone_to_owned()?,
            Stream::Errors => io::stderr().as_handle().try_clone_to_owned()?,
        }))
    }
}
