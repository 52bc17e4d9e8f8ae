//! Programs through passes: verified after each, and what they compute stays what it was. An interpreter of the IR that shares no
//! code with the passes runs them.

use super::interpreter::{self, Datum, Stop};
use super::{Numbers, arithmetic};
use spirv_build::diag::{Code, Diagnostics, Findings, render};
use spirv_build::hlsl::{self, FileIncludes, lower};
use spirv_build::ir::{Module, print};
use spirv_build::passes::{Instruments, Manager, registry};
use spirv_build::pipeline;
use spirv_build::source::SourceMap;
use spirv_build::stack::on_large_stack;

/// Invocations of each program.
const INVOCATIONS: u64 = 3;

/// What most passes work on: one function.
pub const ONE_FUNCTION: [&str; 2] = ["inline(all)", "inline(entries)"];

/// Passes that keep a module what it is for the interpreter. The others say for a target what is meant already; those run too, where
/// they change nothing that it sees.
pub fn items() -> Vec<String> {
    let skipped = ["guard-addresses"];
    let rows = registry::REGISTRY.iter().filter(|row| !skipped.contains(&row.name));
    rows.flat_map(|row| match row.options {
        [] => vec![row.name.to_string()],
        options => options.iter().map(|o| format!("{}({o})", row.name)).collect(),
    })
    .collect()
}

/// A program, and what it computes.
pub struct Program {
    text: String,
    module: Module,
    result: Vec<Datum>,
}

impl Program {
    /// A program by the rules; none where what it does is undefined.
    pub fn new(numbers: &mut Numbers) -> Option<Program> {
        let text = arithmetic::program(numbers);
        let module = lowered(&text);
        match interpreter::run(&module, INVOCATIONS) {
            Ok(result) => Some(Program { text, module, result }),
            Err(Stop::Undefined) => None,
            Err(Stop::Unknown(what)) => panic!("the interpreter does not know {what}\n{text}"),
        }
    }

    /// Runs a list of passes over it. Whether they take it: there are choices between resources that need others first.
    ///
    /// # Panics
    ///
    /// Where a pass leaves what `verify` refuses, or what computes something else.
    pub fn survives(&self, list: &str) -> bool {
        let passes = registry::parse(list).unwrap();
        let mut after = self.module.clone();
        let mut findings = Findings::new();
        let mut manager = Manager::new(Instruments { verify: true, ..Instruments::default() });
        manager.run(passes.iter().map(Box::as_ref), &mut after, &mut findings);
        let context = || format!("{list}\n{}\n{}", self.text, print::print(&after));
        if findings.has_errors() {
            let refused = findings.iter().all(|f| f.code == Code::NotSupported);
            assert!(refused, "{:?}\n{}", findings.iter().next(), context());
            return false;
        }
        match interpreter::run(&after, INVOCATIONS) {
            Ok(now) => {
                let first = self.result.iter().zip(&now).position(|(a, b)| !same(a, b));
                assert!(first.is_none(), "another result: {:?}\n{now:?}\n{}", self.result, context());
            }
            Err(why) => panic!("{why:?}: {}", context()),
        }
        true
    }
}

/// A fuzz target: eight bytes are the program's number, each further one a pass.
pub fn passes(data: &[u8]) {
    let Some((seed, list)) = data.split_first_chunk::<8>() else { return };
    let Some(program) = Program::new(&mut Numbers(u64::from_le_bytes(*seed))) else { return };
    let items = items();
    let start = ONE_FUNCTION[usize::from(seed[0]) % ONE_FUNCTION.len()];
    let rest = list.iter().take(16).map(|byte| items[usize::from(*byte) % items.len()].as_str());
    program.survives(&std::iter::once(start).chain(rest).collect::<Vec<_>>().join(","));
}

fn lowered(text: &str) -> Module {
    let (mut sources, mut d) = (SourceMap::new(), Diagnostics::new());
    let module = on_large_stack(|| {
        let options = hlsl::Options { profile: "cs_6_6".into(), ..Default::default() };
        let hir = hlsl::compile_to_hir("p.hlsl", text, &options, &FileIncludes, &mut sources, &mut d)?;
        pipeline::lower_hir(&hir, &lower::Options::default(), &mut d)
    });
    module.unwrap_or_else(|| panic!("{}\n{text}", render::pictures(&d, &sources, false)))
}

/// Whether a result is the same; of what is undefined before nothing is asked.
fn same(before: &Datum, after: &Datum) -> bool {
    match (before, after) {
        (Datum::Undef, _) => true,
        (Datum::Parts(a), Datum::Parts(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        _ => before == after,
    }
}
