//! The binary: everything is in the library.

fn main() -> std::process::ExitCode {
    urimill::cli::main()
}

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
