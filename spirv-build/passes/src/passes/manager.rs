//! Runs lists of passes: keeps their analyses, verifies after each in builds with debug assertions, and tells what was asked.

use super::{Changed, Pass};
use crate::analysis::Analyses;
use crate::diag::{Code, Finding, Findings};
use crate::ir::{Module, print, verify};
use std::time::{Duration, Instant};

/// What is to be told of passes while they run.
#[derive(Debug, Clone, Default)]
pub struct Instruments {
    /// Passes before which the module is printed, or `all`.
    pub print_before: Vec<String>,
    /// Passes after which it is, or `all`.
    pub print_after: Vec<String>,
    /// Whether to tell how long each took.
    pub time: bool,
    /// Whether the module is verified after each pass though there are no debug assertions.
    pub verify: bool,
    /// Where the text goes.
    pub say: Option<fn(&str)>,
}

impl Instruments {
    fn say(&self, text: &str) {
        if let Some(say) = self.say {
            say(text);
        }
    }

    fn print(&self, wanted: &[String], when: &str, pass: &dyn Pass, module: &Module) {
        if wanted.iter().any(|name| name == "all" || name == pass.name()) {
            self.say(&format!("// {when} {}\n{}", pass.name(), print::print(module)));
        }
    }
}

/// Runs passes on one module after the other. Analyses live from pass to pass of one list.
#[derive(Debug, Default)]
pub struct Manager {
    instruments: Instruments,
    times: Vec<(&'static str, u32, Duration)>,
}

impl Manager {
    /// A manager that tells what `instruments` ask for.
    pub fn new(instruments: Instruments) -> Manager {
        Manager { instruments, times: Vec::new() }
    }

    /// Runs a list of passes; gives whether one changed the module. With an error among the findings it ends early, and the module
    /// is of no use.
    pub fn run<'p>(
        &mut self,
        passes: impl IntoIterator<Item = &'p dyn Pass>,
        module: &mut Module,
        findings: &mut Findings,
    ) -> Changed {
        let mut analyses = Analyses::default();
        let mut changed = Changed::No;
        for pass in passes {
            if self.pass(pass, module, &mut analyses, findings) == Changed::Yes {
                changed = Changed::Yes;
            }
            if findings.has_errors() {
                break;
            }
        }
        changed
    }

    fn pass(
        &mut self,
        pass: &dyn Pass,
        module: &mut Module,
        analyses: &mut Analyses,
        findings: &mut Findings,
    ) -> Changed {
        let instruments = &self.instruments;
        instruments.print(&instruments.print_before, "before", pass, module);
        let start = instruments.time.then(Instant::now);
        let changed = pass.run(module, analyses, findings);
        if let Some(start) = start {
            let took = start.elapsed();
            match self.times.iter_mut().find(|t| t.0 == pass.name()) {
                Some((_, runs, sum)) => (*runs, *sum) = (*runs + 1, *sum + took),
                None => self.times.push((pass.name(), 1, took)),
            }
        }
        self.instruments.print(&self.instruments.print_after, "after", pass, module);
        if changed == Changed::Yes {
            analyses.invalidate(pass.preserves());
            if (cfg!(debug_assertions) || self.instruments.verify) && !findings.has_errors() {
                findings.extend(verify(module, Some(pass.name())));
            }
        }
        changed
    }

    /// Tells how long the passes took, if that was asked for.
    pub fn tell_times(&self) {
        if !self.instruments.time {
            return;
        }
        let sum: Duration = self.times.iter().map(|t| t.2).sum();
        let row = |name: &str, runs: u32, took: Duration| {
            format!("{:10.3} ms  {runs:4} x  {name}\n", took.as_secs_f64() * 1e3)
        };
        let rows: String = self.times.iter().map(|(name, runs, took)| row(name, *runs, *took)).collect();
        let runs = self.times.iter().map(|t| t.1).sum();
        self.instruments.say(&format!("{rows}{}", row("all passes", runs, sum)));
    }
}

/// The rules that a module breaks: then the compiler made a mistake, unless the source writes the instruction out or the
/// module is only too large. `after` is the pass that it comes from.
pub fn verify(module: &Module, after: Option<&str>) -> Vec<Finding> {
    let finding = |e: verify::VerifyError| {
        let inst = e.func.zip(e.inst).and_then(|(f, i)| module.functions[f].insts.get(i));
        if inst.is_some_and(|i| i.written_out) {
            return Finding::new(Code::BadInstruction, e.span, e.message)
                .help("check the declaration of the instruction against the specification of SPIR-V");
        }
        if e.too_large {
            return Finding::new(Code::TooMany, e.span, format!("with all calls written out, {}", e.message))
                .help("calls count as what they call does: make the chain of calls shorter, or their loops and branches flatter");
        }
        let by = after.map_or("the compiler".to_string(), |pass| format!("pass `{pass}` of the compiler"));
        Finding::internal(e.span, format!("{by} made an invalid module: {}", e.message))
    };
    verify::verify(module).into_iter().map(finding).collect()
}
