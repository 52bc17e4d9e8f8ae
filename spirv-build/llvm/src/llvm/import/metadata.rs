//! What `!spirv.*` and `!opencl.*` say: decorations, extensions, capabilities, the source.

use super::Import;
use super::raw::Val;
use crate::ir::{Decoration, Func, Global};
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
            let mut words: SmallVec<[u32; 1]> = SmallVec::new();
            for o in operands.into_iter().skip(1).flatten() {
                match (o.int(), o.metadata_text()) {
                    (Some(n), _) => words.push(n as u32),
                    (None, Some(text)) => words.extend(string_words(&text)),
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
            for d in self.decorations(list) {
                self.out.decorations.push((g, d));
            }
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
                if (i as usize) < f.params.len() && !f.param_decorations.contains(&(i, d.clone())) {
                    f.param_decorations.push((i, d));
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

/// A string as literal words: bytes, a zero, zeros up to a whole word.
fn string_words(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
