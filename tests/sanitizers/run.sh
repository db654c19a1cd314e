#!/usr/bin/env bash
# Tests with a sanitizer in the program: run.sh address|thread [option of cargo test …]
#
# The stable toolchain has both. The program has the system's allocator, for mimalloc hides the heap. Without options
# the tests are those of the program and of the engine; for threads those that sort, count, spill and pass batches from
# thread to thread. ThreadSanitizer knows what the standard library does only if that is built with it too, from its
# sources (`rustup component add rust-src`); it does not look into code in C.
#
# Tests that hold memory below a bound or count system calls are left out, for a sanitizer takes memory and makes calls
# of its own. A build takes 1 GB below the target directory. docs/RELIABILITY.md says what was run.
set -euo pipefail
cd "$(dirname "$0")/../.."
which=${1:-}
[ $# -eq 0 ] || shift
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1 CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/$which
export RUSTFLAGS="${RUSTFLAGS:-} -Zsanitizer=$which"
build=(--target "$host" --config profile.dev.debug=false)
case $which in
address)
    # What is never freed is not looked for: names of columns live as long as the program.
    export ASAN_OPTIONS=detect_leaks=0
    # GCC moves a constant array of zstd out of its function, and marks it all the same where its scope ends.
    export CFLAGS="${CFLAGS:-} -fno-sanitize-address-use-after-scope"
    program=(--test cli --test faults --)
    engine=(--test columns --test engine --test write --test run --)
    ;;
thread)
    build+=(-Zbuild-std)
    program=(--test cli -- dedupe:: sort:: order:: verify:: signals::)
    engine=(--test engine --test write --test run -- sort:: dedupe:: chunks:: inputs:: outputs:: stopping::)
    ;;
*)
    echo "run.sh address|thread [option of cargo test …]" >&2
    exit 2
    ;;
esac
if [ $# -gt 0 ]; then
    exec cargo test "${build[@]}" "$@"
fi
skip=(--skip memory_is_bounded --skip calls_of_the_system_fail)
cargo test "${build[@]}" --package urimill --package urimill-columns --package urimill-write "${engine[@]}" "${skip[@]}"
cargo test "${build[@]}" --package urimill-cli --no-default-features "${program[@]}" "${skip[@]}"
