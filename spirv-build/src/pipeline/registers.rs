//! Registers that two resources of one program name. Stubs bind by name, so that nothing goes wrong; but Direct3D would refuse
//! it, dxc would put both into one place, and mostly a number was forgotten when a line was copied.

use crate::diag::{Code, Diagnostics};
use crate::ir::{Global, Module};
use rustc_hash::FxHashMap;

/// Reports them in a module whose entry points list what they use.
pub(super) fn report_shared(module: &Module, diagnostics: &mut Diagnostics) {
    let mut told = Vec::new();
    for entry in &module.entry_points {
        let mut first: FxHashMap<(char, u32, u32), Global> = FxHashMap::default();
        for &g in &entry.interface {
            let global = &module.globals[g];
            let Some(i) = global.interface.as_ref().filter(|i| i.view_of.is_none()) else { continue };
            let Some(register) = i.hlsl().register else { continue };
            let one = *first.entry(register).or_insert(g);
            if one == g || told.contains(&(one, g)) {
                continue;
            }
            told.push((one, g));
            let (class, number, space) = register;
            let (a, b) = (&module.globals[one], global);
            let [a_name, b_name] = [a, b].map(|g| &g.name);
            let space = if space == 0 { String::new() } else { format!(" of space {space}") };
            diagnostics
                .report(
                    Code::SharedRegister,
                    b.span,
                    format!("`{a_name}` and `{b_name}` share register {class}{number}{space}"),
                )
                .label("has it again")
                .secondary(a.span, format!("`{a_name}` has it"))
                .help("give each a number of its own, or leave the registers out");
        }
    }
}
