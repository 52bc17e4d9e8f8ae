//! What `!spirv.*` and `!opencl.*` say: decorations, extensions, capabilities, the source.

use super::Import;
use super::raw::Val;
use crate::ir::{Decoration, DecorationOperand, Func, Global};
use smallvec::SmallVec;

/// `OpenCL_C` among SPIR-V's source languages.
const OPENCL_C: u32 = 3;

/// Decorations that only addresses can have.
const OF_ADDRESSES: &[spirv_spec::Decoration] = {
    use spirv_spec::decoration::*;
    &[Restrict, Aliased, Volatile, Coherent, NonWritable, NonReadable, Alignment, MaxByteOffset]
};

impl<'m> Import<'m, '_> {
    /// Decorations of a list: the number of each, then its operands.
    pub(super) fn decorations(&mut self, list: Val<'m>) -> Vec<Decoration> {
        let mut out = Vec::new();
        for node in list.nodes().into_iter().flatten() {
            let operands = node.nodes();
            let Some(number) = operands.first().copied().flatten().and_then(Val::int) else { continue };
            let Some(kind) = u32::try_from(number).ok().and_then(spirv_spec::Decoration::from_u32) else {
                self.finding(format!("the decoration {number} is not known"), "leave it out");
                continue;
            };
            // LLVM's own linkage says that.
            if kind == spirv_spec::Decoration::LinkageAttributes {
                continue;
            }
            // Some take `<id>`s, which are constants here.
            let row = spirv_spec::enumerant(spirv_spec::Kind::Decoration, kind.0);
            let is_id = |k: &spirv_spec::Kind| k.category() == spirv_spec::Category::Id;
            let ids = row.and_then(|r| r.parameters().first()).is_some_and(is_id);
            let mut words = SmallVec::new();
            for o in operands.into_iter().skip(1).flatten() {
                match (o.int(), o.metadata_text()) {
                    (Some(n), _) if ids => words.push(DecorationOperand::Const(self.out.ctx.u32(n as u32))),
                    (Some(n), _) => words.push(DecorationOperand::Literal(n as u32)),
                    (None, Some(text)) => words.push(DecorationOperand::Text(text.into())),
                    _ => {}
                }
            }
            out.push(Decoration { kind, operands: words });
        }
        out
    }

    /// `!spirv.Decorations` of a variable.
    pub(super) fn decorate_global(&mut self, v: Val<'m>, g: Global) {
        if let Some(list) = self.m.metadata(v, "spirv.Decorations") {
            let list = self.decorations(list);
            self.out.globals[g].decorations.extend(list);
        }
    }

    /// `!spirv.ParameterDecorations` of a function.
    pub(super) fn decorate_parameters(&mut self, v: Val<'m>, func: Func) {
        let Some(all) = self.m.metadata(v, "spirv.ParameterDecorations") else { return };
        for (i, list) in (0..).zip(all.nodes()) {
            let Some(list) = list else { continue };
            for d in self.decorations(list) {
                let f = &mut self.out.functions[func];
                // Of numbers nothing can be said that is meant for addresses.
                let address = f.params.get(i as usize).map(|p| f.values[*p].ty);
                let address = address.is_some_and(|t| self.out.ctx.types.pointee(t).is_some());
                let of_conversions = matches!(
                    d.kind,
                    spirv_spec::Decoration::FPRoundingMode | spirv_spec::Decoration::SaturatedConversion
                );
                if of_conversions || OF_ADDRESSES.contains(&d.kind) && !address {
                    continue;
                }
                if let Some(p) =
                    f.params.get(i as usize).copied().filter(|p| !f.decorations_of(*p).contains(&d))
                {
                    f.decorate(p, d);
                }
            }
        }
    }

    /// What is said of the module.
    pub(super) fn module_metadata(&mut self) {
        for node in self.m.named(c"spirv.Extension") {
            let names = node.nodes().into_iter().flatten().filter_map(Val::metadata_text);
            for name in names.filter(|n| n.starts_with("SPV_")) {
                if !self.out.requested_extensions.contains(&name) {
                    self.out.requested_extensions.push(name);
                }
            }
        }
        for node in self.m.named(c"spirv.Capability") {
            let numbers = node.nodes().into_iter().flatten().filter_map(Val::int);
            self.out.requested_capabilities.extend(numbers.map(|n| n as u32));
        }
        let numbers = |nodes: Vec<Val<'m>>| -> Vec<u32> {
            let first = nodes.first().map_or(Vec::new(), |n| n.nodes());
            first.into_iter().flatten().filter_map(Val::int).map(|n| n as u32).collect()
        };
        self.out.source = match (
            &numbers(self.m.named(c"spirv.Source"))[..],
            &numbers(self.m.named(c"opencl.ocl.version"))[..],
        ) {
            ([language, version, ..], _) => Some((*language, *version)),
            (_, [major, minor, ..]) => {
                Some((OPENCL_C, major.wrapping_mul(100_000).wrapping_add(minor.wrapping_mul(1000))))
            }
            _ => None,
        };
    }
}
