#!/bin/sh
# Stands before rustc and leaves out what libFuzzer is told of coverage and comparisons, but for urimill and the targets:
# what is found in arrow, zstd or the peers would only make executions fewer. Cargo says which package it compiles.
case ${CARGO_PKG_NAME:-} in urimill*) exec "$@" ;; esac
count=$#
while [ "$count" -gt 0 ]; do
    argument=$1
    shift
    count=$((count - 1))
    case $argument in
    -Cpasses=sancov-module | -Cllvm-args=-sanitizer-coverage-*) ;;
    *) set -- "$@" "$argument" ;;
    esac
done
exec "$@"
