#!/bin/sh
# Runs clang with WebAssembly exceptions of the older kind, where the standard kind was asked for.
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    [ "$word" = -wasm-use-legacy-eh=false ] && word=-wasm-use-legacy-eh=true
    set -- "$@" "$word"
    left=$((left - 1))
done
exec CLANG "$@"
