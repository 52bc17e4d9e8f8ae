//! Walls between the rooms of the compiler: which of them may name which. A room is a folder of `src`, or a file there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A row each: room, rooms that it may name. What is drawn upwards in ARCHITECTURE may not be named: no later stage reaches back.
const EDGES: &[(&str, &[&str])] = &[
    // What anything may use.
    ("interner", &[]),
    ("stack", &[]),
    ("source", &["interner"]),
    ("input", &["source"]),
    ("diag", &["source"]),
    // The middle: it knows no front end, no host and no target.
    ("ir", &["source", "stack"]),
    ("target", &["ir", "source"]),
    ("spv", &["ir", "source", "target"]),
    ("analysis", &["ir"]),
    ("passes", &["analysis", "diag", "ir", "source"]),
    // Front ends.
    ("hlsl", &["diag", "input", "interner", "ir", "source", "stack"]),
    ("llvm", &["input", "ir", "source", "stack"]),
    // Hosts.
    ("abi", &["analysis", "diag", "ir", "passes", "source"]),
    ("spmd", &["ir", "source"]),
    ("cpu", &["ir", "source", "spmd"]),
    // The roads, and who takes them.
    (
        "pipeline",
        &[
            "abi", "cpu", "diag", "hlsl", "input", "ir", "llvm", "passes", "source", "spmd", "spv", "stack",
            "target",
        ],
    ),
    (
        "driver",
        &["abi", "diag", "hlsl", "input", "llvm", "passes", "pipeline", "source", "spv", "stack", "target"],
    ),
    ("build", &["diag", "driver", "input", "pipeline"]),
    ("bin", &[]),
    ("lib", &[]),
];

fn files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            // Compiled into kernels, not into the compiler.
            if !path.ends_with("cpu/prelude") {
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

#[test]
fn rooms_name_only_those_that_they_may() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let allowed: BTreeMap<_, _> = EDGES.iter().copied().collect();
    assert_eq!(allowed.len(), EDGES.len(), "a room has two rows");
    let (mut all, mut used) = (Vec::new(), BTreeSet::new());
    files(&src, &mut all);
    assert!(all.len() > 300, "{}", all.len());
    let mut wrong = Vec::new();
    for path in &all {
        let file = path.strip_prefix(&src).unwrap().to_str().unwrap().replace('\\', "/");
        let room = file.split('/').next().unwrap().trim_end_matches(".rs");
        let text = fs::read_to_string(path).unwrap();
        let Some(may) = allowed.get(room) else {
            wrong.push(format!("{file}: EDGES has no row for the room `{room}`"));
            continue;
        };
        for other in named(&text).into_iter().filter(|o| *o != room && allowed.contains_key(o)) {
            used.insert((room.to_string(), other.to_string()));
            if !may.contains(&other) {
                wrong.push(format!("{file} names `crate::{other}`"));
            }
        }
    }
    for (room, may) in EDGES {
        let idle = may.iter().filter(|m| !used.contains(&(room.to_string(), m.to_string())));
        wrong.extend(idle.map(|m| format!("`{room}` does not name `{m}`: take it out of EDGES")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An order in which the rooms could be crates: each names only those before it.
#[test]
fn rooms_stand_in_an_order() {
    let mut before = BTreeSet::new();
    let mut left: Vec<_> = EDGES.to_vec();
    while !left.is_empty() {
        let (ready, rest): (Vec<_>, Vec<_>) =
            left.iter().copied().partition(|(_, may)| may.iter().all(|m| before.contains(m)));
        assert!(!ready.is_empty(), "a circle among {:?}", rest.iter().map(|r| r.0).collect::<Vec<_>>());
        before.extend(ready.iter().map(|r| r.0));
        left = rest;
    }
}

#[test]
fn names_are_found() {
    let text = "use crate::ir::{A, B};\n// crate::hlsl\nfn f() { crate::spv::x(); }\nuse crate::{abi::vulkan, diag};\n\
        #[cfg(test)]\nmod tests {\nuse crate::driver;\n";
    assert_eq!(named(text).into_iter().collect::<Vec<_>>(), ["abi", "diag", "ir", "spv"]);
}
