//! Finding what the build script left for a kernel.

use crate::names;
use spirv_interface::{Compiled, Interface, KERNELS_VARIABLE, full_path};
use std::path::{Path, PathBuf};

/// First line of a file with diagnostics.
const DIAG_HEADER: &str = "spirv-diag 1";
/// Name the folder of the artifacts and that of the package for compilations that have no build script of their
/// own, such as tests of the macros.
const OUT_DIR_OVERRIDE: &str = "SPIRV_KERNELS_OUT_DIR";
const PACKAGE_OVERRIDE: &str = "SPIRV_KERNELS_PACKAGE";

/// What was found for a kernel.
pub struct Kernel {
    /// Name of the kernel: the module's default name.
    pub name: String,
    /// The folder of the artifacts.
    pub dir: PathBuf,
    /// The interface, or the text of the kernel's errors.
    pub interface: Result<Interface, String>,
    /// What build.rs compiled.
    pub compiled: Compiled,
    /// All kernels that it compiled.
    pub all: Vec<Compiled>,
}

/// Why nothing was found: a message for a compile error, with help lines.
pub type Message = String;

/// Why no kernel was found.
pub enum NotFound {
    /// For want of it, or because of its files.
    Kernel(Message),
    /// The file was compiled, but not with this name.
    Name(Message),
}

impl From<Message> for NotFound {
    fn from(message: Message) -> NotFound {
        NotFound::Kernel(message)
    }
}

/// Looks for the kernel with this source path and, if there are several of that, this name.
pub fn find(path: &str, name: Option<&str>) -> Result<Kernel, NotFound> {
    let (dir, all) = compiled(path)?;
    let kernel = choose(&all, path, name)?.clone();
    let interface = match read_diag(&dir.join(format!("{}.diag", kernel.artifacts)))? {
        Some(picture) => Err(picture),
        None => Ok(read_interface(&dir, &kernel.artifacts, &kernel.source)?),
    };
    Ok(Kernel { name: kernel.artifacts.clone(), dir, interface, compiled: kernel, all })
}

/// The folder of the artifacts, and all kernels that build.rs compiled. `path` is one of them, for messages.
pub fn compiled(path: &str) -> Result<(PathBuf, Vec<Compiled>), Message> {
    let dir = match (std::env::var_os(OUT_DIR_OVERRIDE), std::env::var_os("OUT_DIR")) {
        (Some(dir), _) => PathBuf::from(dir),
        (None, Some(out)) => {
            let dir = Path::new(&out).join("spirv");
            // What is there may be that of an earlier run; and the variable may be that of the program that runs cargo.
            let announced = std::env::var_os(KERNELS_VARIABLE).is_some_and(|announced| *announced == *dir);
            if !announced {
                return Err(nothing_compiled(path));
            }
            dir
        }
        (None, None) => return Err(no_build_script(path)),
    };
    let Ok(index) = std::fs::read_to_string(dir.join("index")) else {
        return Err(nothing_compiled(path));
    };
    Ok((dir, index.lines().filter_map(Compiled::from_line).collect()))
}

/// The interface of a kernel for what it says of structs. That of a kernel with errors is the last that there was without.
pub fn structs_of(dir: &Path, kernel: &Compiled) -> Option<Interface> {
    let text = std::fs::read_to_string(dir.join(format!("{}.interface", kernel.artifacts))).ok()?;
    Interface::from_sealed_text(&text).ok().filter(|i| i.source == kernel.source)
}

/// The kernel that is meant.
fn choose<'a>(compiled: &'a [Compiled], path: &str, name: Option<&str>) -> Result<&'a Compiled, NotFound> {
    let wanted = place(path);
    let of_file: Vec<&Compiled> = compiled.iter().filter(|k| place(&k.source) == wanted).collect();
    let names: Vec<&str> = of_file.iter().filter_map(|k| k.name.as_deref()).collect();
    let named = |name: Option<&str>| of_file.iter().find(|k| k.name.as_deref() == name).copied();
    match (name, &of_file[..]) {
        (_, []) => Err(not_compiled(path, compiled).into()),
        (Some(name), _) => named(Some(name)).ok_or_else(|| NotFound::Name(unknown_name(path, name, &names))),
        (None, [one]) => Ok(one),
        (None, _) => named(None).ok_or_else(|| several(path, &names).into()),
    }
}

