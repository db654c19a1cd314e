#!/bin/sh
# Fills fuzz/corpus with seeds, one file each: what `cargo test --test fuzzing` makes, lines of datasets/, and, where the
# shared data is at hand (URIMILL_SHARED, or ../shared beside the repository), of its lists, logs and suites. What
# stands there already stays.
set -eu
cd "$(dirname "$0")"
shared=${URIMILL_SHARED:-../../shared}

# Every line of standard input becomes a seed of the targets that are named.
lines() {
    prefix=$1
    shift
    for target in "$@"; do
        mkdir -p "corpus/$target"
    done
    first=$1
    split -l "${per_seed:-1}" -a 6 - "corpus/$first/$prefix-"
    shift
    for target in "$@"; do
        for seed in "corpus/$first/$prefix-"*; do
            cp "$seed" "corpus/$target/"
        done
    done
}

single="parse normalize repair kernel url"
several="batch targets lines extract"
double="resolve relativize equal explain others url_resolve url_others"
lines oddities $single <../datasets/oddities.txt
lines sample $single <../datasets/sample.txt
per_seed=5 lines oddities $several <../datasets/oddities.txt
per_seed=5 lines sample $several <../datasets/sample.txt
per_seed=2 lines oddities $double <../datasets/oddities.txt
per_seed=2 lines sample $double <../datasets/sample.txt

for tool in "gzip -c" "bzip2 -c" "xz -c" "zstd -c"; do
    name=${tool%% *}
    mkdir -p corpus/compressed
    if command -v "$name" >/dev/null; then
        head -n 5 ../datasets/sample.txt | $tool >"corpus/compressed/sample.$name"
        cat "corpus/compressed/sample.$name" "corpus/compressed/sample.$name" >"corpus/compressed/twice.$name"
    fi
done

URIMILL_FUZZ_SEEDS=$PWD/corpus cargo test -q --manifest-path ../Cargo.toml --test fuzzing -- --exact seeds

mkdir -p corpus/parquet corpus/arrow
table() { cargo run -q --manifest-path ../crates/cli/Cargo.toml -- normalize --columns uri,port,path --force --summary none "$@"; }
head -n 5 ../datasets/oddities.txt >corpus/few
for codec in zstd snappy lz4 none; do
    table corpus/few -o "corpus/parquet/few-$codec.parquet" --compression "$codec"
done
table corpus/few -o corpus/arrow/few.arrow
table corpus/few -o corpus/arrow/few.arrows
rm corpus/few

[ -d "$shared/corpora" ] || { echo "no shared data at $shared: seeds of datasets/ alone" >&2; exit 0; }
real=$shared/corpora
# Every so many lines of the long ones: many seeds alike cost time and find nothing.
some() { awk -v step="$2" 'NR % step == 0' "$1"; }
some "$real/kasztp.txt" 50 | lines list $single
some "$real/html_refs.tsv" 200 | tr '\t' '\n' | per_seed=2 lines pages $double
some "$real/html_refs.tsv" 100 | per_seed=5 lines pages extract tsv auto
some "$real/heritrix_crawl.log" 10 | head -n 400 | per_seed=4 lines log heritrix auto
head -n 40 "$real/openwayback_test-cdx.txt" | per_seed=4 lines log cdx auto
head -n 40 "$real/pywb_iana.cdx" | per_seed=5 lines index cdx auto
head -n 60 "$real/pywb_iana.cdxj" | per_seed=3 lines index cdxj auto
some "$real/apache_access_semicomplete.log" 50 | head -n 400 | per_seed=4 lines log clf auto
some "$real/iri_pairs.tsv" 20 | head -n 400 | per_seed=3 lines pairs csv tsv
if [ -d "$shared/suites" ]; then
    for suite in "$shared"/suites/*.jsonl; do
        name=$(basename "$suite" .jsonl)
        head -n 300 "$suite" | per_seed=2 lines "$name" jsonl auto
        # The members "input", as they are written: escapes are as good a seed as what they stand for.
        sed -n 's/.*"input": *"\([^"]*\)".*/\1/p' "$suite" | head -n 2000 >"corpus/inputs"
        lines "$name" $single <corpus/inputs
        per_seed=2 lines "$name" $double <corpus/inputs
        rm corpus/inputs
    done
fi
