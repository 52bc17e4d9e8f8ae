#!/usr/bin/env bash
# Runs every check of this project. Installs what the tests need from the distribution if it is missing, and says so.
#
#   tests/run.sh            all
#   SKIP_INSTALL=1          installs nothing; tests whose component is missing say so and are skipped
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(libvulkan1 mesa-vulkan-drivers vulkan-validationlayers spirv-tools python3)
# Another processor: its linker and libraries, and what runs its programs.
[ "$(uname -m)" = aarch64 ] || packages+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
# The oldest LLVM that is read, and the one that is recommended. Only tests need them.
llvm=(19 22)
for version in "${llvm[@]}"; do packages+=("llvm-$version-dev"); done

install() {
    local missing=()
    for p in "${packages[@]}"; do
        dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        echo "run.sh: all needed packages are installed: ${packages[*]}"
        return
    fi
    local as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "run.sh: installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
}

step() {
    echo
    echo "== $*"
    "$@"
}

if [ "${SKIP_INSTALL:-}" = 1 ]; then
    echo "run.sh: SKIP_INSTALL=1, nothing is installed"
elif command -v apt-get >/dev/null; then
    install
    tests/install_level_zero.sh
    # From here on a missing component is a failure, not a skip.
    export SPIRV_REQUIRE_COMPONENTS=1
else
    echo "run.sh: no apt-get here; install the equivalents of: ${packages[*]}"
fi

step cargo fmt --all --check
step python3 spirv-build/spec/generate.py --check
step python3 spirv-runtime/level-zero-sys/generate.py --check
step cargo clippy --workspace --all-targets --locked -- -D warnings
# Without the fuzzer itself, which is C++.
fuzz=(--manifest-path spirv-build/fuzz/Cargo.toml)
step cargo fmt "${fuzz[@]}" --check
step cargo clippy "${fuzz[@]}" --no-default-features --locked -- -D warnings
step cargo test --workspace --locked
if [ "${SPIRV_REQUIRE_COMPONENTS:-}" = 1 ]; then
    for version in "${llvm[@]}"; do
        step cargo test -p spirv-build -p spirv-build-llvm --features "llvm$version-1" --locked --lib --test 'llvm*'
    done
    step cargo clippy -p spirv-build -p spirv-build-llvm -p kernel-tests -p anywhere --all-targets --features llvm22-1 --locked -- -D warnings
fi
echo
echo "== the test kernels on each device"
kernels=(-p kernel-tests --locked)
[ "${SPIRV_REQUIRE_COMPONENTS:-}" = 1 ] && kernels+=(--features llvm22-1)
SPIRV_DEVICE=cpu cargo test "${kernels[@]}"
SPIRV_DEVICE=cpu SPIRV_CPU_ISA=scalar cargo test "${kernels[@]}"
if [ "${SPIRV_REQUIRE_COMPONENTS:-}" = 1 ]; then
    SPIRV_DEVICE=vulkan:0 SPIRV_VALIDATION=1 cargo test "${kernels[@]}"
    # Indices out of range on a newer driver beside the distribution's, where there is one: each crashes over others.
    if tests/install_newer_lavapipe.sh; then
        (
            . "${CARGO_TARGET_DIR:-$PWD/target}/lavapipe/env.sh"
            SPIRV_DEVICE=vulkan:0 SPIRV_VALIDATION=1 cargo test "${kernels[@]}" --test out_of_range
        )
    elif [ $? -ne 3 ]; then
        exit 1
    fi
    # The driver runs what no barrier separates in order, then backwards.
    (
        . "${CARGO_TARGET_DIR:-$PWD/target}/level-zero/env.sh"
        SPIRV_DEVICE=level-zero:0 cargo test "${kernels[@]}"
        SPIRV_DEVICE=level-zero:0 ZEOCL_SHUFFLE=1 cargo test "${kernels[@]}"
        # Some devices have no images.
        SPIRV_DEVICE=level-zero:0 ZEOCL_NO_IMAGES=1 cargo test "${kernels[@]}"
        export ANYWHERE_DEVICES=cpu,vulkan:0,level-zero:0
        step cargo test -p anywhere --features llvm22-1 --locked
        step cargo run -p anywhere --features llvm22-1 --locked
    )
fi
step tests/portability.sh all
echo "run.sh: all passed"