fn several(path: &str, names: &[&str]) -> Message {
    format!(
        "build.rs compiles `{path}` several times, with the names {}\n\
         help: say which one is meant, as in `\"{path}\", name = \"{}\"`",
        names::list(names),
        names.first().copied().unwrap_or_default()
    )
}

fn unknown_name(path: &str, name: &str, names: &[&str]) -> Message {
    let mut message = format!("build.rs compiles no kernel of the name `{name}` from `{path}`\n");
    if names.is_empty() {
        return message
            + &format!("help: build.rs gives names with `spirv_build::config().name(\"{name}\")`");
    }
    if let Some(near) = names::closest(name, names) {
        message += &format!("help: did you mean `{near}`?\n");
    }
    message + &format!("note: the names are {}", names::list(names))
}

/// The path of a file that the build script left.
pub fn file(dir: &Path, name: &str) -> Result<String, String> {
    let path = dir.join(name);
    path.to_str().map(String::from).ok_or_else(|| format!("the path {} is not UTF-8", path.display()))
}

/// The source that a path means, if it can be read: for guesses about what is in it.
pub fn source(path: &str) -> Option<String> {
    std::fs::read_to_string(package()?.join(path)).ok()
}

/// The folder of the package that is being compiled.
fn package() -> Option<PathBuf> {
    std::env::var_os(PACKAGE_OVERRIDE).or_else(|| std::env::var_os("CARGO_MANIFEST_DIR")).map(PathBuf::from)
}

/// Where a path leads: `./kernels\blur.hlsl` and `kernels/blur.hlsl` are the same.
fn place(path: &str) -> String {
    full_path(&package().unwrap_or_default().to_string_lossy(), path)
}

/// How to have the build script write its files again, whatever cargo thinks of them.
fn again() -> String {
    match std::env::var("CARGO_PKG_NAME") {
        Ok(package) => format!("help: run `cargo clean -p {package}` and build again"),
        Err(_) => "help: run `cargo clean` and build again".into(),
    }
}

/// The interface of a kernel with the source `wanted`, if all that it speaks of belongs together.
fn read_interface(dir: &Path, name: &str, wanted: &str) -> Result<Interface, Message> {
    let path = dir.join(format!("{name}.interface"));
    let text = std::fs::read_to_string(&path).map_err(|e| {
        format!("the build script left no interface for this kernel ({}: {e})\n{}", path.display(), again())
    })?;
    let interface = Interface::from_sealed_text(&text).map_err(|e| {
        format!(
            "the interface that the build script left for this kernel is unusable\n\
             {}:{}: {}\n\
             {}, with the same version of spirv-build and spirv-runtime",
            path.display(),
            e.line,
            e.message,
            again()
        )
    })?;
    let checked = match interface.source == wanted {
        true => interface.check_files(dir),
        false => Err(format!("`{name}.interface` is that of `{}`", interface.source)),
    };
    checked.map_err(|why| {
        format!(
            "the files that the build script left for this kernel do not belong together\n\
             {}: {why}\n\
             note: a build that was ended early, a full disk or another program did this\n{}",
            dir.display(),
            again()
        )
    })?;
    Ok(interface)
}

/// The picture of the kernel's errors, if it has any.
fn read_diag(path: &Path) -> Result<Option<String>, Message> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(format!("cannot read the kernel's errors ({}: {e})", path.display())),
    };
    let mut parts = text.splitn(3, '\n');
    let (header, errors, rest) = (parts.next(), parts.next(), parts.next());
    if header.map(str::trim_end) != Some(DIAG_HEADER) {
        return Err(format!(
            "the build script left diagnostics in a format that this version of spirv-macros cannot read \
             (`{}`, expected `{DIAG_HEADER}`)\n\
             help: use the same version of spirv-build and spirv-runtime",
            header.unwrap_or_default()
        ));
    }
    let errors = errors.and_then(|l| l.strip_prefix("errors ")).and_then(|n| n.trim().parse().ok());
    Ok(match errors {
        Some(0u32) => None,
        _ => Some(rest.unwrap_or_default().trim_matches('\n').to_string()),
    })
}

