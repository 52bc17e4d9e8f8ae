//! What the arguments of entry points are: what the source names, whatever optimisation leaves of it.

use spirv_build::hlsl;
use spirv_build::hlsl::pp::IncludeHandler;
use spirv_build::input::Unreadable;
use spirv_build::pipeline::{Options, compile};
use spirv_build::target::TargetEnv;
use spirv_interface::{EntryPoint, Interface};

/// A header with resources of its own.
struct Common;

impl IncludeHandler for Common {
    fn read(&self, path: &str) -> Result<String, Unreadable> {
        let text = "StructuredBuffer<float> far;\nRWStructuredBuffer<uint> nobodys;\n\
            #define DECLARE(name) RWStructuredBuffer<float> name;\n\
            float from_afar(uint i) { return far[i]; }\n";
        if path.ends_with("common.h") { Ok(text.into()) } else { Err(Unreadable::Absent) }
    }
}

fn interface(text: &str, entry: Option<&str>, shared: bool) -> Interface {
    let options = Options {
        hlsl: hlsl::Options {
            profile: "cs_6_6".into(),
            entry: entry.map(String::from),
            ..hlsl::Options::default()
        },
        target: TargetEnv::default(),
        cpu_arch: Some("x86_64".into()),
        level_zero: true,
        warnings: Default::default(),
        kernel: "k".into(),
        source: "k.hlsl".into(),
        shared_arguments: shared,
        vulkan: Default::default(),
        passes: Default::default(),
        error_limit: None,
        symbol: "k".into(),
    };
    let outcome = compile("k.hlsl", text.as_bytes(), &options, &Common);
    let findings: Vec<_> = outcome.diagnostics.iter().map(|d| d.message.clone()).collect();
    let made = outcome.compiled.unwrap_or_else(|| panic!("{text}: {findings:?}")).interface;
    assert_eq!(Interface::from_text(&made.to_text()).unwrap(), made);
    made
}

/// The names of an entry point's arguments, those of them without use in brackets, and what signatures may have or leave out.
fn arguments(interface: &Interface, entry: &EntryPoint) -> String {
    let name = |r: &u32| interface.resources[*r as usize].name.clone();
    let all = entry.resources.iter().map(|r| match entry.unused.contains(r) {
        true => format!("[{}]", name(r)),
        false => name(r),
    });
    let all: Vec<String> = all.collect();
    let optional: Vec<String> = entry.optional.iter().map(name).collect();
    format!("{}; {}", all.join(" "), optional.join(" "))
}

const FILE: &str = "#include \"common.h\"\nStructuredBuffer<float> a;\nRWStructuredBuffer<float> b;\n\
    cbuffer P { uint n; };\nDECLARE(c)\n";

/// What is declared, the entry point's body, and its arguments.
const ALONE: &[(&str, &str, &str)] = &[
    ("", "b[0] = a[0];", "a b [P] [c]; far nobodys P c"),
    ("", "b[0] = a[n];", "a b P [c]; far nobodys c"),
    ("", "", "[a] [b] [P] [c]; far nobodys a b P c"),
    ("", "return; b[0] = a[n];", "[a] [b] [P] [c]; far nobodys c"),
    ("", "if (false) b[0] = a[n];", "[a] [b] [P] [c]; far nobodys c"),
    ("", "b[0] = false ? a[0] : 1;", "[a] b [P] [c]; far nobodys P c"),
    ("", "b[0] = false && a[0] > 0;", "[a] b [P] [c]; far nobodys P c"),
    ("", "b[0] = sizeof(a[0]);", "[a] b [P] [c]; far nobodys P c"),
    ("", "float unused = a[0]; b[0] = 1;", "[a] b [P] [c]; far nobodys P c"),
    ("", "while (false) b[0] = a[n];", "[a] [b] [P] [c]; far nobodys c"),
    ("", "b[0] = from_afar(1);", "far [a] b [P] [c]; nobodys a P c"),
    ("", "if (false) b[0] = from_afar(1);", "[far] [a] [b] [P] [c]; nobodys a P c"),
    // What another function names is declared in the file or not named at all.
    ("float other() { return far[0]; }", "b[0] = 1;", "[a] b [P] [c]; far nobodys a P c"),
    (
        "float get(StructuredBuffer<float> x) { return 1; }",
        "b[0] = get(far);",
        "[far] [a] b [P] [c]; nobodys a P c",
    ),
    ("static float first = far[0];", "b[0] = 1;", "[far] [a] b [P] [c]; nobodys a P c"),
    ("uint loose;", "b[0] = 1;", "[a] b [P] [c] [Globals]; far nobodys a P c Globals"),
    // Counters.
    (
        "AppendStructuredBuffer<float> q;",
        "",
        "[a] [b] [P] [c] [q] [q_counter]; far nobodys a b P c q q_counter",
    ),
    ("", "b.IncrementCounter();", "[a] [b] [P] [c] b_counter; far nobodys a P c"),
    ("", "return; b.IncrementCounter();", "[a] [b] [P] [c] [b_counter]; far nobodys a P c"),
    (
        "",
        "if (false) nobodys.DecrementCounter();",
        "[nobodys] [a] [b] [P] [c] [nobodys_counter]; far a b P c",
    ),
    (
        "uint next(RWStructuredBuffer<float> x) { return x.IncrementCounter(); } \
         uint more(RWStructuredBuffer<float> x) { return next(x); }",
        "if (false) more(b);",
        "[a] [b] [P] [c] [b_counter]; far nobodys a P c",
    ),
];

#[test]
fn an_entry_point_alone_takes_what_its_file_declares_or_it_names() {
    let mut wrong = Vec::new();
    for (before, body, expected) in ALONE {
        let text = format!("{FILE}{before}\n[numthreads(1, 1, 1)] void main() {{ {body} }}\n");
        let interface = interface(&text, None, false);
        let [entry] = &interface.entries[..] else { panic!("{text}") };
        let found = arguments(&interface, entry);
        if found != *expected {
            wrong.push(format!("{before} {body}: {found}, not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_device_is_given_what_code_does_not_use() {
    let text =
        format!("{FILE}[numthreads(1, 1, 1)] void main() {{ b[0] = 1; if (false) b[1] = a[n] + c[0]; }}");
    let interface = interface(&text, None, false);
    let entry = &interface.entries[0];
    let b = interface.resources.iter().position(|r| r.name == "b").unwrap() as u32;
    assert_eq!(entry.used().collect::<Vec<_>>(), [b]);
    assert!(entry.cl.args().iter().all(|a| a.number() == b), "{:?}", entry.cl);
}

/// Two entry points, and what each takes.
const BOTH: &str = "[numthreads(1, 1, 1)] void one() { b[0] = a[0]; }\n\
    [numthreads(1, 1, 1)] void two() { if (false) c[0] = from_afar(n); b[1] = 2; }\n";

#[test]
fn entry_points_of_a_file_take_what_each_names() {
    let text = format!("{FILE}{BOTH}");
    let of = |entry: Option<&str>, shared| {
        let interface = interface(&text, entry, shared);
        interface.entries.iter().map(|e| arguments(&interface, e)).collect::<Vec<_>>()
    };
    assert_eq!(of(None, false), ["a b; far nobodys P c", "[far] b [P] [c]; nobodys a"]);
    // One that is chosen is alone.
    assert_eq!(of(Some("one"), false), ["a b [P] [c]; far nobodys P c"]);
    assert_eq!(of(None, true), ["[far] a b [P] [c]; far nobodys P c", "[far] [a] b [P] [c]; nobodys a"]);
}
