#!/bin/sh
# Runs one target: ./run.sh TARGET [option of libFuzzer …], from any folder. ./run.sh all builds all of them.
#
# What `cargo fuzz run -s none` does, with the stable toolchain and without cargo-fuzz. URIMILL_FUZZ_SANITIZER=address
# adds AddressSanitizer; URIMILL_FUZZ_COMPARES=no leaves out what tells libFuzzer of comparisons, for more executions that
# know less. The corpus grows in fuzz/corpus/TARGET, crashes come to stand in fuzz/artifacts/TARGET.
set -eu
cd "$(dirname "$0")"
target=$1
shift
host=$(rustc -vV | sed -n 's/^host: //p')
flags="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
flags="$flags -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table"
if [ "${URIMILL_FUZZ_COMPARES:-yes}" = yes ]; then
    flags="$flags -Cllvm-args=-sanitizer-coverage-trace-compares"
fi
if [ -n "${URIMILL_FUZZ_SANITIZER:-}" ]; then
    flags="$flags -Zsanitizer=$URIMILL_FUZZ_SANITIZER"
fi
what="--bin $target"
case $target in
all) what=--bins ;;
# Single URIs need neither Arrow nor codecs.
parse | normalize | resolve | relativize | equal | explain | repair | extract | kernel | others | url | url_resolve | url_others)
    what="$what --no-default-features" ;;
esac
# shellcheck disable=SC2086
RUSTC_BOOTSTRAP=1 RUSTC_WRAPPER="$PWD/instrument.sh" RUSTFLAGS="$flags" cargo build --release --target "$host" $what
[ "$target" != all ] || exit 0
mkdir -p "corpus/$target" "artifacts/$target"
dictionary=dictionaries/$target.dict
[ -f "$dictionary" ] || dictionary=dictionaries/uri.dict
exec "target/$host/release/$target" -dict="$dictionary" -artifact_prefix="artifacts/$target/" -timeout=25 "$@" \
    "corpus/$target"
