#!/usr/bin/env bash
# The tests with a sanitizer in the program: run.sh address|thread [option of cargo test …]
#
# The stable toolchain has both. The program has the system's allocator, for mimalloc hides the heap. Without options
# the tests are those of the program and of the engine, for threads those that sort, count, spill and pass batches from
# thread to thread. ThreadSanitizer knows what the standard library does only if that is built with it too: that takes
# its sources (`rustup component add rust-src`). Code in C is not looked into.
#
# Tests that hold memory below a bound are left out: a sanitizer takes memory of its own. CONTRIBUTING.md has the time.
set -euo pipefail
cd "$(dirname "$0")/../.."
which=${1:?address or thread}
shift
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/$which
export RUSTFLAGS="${RUSTFLAGS:-} -Zsanitizer=$which"
build=(--target "$host" --config profile.dev.debug=\"line-tables-only\" --no-default-features)
case $which in
address)
    # What is never freed is not looked for: names of columns and tables of options live as long as the program.
    export ASAN_OPTIONS=detect_leaks=0
    tests=(--test engine --test read --test write --test run)
    ;;
thread)
    build+=(-Zbuild-std)
    export TSAN_OPTIONS=halt_on_error=1
    tests=(--test engine --test run)
    ;;
*)
    echo "run.sh address|thread [option of cargo test …]" >&2
    exit 2
    ;;
esac
