//! How much a module may have of what: the length of an instruction, which is a number of 16 bits, and what the specification
//! calls universal limits, beyond which no device needs to go.

use super::Writer;
use crate::diag::{Code, Finding};
use crate::ir::entity::Entity;
use crate::ir::parts;
use crate::ir::walk::{self, MAX_NESTING};
use crate::ir::{Const, ConstKind, InstData, Op, Opcode, Operand, Type, TypeKind, ValueDef};
use crate::source::Span;
use smallvec::SmallVec;

/// Ids of a module unless told otherwise.
pub const MAX_ID: u32 = 0x3f_ffff;

/// Words of an instruction.
const MAX_WORDS: usize = 0xffff;

/// Bytes of a string.
pub(super) const MAX_STRING: usize = 0xffff;

// Structured control flow may nest 1023 deep.
const _: () = assert!(MAX_NESTING < 1023);

/// What there may be too much of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    Words,
    ConstantParts,
    Values,
    Members,
    StructDepth,
    Cases,
    Ways,
    Parameters,
    Arguments,
    Indices,
    Globals,
    Locals,
    String,
    Interface,
    Modes,
}

/// A row each: what of, how much, in words, and what to do about it.
#[rustfmt::skip]
const LIMITS: &[(Limit, usize, &str, &str)] = &[
    (Limit::Words, MAX_WORDS, "words for one instruction", "fewer operands: split the expression or the list of values"),
    (Limit::ConstantParts, MAX_WORDS - 3, "elements of a constant", "split the table, or have the host give it in a buffer"),
    (Limit::Values, MAX_WORDS - 3, "values in one list", "fill the array in several steps, or in a loop"),
    (Limit::Members, 16_383, "members of a structure", "make some of them arrays, or structures of their own"),
    (Limit::StructDepth, 255, "structures inside each other", "put their members into fewer structures"),
    (Limit::Cases, 16_383, "cases of a switch", "split the switch, or look the value up in a table"),
    (Limit::Ways, (MAX_WORDS - 3) / 2, "ways that lead out of a statement", "fewer `break`, `continue` and `return` in it: note what to do in a variable"),
    (Limit::Parameters, 255, "parameters of a function", "pass a structure or an array"),
    (Limit::Arguments, 255, "arguments of a call", "pass a structure or an array"),
    (Limit::Indices, 255, "indices of an access", "fewer structures and arrays inside each other"),
    (Limit::Globals, 65_535, "resources and global variables", "make some of them elements of arrays"),
    (Limit::Locals, 524_287, "local variables", "make some of them elements of arrays"),
    (Limit::String, MAX_STRING, "bytes of a string", "a shorter name or text"),
    (Limit::Interface, MAX_WORDS, "words for an entry point and all that it uses", "a shorter name, or fewer resources and global variables"),
    (Limit::Modes, 255, "execution modes of an entry point", "fewer of them"),
];

/// An error if there is more than a limit allows.
pub(super) fn check(limit: Limit, found: usize, span: impl FnOnce() -> Span) -> Result<(), Box<Finding>> {
    let Some((_, most, what, help)) = LIMITS.iter().find(|l| l.0 == limit) else { return Ok(()) };
    if found <= *most {
        return Ok(());
    }
    let message = format!("{found} {what}, but SPIR-V has at most {most}");
    Err(Box::new(Finding::new(Code::TooMany, span(), message).help(*help)))
}

/// Checks an instruction of a function, which has so many words.
pub(super) fn check_inst(data: &InstData, words: usize) -> Result<(), Box<Finding>> {
    let (limit, more) = match data.op {
        Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain | Op::CompositeExtract) => (Limit::Indices, 1),
        Opcode::Op(Op::PtrAccessChain | Op::InBoundsPtrAccessChain | Op::CompositeInsert) => {
            (Limit::Indices, 2)
        }
        Opcode::Op(Op::FunctionCall) => (Limit::Arguments, 1),
        Opcode::Op(Op::CompositeConstruct) => (Limit::Values, 0),
        Opcode::Ext(..) => (Limit::Arguments, 0),
        _ => return check(Limit::Words, words, || data.span),
    };
    check(limit, data.operands.len().saturating_sub(more), || data.span)
}

/// Checks a switch with so many cases.
pub(super) fn check_cases(data: &InstData, cases: usize) -> Result<(), Box<Finding>> {
    check(Limit::Cases, cases, || data.span)
}

/// Whether every instruction of a module has the length that it says. One that is too long says 0.
pub(super) fn check_lengths(module: &[u32]) -> Result<(), Box<Finding>> {
    let mut at = 5;
    while let Some(word) = module.get(at) {
        match word >> 16 {
            0 => check(Limit::Words, MAX_WORDS + 1, Span::default)?,
            length => at += length as usize,
        }
    }
    Ok(())
}

