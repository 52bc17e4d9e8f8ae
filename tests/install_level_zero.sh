#!/usr/bin/env bash
# Gets what the Level Zero tests need, as far as it is missing:
#
#   from the distribution   the loader with its validation layer, the headers, SPIRV-Tools
#   from PyPI               Intel's OpenCL runtime for CPUs, unpacked in target/level-zero/opencl
#   from this workspace     the driver over it (tests/ze-on-opencl)
#
# and writes target/level-zero/env.sh, which points programs to that driver: source it to run anything with
# SPIRV_DEVICE=level-zero:0.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(libze1 libze-dev spirv-tools python3 python3-pip)
# The first is the runtime; the others are the libraries that it is linked with.
wheels=(intel-opencl-rt==2026.2.0 intel-cmplr-lib-rt==2026.2.0 tbb==2023.2.0)

target=${CARGO_TARGET_DIR:-$PWD/target}
folder=$target/level-zero

install_packages() {
    local missing=() as_root=()
    for p in "${packages[@]}"; do
        # A python that has pip is as good, wherever it is from.
        [ "$p" = python3-pip ] && python3 -m pip --version >/dev/null 2>&1 && continue
        dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
    done
    [ ${#missing[@]} -ne 0 ] || return 0
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "install_level_zero.sh: installing ${missing[*]}"
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# The wheels are for another python than this one may be; only the libraries in them are of use.
install_opencl() {
    local stamp="$folder/opencl/.wheels"
    [ "$(cat "$stamp" 2>/dev/null)" != "${wheels[*]}" ] || return 0
    echo "install_level_zero.sh: getting ${wheels[*]}"
    rm -rf "$folder/opencl" "$folder/wheels"
    mkdir -p "$folder/opencl" "$folder/wheels/unpacked"
    local platforms=() tag wheel
    for tag in manylinux_2_34 manylinux_2_28 manylinux_2_27 manylinux2014 manylinux_2_12 manylinux2010; do
        platforms+=(--platform "${tag}_x86_64")
    done
    python3 -m pip --disable-pip-version-check -q download --no-deps --only-binary=:all: --implementation cp \
        --python-version 3.11 "${platforms[@]}" -d "$folder/wheels" "${wheels[@]}"
    for wheel in "$folder"/wheels/*.whl; do
        python3 -m zipfile -e "$wheel" "$folder/wheels/unpacked"
    done
    # The runtime looks for its libraries beside itself. Libraries that replace the allocator of whoever opens them have
    # no business here.
    find "$folder"/wheels/unpacked/*.data -path '*/lib/*' -type f ! -path '*/cmake/*' ! -path '*/pkgconfig/*' \
        ! -name '*.a' ! -name '*debug*' ! -name '*malloc*' ! -name '*.py' ! -name 'icx-lto*' \
        -exec mv -f -t "$folder/opencl" {} +
    rm -rf "$folder/wheels"
    # Wheels have no links: each library is there under all of its names. One copy is enough.
    (cd "$folder/opencl" && sha256sum ./* | sort) | while read -r sum file; do
        if [ "$sum" = "${last:-}" ]; then ln -f "$folder/opencl/$first" "$folder/opencl/$file"; else first=$file; fi
        last=$sum
    done
    echo "${wheels[*]}" > "$stamp"
}

if [ "$(uname -sm)" != "Linux x86_64" ]; then
    echo "install_level_zero.sh: the OpenCL runtime is for Linux on x86-64 only; the Level Zero tests will be skipped" >&2
    exit 1
fi
if command -v apt-get >/dev/null; then
    install_packages
else
    echo "install_level_zero.sh: no apt-get here; install the equivalents of: ${packages[*]}"
fi
install_opencl
cargo build --quiet --locked -p ze-on-opencl --target-dir "$target"
cat > "$folder/env.sh" <<END
# Source this: the Level Zero loader finds the driver of tests/ze-on-opencl, and checks what it is told.
export ZE_ENABLE_ALT_DRIVERS='$target/debug/libze_on_opencl.so'
export ZEOCL_OPENCL='$folder/opencl/libintelocl.so'
export ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1
END
echo "install_level_zero.sh: done; source $folder/env.sh"
