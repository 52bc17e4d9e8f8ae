//! Walls between the rooms of the compiler: which of them may name which. A room is a module of a crate's root. Between crates a name
//! takes a dependency and an alias in `lib.rs`, which are looked at here, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A row each: crate, those of the compiler that it depends on, its rooms, each with those that it may name. What is drawn upwards in
/// ARCHITECTURE may not be named: no later stage reaches back.
const CRATES: &[(&str, &[&str], Edges)] = &[
    // What anything may use.
    (
        "base",
        &[],
        &[
            ("interner", &[]),
            ("stack", &[]),
            ("source", &["interner"]),
            ("input", &["source"]),
            ("diag", &["source"]),
        ],
    ),
    // The middle: it knows no front end, no host and no target.
    ("ir", &["base"], &[("ir", &["source", "stack"]), ("analysis", &["ir", "source"])]),
    ("passes", &["base", "ir"], &[("passes", &["analysis", "diag", "ir", "source"])]),
    // Front ends.
    ("hlsl", &["base"], &[("hlsl", &["diag", "input", "interner", "source", "stack"])]),
    (
        "lower",
        &["base", "hlsl", "ir"],
        &[("lower", &["diag", "hlsl", "ir", "source"]), ("debug", &["hlsl", "ir", "source"])],
    ),
    ("llvm", &["base", "ir"], &[("llvm", &["diag", "input", "ir", "source", "stack"])]),
    // Hosts.
    (
        "codegen",
        &["base", "ir", "passes"],
        &[
            ("target", &["ir", "source"]),
            ("spv", &["diag", "ir", "source", "target"]),
            ("interface", &["diag", "ir", "source"]),
            ("abi", &["diag", "ir", "passes", "source"]),
        ],
    ),
    (
        "cpu",
        &["base", "ir"],
        &[("spmd", &["analysis", "diag", "ir", "source"]), ("cpu", &["diag", "ir", "source", "spmd"])],
    ),
    // The roads, and who takes them.
    (
        ".",
        &["base", "codegen", "cpu", "hlsl", "ir", "llvm", "lower", "passes"],
        &[
            (
                "pipeline",
                &[
                    "abi",
                    "analysis",
                    "cpu",
                    "diag",
                    "hlsl",
                    "input",
                    "interface",
                    "ir",
                    "llvm",
                    "passes",
                    "source",
                    "spv",
                    "stack",
                    "target",
                ],
            ),
            (
                "driver",
                &[
                    "abi", "diag", "hlsl", "input", "llvm", "passes", "pipeline", "source", "spv", "stack",
                    "target",
                ],
            ),
            ("build", &["diag", "driver", "input", "pipeline"]),
            ("bin", &[]),
        ],
    ),
];

/// Rooms, each with those that it may name.
type Edges = &'static [(&'static str, &'static [&'static str])];

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // Compiled into kernels, not into the compiler.
            if !path.ends_with("cpu/src/cpu/prelude") {
                files(&path, out);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The rooms that a file names: what follows `crate::`, in paths and in `use` with braces. Tests may name what they like.
fn named(text: &str) -> BTreeSet<&str> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut found = BTreeSet::new();
    for line in text.lines().filter(|l| !l.trim_start().starts_with("//")) {
        for (at, _) in line.match_indices("crate::") {
            let rest = &line[at + "crate::".len()..];
            let word = |s: &str| s.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(s.len());
            // `$crate` in a macro is the same crate; `use crate::{...}` at the top names several rooms.
            match rest.strip_prefix('{') {
                Some(list) => found.extend(
                    list.split(',')
                        .map(|item| item.trim_start_matches([' ', '}', ';']))
                        .map(|i| &i[..word(i)]),
                ),
                None => _ = found.insert(&rest[..word(rest)]),
            }
        }
    }
    found.remove("");
    found
}

/// The crates of the compiler that a manifest or a root names, without `spirv-build-` before them.
fn crates_in<'t>(text: &'t str, prefix: &str) -> BTreeSet<&'t str> {
    let word = |s: &'t str| &s[..s.find(|c: char| !c.is_alphanumeric()).unwrap_or(s.len())];
    text.lines().filter_map(|l| l.split_once(prefix)).map(|(_, rest)| word(rest)).collect()
}

#[test]
fn crates_depend_only_on_those_that_they_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut before = BTreeSet::new();
    let mut rooms = BTreeSet::new();
    for (name, may, own) in CRATES {
        let manifest = fs::read_to_string(root.join(name).join("Cargo.toml")).unwrap();
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap();
        let found = crates_in(dependencies, "spirv-build-");
        assert_eq!(found, may.iter().copied().collect(), "dependencies of `{name}`");
        let lib = fs::read_to_string(root.join(name).join("src/lib.rs")).unwrap();
        assert_eq!(found, crates_in(&lib, "use spirv_build_"), "what `{name}` has aliases for");
        assert!(found.is_subset(&before), "`{name}` stands before what it depends on");
        before.insert(*name);
        for (room, _) in *own {
            assert!(rooms.insert(*room), "the room `{room}` has two rows");
        }
    }
}

#[test]
fn rooms_name_only_those_that_they_may() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut wrong, mut count) = (Vec::new(), 0);
    let all: BTreeSet<&str> = CRATES.iter().flat_map(|c| c.2).map(|r| r.0).collect();
    for (name, _, edges) in CRATES {
        let src = root.join(name).join("src");
        let allowed: BTreeMap<_, _> = edges.iter().copied().collect();
        let (mut found, mut used) = (Vec::new(), BTreeSet::new());
        files(&src, &mut found);
        count += found.len();
        for path in &found {
            let file = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
            let room = file.split('/').next().unwrap().trim_end_matches(".rs");
            if room == "lib" {
                continue;
            }
            let text = fs::read_to_string(path).unwrap();
            let Some(may) = allowed.get(room) else {
                wrong.push(format!("{name}/{file}: CRATES has no row for the room `{room}`"));
                continue;
            };
            for other in named(&text).into_iter().filter(|o| *o != room && all.contains(o)) {
                used.insert((room.to_string(), other.to_string()));
                if !may.contains(&other) {
                    wrong.push(format!("{name}/{file} names `crate::{other}`"));
                }
            }
        }
        for (room, may) in *edges {
            let idle = may.iter().filter(|m| !used.contains(&(room.to_string(), m.to_string())));
            wrong.extend(idle.map(|m| format!("`{room}` does not name `{m}`: take it out of CRATES")));
        }
    }
    assert!(count > 300, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Within a crate each names only those before it.
#[test]
fn rooms_stand_in_an_order() {
    let mut before = BTreeSet::new();
    for (room, may) in CRATES.iter().flat_map(|c| c.2) {
        let later: Vec<_> = may.iter().filter(|m| !before.contains(*m)).collect();
        assert!(later.is_empty(), "`{room}` stands before {later:?}");
        before.insert(*room);
    }
}

#[test]
fn names_are_found() {
    let text = "use crate::ir::{A, B};\n// crate::hlsl\nfn f() { crate::spv::x(); }\nuse crate::{abi::vulkan, diag};\n\
        #[cfg(test)]\nmod tests {\nuse crate::driver;\n";
    assert_eq!(named(text).into_iter().collect::<Vec<_>>(), ["abi", "diag", "ir", "spv"]);
}
