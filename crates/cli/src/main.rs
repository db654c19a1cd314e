//! The program `urimill`: its library does the work.

fn main() -> std::process::ExitCode {
    urimill_cli::main()
}

/// Runs before the standard library starts.
#[cfg(target_os = "linux")]
#[ctor::ctor]
fn note_closed_streams() {
    urimill::streams::note_closed();
}

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
