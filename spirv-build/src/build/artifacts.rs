//! Files in `OUT_DIR/spirv`. The interface is written last and says what is in the others: whatever a build that was ended
//! leaves is of one version, or is refused by the macros.

use super::files::{remove, write_if_changed};
use super::{Environment, native};
use crate::pipeline::Compiled;
use spirv_interface::{CpuEntry, Digest, File, Interface};
use std::fs;
use std::path::PathBuf;

/// First line of a file with diagnostics; the macros know it.
const DIAG_HEADER: &str = "spirv-diag 1";

/// The files of one kernel.
pub(super) struct Artifacts {
    dir: PathBuf,
    kernel: String,
}

impl Artifacts {
    pub fn new(env: &Environment, kernel: &str) -> Artifacts {
        Artifacts { dir: env.dir.clone(), kernel: kernel.to_string() }
    }

    pub fn file(&self, extension: &str) -> PathBuf {
        self.dir.join(format!("{}.{extension}", self.kernel))
    }

    /// Removes folders whose extension begins like this: what earlier builds had no time to.
    pub fn remove_folders(&self, extension: &str) {
        let start = format!("{}.{extension}", self.kernel);
        for entry in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&start) {
                // Somebody may still write there: the next build tries again.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Whether what is there are errors.
    pub fn failed(&self) -> bool {
        self.file("diag").exists()
    }

    /// Writes what a kernel became, and gives the names of the files. `symbol` is the prefix of the native symbols.
    pub fn write(
        &self,
        mut compiled: Compiled,
        env: &Environment,
        symbol: &str,
    ) -> Result<Vec<String>, String> {
        seal_symbols(&mut compiled, symbol);
        let mut interface = compiled.interface;
        let modules = interface.spirv.iter().zip([&compiled.spirv]);
        for (name, words) in modules.chain(compiled.cl.iter().map(|(name, words)| (name, words))) {
            let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
            write_if_changed(&self.dir.join(name), &bytes)?;
            interface.files.push(File::of(name, &bytes));
        }
        if let Some(source) = &compiled.cpu {
            for (name, bytes) in native::build(env, self, source, symbol)? {
                write_if_changed(&self.dir.join(&name), &bytes)?;
                interface.files.push(File::of(&name, &bytes));
            }
            interface.library = Some(symbol.to_string());
        }
        write_if_changed(&self.file("interface"), interface.to_sealed_text().as_bytes())?;
        // Those of an earlier build that had more.
        let mut next = compiled.cl.len();
        while remove(&self.file(&format!("{next}.cl.spv")))? {
            next += 1;
        }
        remove(&self.file("diag"))?;
        let mut names: Vec<String> = interface.files.into_iter().map(|f| f.name).collect();
        names.push(format!("{}.interface", self.kernel));
        Ok(names)
    }

    /// Writes the errors of a kernel, and gives the names of the files.
    pub fn write_errors(&self, errors: usize, picture: &str) -> Result<Vec<String>, String> {
        let text = format!("{DIAG_HEADER}\nerrors {errors}\n\n{picture}");
        write_if_changed(&self.file("diag"), text.as_bytes())?;
        Ok(vec![format!("{}.diag", self.kernel)])
    }

    /// Tells cargo where the native library is; with `strict`, fails if the kernel has errors.
    pub fn announce(&self, strict: bool) -> Result<(), String> {
        if let Ok(text) = fs::read_to_string(self.file("diag")) {
            let picture = text.splitn(3, '\n').nth(2).unwrap_or_default().trim_start_matches('\n');
            if strict {
                return Err(format!("kernel `{}` does not compile\n\n{picture}", self.kernel));
            }
            return Ok(());
        }
        // The stub names the library itself (`#[link]`), so that whatever target uses the kernel links it.
        println!("cargo::rustc-link-search=native={}", self.dir.display());
        Ok(())
    }
}

/// Puts a digest of all that a kernel became into the names of its native symbols: an archive of another version has no such
/// function.
fn seal_symbols(compiled: &mut Compiled, symbol: &str) {
    let Some(cpu) = &compiled.cpu else { return };
    let words = compiled.cl.iter().flat_map(|(_, words)| words).chain(&compiled.spirv);
    let mut bytes: Vec<u8> = words.flat_map(|w| w.to_le_bytes()).collect();
    bytes.extend(Interface::to_text(&compiled.interface).bytes());
    bytes.extend(cpu.bytes());
    let sealed = format!("{symbol}_{}", Digest::of(&bytes));
    compiled.cpu = Some(cpu.replace(symbol, &sealed));
    for entry in &mut compiled.interface.entries {
        if let CpuEntry::Code(code) = &mut entry.cpu {
            code.symbol = code.symbol.replace(symbol, &sealed);
        }
    }
}