impl Writer<'_> {
    /// Checks what was declared: types, constants, variables, names.
    pub(super) fn check_declarations(&self, reached: &[bool]) -> Result<(), Box<Finding>> {
        let module = self.module;
        let used = |ids: &[u32], index: usize| ids.get(index).is_some_and(|id| *id != 0);
        let mut depths: SmallVec<[u16; 64]> = SmallVec::from_elem(0, module.ctx.types.len());
        let mut inside = Vec::new();
        for (t, kind) in module.ctx.types.iter() {
            parts(kind, &mut inside);
            let mut depth = inside.drain(..).map(|p| depths[p.index()]).max().unwrap_or(0);
            match kind {
                TypeKind::Struct(s) => {
                    depth = depth.saturating_add(1);
                    if used(&self.types, t.index()) {
                        check(Limit::Members, s.members.len(), || self.span_of_type(t, reached))?;
                        check(Limit::StructDepth, depth.into(), || self.span_of_type(t, reached))?;
                    }
                }
                // What is behind a pointer is not inside.
                TypeKind::Pointer { .. } => depth = 0,
                _ => {}
            }
            depths[t.index()] = depth;
        }
        for (c, _, kind) in module.ctx.consts.iter() {
            if let ConstKind::Composite(parts) = kind
                && used(&self.consts, c.index())
            {
                check(Limit::ConstantParts, parts.len(), || self.span_of_const(c, reached))?;
            }
        }
        let globals = || module.globals.iter().filter(|(g, _)| used(&self.globals, g.index()));
        check(Limit::Globals, globals().count(), || {
            let mut spans = globals().map(|(_, data)| data.span).filter(|s| *s != Span::default());
            spans.next_back().unwrap_or_default()
        })?;
        let mut locals = 0;
        for (_, data) in module.functions.iter().filter(|(f, _)| reached[f.index()]) {
            check(Limit::Parameters, data.params.len(), || data.span)?;
            let is_local = |d: &InstData| d.op == Opcode::Op(Op::Variable);
            locals += data.insts.iter().filter(|(_, d)| is_local(d)).count();
            check(Limit::Locals, locals, || data.span)?;
            if let Some((name, _)) = data.decorations.linkage() {
                check(Limit::String, name.len(), || data.span)?;
            }
        }
        for e in &module.entry_points {
            let span = || module.functions[e.func].span;
            check(Limit::String, e.name.len(), span)?;
            check(Limit::Modes, e.modes.len(), span)?;
        }
        Ok(())
    }

    /// Something of which this is true for the type of: a variable, or an instruction's result.
    fn span_where(
        &self,
        reached: &[bool],
        is: impl Fn(Type) -> bool,
        uses: impl Fn(ValueDef) -> bool,
    ) -> Span {
        let module = self.module;
        let of_global = module.globals.iter().find(|(g, data)| {
            self.globals.get(g.index()).is_some_and(|id| *id != 0)
                && (is(data.ty) || data.init.is_some_and(|c| uses(ValueDef::Const(c))))
        });
        if let Some((_, data)) = of_global {
            return data.span;
        }
        for (_, f) in module.functions.iter().filter(|(f, _)| reached[f.index()]) {
            let found = walk::insts(f).find(|i| {
                let data = &f.insts[*i];
                let operands = data.operands.iter().filter_map(|o| match o {
                    Operand::Id(v) => Some(*v),
                    _ => None,
                });
                let mut all = operands.chain(data.results.iter().copied());
                all.any(|v| is(f.values[v].ty) || uses(f.values[v].def))
            });
            if let Some(i) = found {
                return f.insts[i].span;
            }
        }
        Span::default()
    }

    fn span_of_type(&self, wanted: Type, reached: &[bool]) -> Span {
        let types = &self.module.ctx.types;
        let mut within = vec![false; types.len()];
        let mut found = Vec::new();
        for (t, kind) in types.iter() {
            parts(kind, &mut found);
            within[t.index()] = t == wanted || found.drain(..).any(|p| within[p.index()]);
        }
        self.span_where(reached, |t| within[t.index()], |_| false)
    }

    fn span_of_const(&self, wanted: Const, reached: &[bool]) -> Span {
        let consts = &self.module.ctx.consts;
        let mut within = vec![false; consts.len()];
        for (c, _, kind) in consts.iter() {
            within[c.index()] = c == wanted || kind.parts().any(|p| within[p.index()]);
        }
        self.span_where(reached, |_| false, |def| matches!(def, ValueDef::Const(c) if within[c.index()]))
    }

    /// Checks an entry point that takes so many words.
    pub(super) fn check_interface(&self, entry: crate::ir::Func, words: usize) -> Result<(), Box<Finding>> {
        check(Limit::Interface, words + 1, || self.module.functions[entry].span)
    }
}
