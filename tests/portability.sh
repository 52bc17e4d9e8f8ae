#!/usr/bin/env bash
# Is it what the manifests and the README say it is: the oldest Rust, each set of features, the documentation, other targets, what
# `cargo publish` would take? run.sh has it look at the first two; with `all` it looks at all of them.
#
# A toolchain or target that rustup cannot fetch is said and skipped, unless SPIRV_REQUIRE_TOOLCHAINS=1.
set -euo pipefail
cd "$(dirname "$0")/.."

step() {
    echo
    echo "== $*"
    "$@"
}

skipped=()
# skip WHAT: notes what is not checked here.
skip() {
    echo "portability.sh: SKIPPED: $1"
    [ "${SPIRV_REQUIRE_TOOLCHAINS:-}" != 1 ] || exit 1
    skipped+=("$1")
}

has_target() { rustup target list --installed 2>/dev/null | grep -qx "$1" || rustup target add "$1" >/dev/null 2>&1; }

oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
echo "== Rust $oldest, the oldest that Cargo.toml promises"
if rustup run "$oldest" rustc --version 2>/dev/null ||
    rustup toolchain install "$oldest" --profile minimal --no-self-update >/dev/null 2>&1; then
    # With kernels, whose native code is compiled with that version, too.
    step cargo "+$oldest" build --locked -p saxpy -p spirv-build -p ui-tests --target-dir "${CARGO_TARGET_DIR:-target}/oldest"
else
    skip "Rust $oldest"
fi

for features in "" vulkan level-zero; do
    step cargo clippy --locked -p spirv-runtime --lib --no-default-features --features "$features" -- -D warnings
done
[ "${1:-}" = all ] || {
    echo "portability.sh: the documentation, other targets and packages are looked at by: tests/portability.sh all"
    exit 0
}
step cargo test --locked -p spirv-runtime --lib --no-default-features

echo
echo "== the documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --locked --no-deps --workspace

# An example, so that native code of kernels is made for the target.
for target in x86_64-pc-windows-gnu aarch64-apple-darwin; do
    if has_target $target; then
        step cargo check --locked -p saxpy -p spirv-build --target $target
    else
        skip "cargo check for $target"
    fi
done
if has_target wasm32-unknown-unknown; then
    step cargo check --locked -p spirv-runtime --no-default-features --target wasm32-unknown-unknown
else
    skip "cargo check for wasm32-unknown-unknown"
fi

# Another processor, run: its kernels are made by the same road and give the same results.
target=aarch64-unknown-linux-gnu
if has_target $target && command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null; then
    (
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64 -L /usr/aarch64-linux-gnu"
        export SPIRV_DEVICE=cpu
        step cargo run --locked -p saxpy --target $target
        step cargo test --locked -p ui-tests --test pass --target $target
    )
else
    skip "running on $target"
fi

echo
echo "== cargo publish, as far as it goes without publishing"
crates=(-p spirv-abi -p spirv-interface -p spirv-spec -p level-zero-sys -p spirv-macros -p spirv-runtime -p spirv-build)
for part in base ir passes hlsl lower llvm codegen cpu; do crates+=(-p "spirv-build-$part"); done
dirty=()
[ "${CI:-}" = true ] || dirty=(--allow-dirty)
# Cargo keeps what it unpacks by the folder and the version, not by the content: elsewhere each time, nothing old is compiled.
publish=$(mktemp -d "${CARGO_TARGET_DIR:-target}/publish.XXXXXX")
CARGO_TARGET_DIR=$publish cargo publish --dry-run --locked "${dirty[@]}" "${crates[@]}"
find "${CARGO_HOME:-$HOME/.cargo}/registry" -mindepth 2 -maxdepth 2 -name '-*' -newer "$publish" -exec rm -rf {} +
rm -rf "$publish"
for crate in "${crates[@]}"; do
    [ "$crate" = -p ] || cargo package --locked --list --allow-dirty -p "$crate" >"${CARGO_TARGET_DIR:-target}/package-$crate"
done
python3 - "${CARGO_TARGET_DIR:-target}" <<'PYTHON'
import pathlib, sys
for listing in pathlib.Path(sys.argv[1]).glob("package-*"):
    files = listing.read_text().split()
    needed = {"README.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.toml"} - set(files)
    odd = [f for f in files if not f.startswith(("src/", "Cargo.", "README", "LICENSE", ".cargo_vcs", "build.rs"))]
    if needed or odd:
        sys.exit(f"{listing.name}: lacks {sorted(needed)}, has {odd[:5]}")
    print(f"{listing.name}: {len(files)} files")
PYTHON

echo
[ ${#skipped[@]} -eq 0 ] || printf 'portability.sh: skipped: %s\n' "${skipped[@]}"
echo "portability.sh: all passed"
