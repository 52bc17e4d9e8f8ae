//! Passes, one at a time: `passes/<pass>/*.spirv` is a module as text, then `// ----`, then what the pass makes of it. A first
//! line `// options: cpu` gives the pass an option. Both modules are verified; findings stand as comments before the second.
//! `UPDATE_EXPECT=1` rewrites what comes behind the line.

mod common;

use spirv_build::analysis::Analyses;
use spirv_build::diag::Findings;
use spirv_build::ir::{Module, parse, print, verify};
use spirv_build::passes::{Changed, registry};
use std::path::{Path, PathBuf};

/// Cases of each pass, at least.
const LEAST: usize = 3;

const LINE: &str = "// ----\n";

fn cases(folder: &Path) -> Vec<PathBuf> {
    let files = folder.read_dir().into_iter().flatten().map(|f| f.unwrap().path());
    let mut list: Vec<PathBuf> = files.filter(|p| p.extension().is_some_and(|e| e == "spirv")).collect();
    list.sort();
    list
}

fn folder(pass: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes").join(pass)
}

/// What a pass makes of a text.
fn run(pass: &str, text: &str) -> Result<String, String> {
    let option = text.lines().next().and_then(|l| l.strip_prefix("// options: "));
    let item = option.map_or(pass.to_string(), |option| format!("{pass}({option})"));
    let list = registry::parse(&item)?;
    let mut module = parse::parse(text).map_err(|e| e.to_string())?;
    let broken = |module: &Module, when: &str| match verify::verify(module).first() {
        Some(e) => Err(format!("{when} the pass: {}", e.message)),
        None => Ok(()),
    };
    broken(&module, "before")?;
    let before = print::print(&module);
    let mut findings = Findings::new();
    let changed = list[0].run(&mut module, &mut Analyses::default(), &mut findings);
    let after = print::print(&module);
    if changed == Changed::No && before != after {
        return Err(format!("the pass says that it changed nothing, but made\n{after}"));
    }
    let mut made = String::new();
    for f in findings.iter() {
        made += &format!("// {}: {}\n", f.code.id(), f.text);
        made.extend(f.help.iter().map(|h| format!("//   help: {h}\n")));
    }
    if !findings.has_errors() {
        broken(&module, "after").map_err(|e| format!("{e}\n{after}"))?;
        made += &after;
    }
    Ok(made)
}

#[test]
fn modules_become_what_is_expected() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut failures = Vec::new();
    for row in registry::REGISTRY {
        for path in cases(&folder(row.name)) {
            let text = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
            let (input, wanted) = text.split_once(LINE).unwrap_or((&text, ""));
            match run(row.name, input) {
                Err(why) => failures.push(format!("{}: {why}", path.display())),
                Ok(made) if update => std::fs::write(&path, format!("{input}{LINE}{made}")).unwrap(),
                Ok(made) if made != wanted => {
                    failures.push(format!("{}:\n--- expected\n{wanted}--- actual\n{made}", path.display()));
                }
                Ok(_) => {}
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn each_pass_has_cases() {
    for row in registry::REGISTRY {
        let count = cases(&folder(row.name)).len();
        assert!(count >= LEAST, "{} has {count} cases, not {LEAST}", row.name);
    }
    for found in folder("").read_dir().unwrap().map(|f| f.unwrap().file_name()) {
        let name = found.to_string_lossy();
        assert!(registry::REGISTRY.iter().any(|row| row.name == name), "there is no pass `{name}`");
    }
}
