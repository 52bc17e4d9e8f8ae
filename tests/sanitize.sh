#!/usr/bin/env bash
# Runs the runtime's tests under a sanitizer, with a nightly compiler. Not part of run.sh.
#
#   tests/sanitize.sh address     no component is needed but a nightly toolchain
#   tests/sanitize.sh thread      needs a standard library built with it: rustup component add rust-src --toolchain nightly
#
# Native code of kernels is not looked at: build.rs has it compiled by itself. The runtime's own tests have their kernels in Rust.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(rustc -vV | sed -n 's/^host: //p')
# A process of its own for each sanitizer: all crates are compiled with it.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/sanitize-${1:-}"
# cpu_process is left out: it takes the address space away that sanitizers need, and forks.
tests=(-p spirv-runtime --lib --test cpu --test cpu_async)
case "${1:-}" in
address)
    # The pool and what drivers keep live as long as the process. A test asks for more memory than there is.
    export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
    RUSTFLAGS=-Zsanitizer=address cargo +nightly test --target "$target" "${tests[@]}" --test addresses --test vulkan
    ;;
thread)
    # Locks of an unsanitized standard library would be unknown to it, and all that they guard a race.
    if [ ! -d "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ]; then
        echo "sanitize.sh: no rust-src: rustup component add rust-src --toolchain nightly" >&2
        exit 1
    fi
    # A test asks for more memory than there is.
    export TSAN_OPTIONS=allocator_may_return_null=1
    # Its allocator touches all memory, which one test says ours does not.
    RUSTFLAGS=-Zsanitizer=thread cargo +nightly test -Zbuild-std --target "$target" "${tests[@]}" -- \
        --skip large_blocks_are_not_touched
    ;;
*)
    sed -n 's/^# \{0,1\}//p' "$0" | head -8 >&2
    exit 2
    ;;
esac
