#!/usr/bin/env bash
# Mutation testing of the rooms that hold the meaning: run.sh [ROOM …] [-- option of cargo mutants …]
#
# cargo-mutants changes one operator, one constant or one function at a time, and some test has to fail. The whole crate
# takes half a minute to build for each such change, most of it for Arrow and Parquet, which these rooms don't know. So
# a small crate of the same name is put together below the target directory: what it re-exports of urimill-uri, and the
# tests of tests/spec, crates/columns/tests and the kernels that need no more. What needs tables or the program stands
# in modules named `bulk`, or imports Arrow, and is left out; so a survivor here may still be caught by the whole suite.
#
#   run.sh                          all of grammar, uri, normalize and resolve
#   run.sh uri -- --shard 0/4       every fourth mutant of one room
#   run.sh uri -- --iterate         those that survived before, by all tests of the small crate
#   run.sh --test [option …]        only the tests of the small crate, unchanged, with these options of cargo test
#
# survivors.md has what was found. cargo-mutants is taken from PATH, or from TARGET/mutants/bin:
# `cargo install cargo-mutants --locked --root TARGET/mutants`.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")/mutants
small=$target/crate
shared=$(realpath -m "${URIMILL_SHARED:-../shared}")
PATH=$target/bin:$PATH

# Copies, for the originals are not to be changed. Times of files stay, so that a second run builds little.
mkdir -p "$small"
rm -rf "$small/src" "$small/tests" "$small/uri" "$small/testkit"
mkdir -p "$small/src" "$small/tests" "$small/testkit"
cp -rp crates/uri "$small/"
# Of the tests' own package what needs no tables.
cp -rp crates/testkit/src "$small/testkit/"
sed '/optional = true/d; /^\[features\]/,/^$/d' crates/testkit/Cargo.toml > "$small/testkit/Cargo.toml"
cp -p crates/base/src/error.rs crates/base/src/option_name.rs "$small/src/"
{
    echo '//! What urimill re-exports of urimill-uri, for mutation testing.'
    echo 'pub mod error;'
    echo 'mod option_name;'
    sed -n '/^pub use urimill_uri::simd;/,/^#\[cfg(doctest)\]/{/^#\[cfg(doctest)\]/!p}' src/lib.rs
} > "$small/src/lib.rs"
cp -rp tests/spec datasets Cargo.lock "$small/" && mv "$small/spec" "$small/tests/"
cp -rp crates/columns/tests/columns crates/testkit/tests/kernels "$small/tests/"
# Where the tests look for the repository: two folders above testkit.
rm -rf "$target/datasets" && cp -rp datasets "$target/"
tables='^use (arrow|urimill::(batch|table|input|output|sort|pipeline|dedupe|run))|^use urimill::\{.*batch'
for main in "$small"/tests/spec/main.rs "$small"/tests/columns/main.rs; do
    folder=$(dirname "$main")
    # Modules that import Arrow or the rooms behind are left out, with the line that names them.
    for module in $(sed -n 's/^mod \(.*\);$/\1/p' "$main"); do
        file=$folder/$module.rs
        [ -f "$file" ] || file=$folder/$module/mod.rs
        [ -f "$file" ] || continue
        if grep -qE "$tables" "$file"; then
            sed -i "/^mod $module;$/d" "$main"
            rm -r "${file%/mod.rs}"
        fi
    done
done
sed -i '/^use urimill_testkit::/s/ row,//' "$small/tests/columns/main.rs"
find "$small/tests" -name bulk.rs -delete
grep -rl --include=mod.rs '^mod bulk;$' "$small/tests" | xargs sed -i '/^mod bulk;$/d'
{
    printf '[package]\nname = "urimill"\nversion = "0.1.0"\nedition = "2024"\nautoexamples = false\n'
    printf '[workspace]\nmembers = ["uri", "testkit"]\n'
    sed -n '/^\[workspace\.package\]/,/^$/p; /^\[workspace\.lints/,/^$/p' Cargo.toml
    printf '[dependencies]\nurimill-uri = { path = "uri", features = ["explain"] }\n'
    echo '[dev-dependencies]'
    printf 'urimill-testkit = { path = "testkit" }\nlibc = "0.2"\n'
    grep -E '^(fluent-uri|idna|memchr|percent-encoding|psl|serde_json|tempfile|twox-hash|url|urlencoding) = ' Cargo.toml
    # Building is most of the time of a mutant, once the tests are not too slow.
    printf '[profile.dev]\nopt-level = 1\ndebug = false\nincremental = true\n[profile.dev.package."*"]\nopt-level = 3\n'
} > "$small/Cargo.toml"

export URIMILL_SHARED=$shared CARGO_TARGET_DIR=$target/build RUSTFLAGS="${RUSTFLAGS:-} -Adead_code -Aunused_imports"
if [ "${1:-}" = --test ]; then
    shift
    cd "$small"
    exec cargo test "$@"
fi
# The options that name a room's files; `uri` is one URI, whose files have no folder.
files_of() {
    case $1 in
    uri) for file in reference parse host reject segments start; do echo "--file uri/src/$file.rs"; done ;;
    *) echo "--file uri/src/$1/**" ;;
    esac
}
set -f # The patterns are for cargo mutants.
files=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    files+=($(files_of "$1"))
    shift
done
[ $# -eq 0 ] || shift
if [ ${#files[@]} -eq 0 ]; then
    for room in grammar uri normalize resolve; do files+=($(files_of "$room")); done
fi
# Of these rooms only two have tests beside their code.
targets=(--cargo-arg=--test=spec --cargo-arg=--test=columns --cargo-arg=--test=kernels)
case ${files[*]} in *grammar* | *src/parse*) targets+=(--cargo-arg=--lib) ;; esac
# The first test that fails is enough. The first pass leaves out what is slow, and what is about other rooms or the
# documents; `--iterate`, as an option, looks again at what survived and leaves out the latter alone.
export RUSTC_BOOTSTRAP=1 URIMILL_MUTATIONS=50000
skip="--skip conformance:: --skip extract:: --skip canonical:: --skip encode:: --skip records::every_kernel --skip edges::"
case " $* " in
*' --iterate '*) ;;
*)
    export URIMILL_SHARED=/dev/null
    skip="$skip --skip properties::normal_forms --skip the_rung_is_the_lowest --skip across_the_end_of_a_block"
    ;;
esac
# shellcheck disable=SC2086
exec cargo mutants --dir "$small" --package urimill-uri --test-workspace=true --no-config --output "${URIMILL_MUTANTS_OUT:-$target}" --in-place \
    --sharding round-robin --timeout "${URIMILL_TIMEOUT:-60}" "${targets[@]}" "${files[@]}" "$@" \
    -- -- -Zunstable-options --fail-fast $skip