fn build_rs_help(path: &str) -> String {
    format!(
        "help: build.rs compiles it with\n\
         \n    fn main() {{\n        spirv_build::compile(\"{path}\");\n    }}\n"
    )
}

fn no_build_script(path: &str) -> Message {
    format!(
        "this package has no build script, so no kernel was compiled\n{}\n\
         and Cargo.toml needs spirv-build among the [build-dependencies]",
        build_rs_help(path)
    )
}

fn nothing_compiled(path: &str) -> Message {
    format!("the build script of this package compiled no kernel\n{}", build_rs_help(path))
}

fn not_compiled(path: &str, compiled: &[Compiled]) -> Message {
    let mut out = format!("the build script did not compile `{path}`\n");
    let missing = package().is_some_and(|package| !package.join(path).is_file());
    let mut sources: Vec<&str> = Vec::new();
    for kernel in compiled {
        if !sources.contains(&kernel.source.as_str()) {
            sources.push(&kernel.source);
        }
    }
    match names::closest(path, &sources) {
        Some(near) if missing => {
            out += &format!("help: there is no such file; did you mean `{near}`?\n");
        }
        _ => out += &build_rs_help(path),
    }
    let all = if sources.is_empty() { "no kernel".into() } else { names::list(&sources) };
    out += &format!("note: it compiled {all}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use spirv_interface::File;
    use std::fs;

    const MODULE: &[u8] = &[3, 2, 35, 7, 0, 0, 1, 0, 9, 9, 9, 9];
    const ARCHIVE: &[u8] = b"!<arch>\n";

    /// A folder as a build script leaves it.
    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("spirv-macros-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        let mut interface =
            Interface::from_text("spirv-interface 5\nkernel k\nsource kernels/k.hlsl\n").unwrap();
        interface.spirv = Some("k.vk.spv".into());
        interface.library = Some("symbol".into());
        for (name, bytes) in [("k.vk.spv", MODULE), ("libsymbol.a", ARCHIVE)] {
            fs::write(dir.join(name), bytes).unwrap();
            interface.files.push(File::of(name, bytes));
        }
        fs::write(dir.join("k.interface"), interface.to_sealed_text()).unwrap();
        dir
    }

    #[test]
    fn files_that_do_not_belong_together_are_refused() {
        let dir = folder("files");
        let read = || read_interface(&dir, "k", "kernels/k.hlsl");
        assert!(read().is_ok());
        // Cut off at the end of a word, changed, and gone.
        for (name, bytes) in [("k.vk.spv", MODULE), ("libsymbol.a", ARCHIVE)] {
            let mut changed = bytes.to_vec();
            changed[5] ^= 1;
            for bad in [Some(&bytes[..bytes.len() - 4]), Some(&changed), Some(&[]), None] {
                match bad {
                    Some(bad) => fs::write(dir.join(name), bad).unwrap(),
                    None => fs::remove_file(dir.join(name)).unwrap(),
                }
                let message = read().unwrap_err();
                assert!(message.contains("do not belong together") && message.contains(name), "{message}");
                assert!(message.contains("help: run `cargo clean -p spirv-macros`"), "{message}");
            }
            fs::write(dir.join(name), bytes).unwrap();
            assert!(read().is_ok());
        }
        let message = read_interface(&dir, "k", "kernels/other.hlsl").unwrap_err();
        assert!(message.contains("`k.interface` is that of `kernels/k.hlsl`"), "{message}");
        fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn interfaces_that_are_cut_off_or_speak_of_unknown_files_are_refused() {
        let dir = folder("interface");
        let file = dir.join("k.interface");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.rsplit_once("end ").unwrap().0).unwrap();
        let message = read_interface(&dir, "k", "kernels/k.hlsl").unwrap_err();
        assert!(message.contains("cut off or changed"), "{message}");
        let mut interface = Interface::from_sealed_text(&text).unwrap();
        interface.files.pop();
        fs::write(&file, interface.to_sealed_text()).unwrap();
        let message = read_interface(&dir, "k", "kernels/k.hlsl").unwrap_err();
        assert!(message.contains("does not say what is in `libsymbol.a`"), "{message}");
        fs::remove_dir_all(&dir).unwrap();
    }
}
