#!/usr/bin/env bash
# Unpacks a newer lavapipe than the distribution's in target/lavapipe, from the distribution's backports, and writes
# target/lavapipe/env.sh, which points programs to it. Nothing is installed. Exits with 3, and says so, where there is none.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=${CARGO_TARGET_DIR:-$PWD/target}/lavapipe
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")-backports
lists=/etc/apt/sources.list.d/debian.sources
if [ -e "$folder/env.sh" ]; then
    echo "install_newer_lavapipe.sh: done before; source $folder/env.sh"
    exit 0
fi
if ! command -v apt-get >/dev/null || [ ! -e "$lists" ] || [ "$(uname -m)" != x86_64 ]; then
    echo "install_newer_lavapipe.sh: only for Debian on x86-64; the system's lavapipe alone is tested" >&2
    exit 3
fi
apt=$folder/apt
rm -rf "$folder"
mkdir -p "$apt"/{lists/partial,sources,debs/partial}
# The mirror is that of this machine.
awk -v suite="$suite" 'BEGIN { RS = "" } !/security/ {
    gsub(/(^|\n)#[^\n]*/, ""); print; print ""; sub(/Suites:[^\n]*/, "Suites: " suite); print; exit
}' "$lists" > "$apt/sources/all.sources"
options=(-qq -oDir::Etc::SourceList=/dev/null -oDir::Etc::SourceParts="$apt/sources" -oDir::State::Lists="$apt/lists"
    -oDir::Cache::archives="$apt/debs" -oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= -oAcquire::Languages=none
    -oDebug::NoLocking=1)
[ "$(id -u)" -ne 0 ] || options+=(-oAPT::Sandbox::User=root)
apt-get "${options[@]}" update
if ! apt-get "${options[@]}" -y --no-install-recommends --download-only -t "$suite" install mesa-vulkan-drivers >/dev/null; then
    echo "install_newer_lavapipe.sh: $suite has no mesa-vulkan-drivers; the system's lavapipe alone is tested" >&2
    rm -rf "$folder"
    exit 3
fi
for deb in "$apt"/debs/*.deb; do dpkg-deb -x "$deb" "$folder/root"; done
version=$(basename -a "$apt"/debs/mesa-vulkan-drivers_*.deb | cut -d_ -f2)
rm -rf "$apt"
libraries=$folder/root/usr/lib/x86_64-linux-gnu
icd=$folder/lvp_icd.json
printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s/libvulkan_lvp.so", "api_version": "1.3.0"}}\n' \
    "$libraries" > "$icd"
cat > "$folder/env.sh" <<END
# Source this: the Vulkan loader finds lavapipe $version alone.
export VK_ICD_FILENAMES='$icd' VK_DRIVER_FILES='$icd'
export LD_LIBRARY_PATH='$libraries'\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
END
echo "install_newer_lavapipe.sh: lavapipe $version; source $folder/env.sh"
