//! Rule 8: operands and results by the specification's tables.

use super::structure::Check;
use crate::ir::{ExtSet, InstData, Op, Opcode, Operand};
use spirv_spec::{Category, Kind, OperandRow, Quantifier, Traits};

pub(super) fn check(c: &mut Check<'_>, d: &InstData) {
    let row = match d.op {
        Opcode::Op(op) => op.row(),
        Opcode::Ext(set @ (ExtSet::Glsl | ExtSet::OpenCl), n) => set.row(n),
        _ => None,
    };
    if !d.successors.is_empty() {
        c.e.push("an instruction that is no branch has successors");
    }
    let Some(row) = row else {
        if let Opcode::Ext(set @ (ExtSet::Glsl | ExtSet::OpenCl), n) = d.op {
            c.e.push(format!("{} has no instruction {n}", set.name()));
        }
        if let Opcode::Ext(set, _) = d.op {
            c.e.require(c.module.set_name(set).is_some(), "an instruction is of an unknown set");
        }
        c.e.require(d.results.len() <= 1, "an instruction has several results");
        if let Opcode::Ext(ExtSet::DebugPrintf, _) = d.op {
            let known = d.literal(0).is_some_and(|n| (n as usize) < c.module.strings.len());
            c.e.require(known, "a format is none of the module's strings");
        }
        return;
    };
    let ext = matches!(d.op, Opcode::Ext(..));
    if !ext {
        let allowed = row.traits().has(Traits::IN_FUNCTION);
        if !allowed {
            c.e.push(format!("Op{} does not belong in a function body", row.name()));
            return;
        }
    }
    let results = usize::from(ext || row.has_result());
    c.e.require(
        d.results.len() == results,
        "an instruction has not the results that the specification gives it",
    );
    let mut rest = &d.operands[..];
    for o in row.operands() {
        if !take(c, o, &mut rest, row.name(), d.op) {
            return;
        }
    }
    if !rest.is_empty() {
        c.e.push(format!("Op{} has too many operands", row.name()));
    }
}

/// Takes what one row of the table describes. False after an error.
fn take(c: &mut Check<'_>, o: &OperandRow, rest: &mut &[Operand], name: &str, op: Opcode) -> bool {
    loop {
        if rest.is_empty() {
            if o.quantifier == Quantifier::One {
                c.e.push(format!("Op{name} has too few operands"));
                return false;
            }
            return true;
        }
        if !one(rest, o.kind, op) {
            c.e.push(format!("an operand of Op{name} is not of the kind {:?}", o.kind));
            return false;
        }
        if o.quantifier != Quantifier::Any {
            return true;
        }
    }
}

/// Takes one operand of a kind, with the parameters that an enumerant brings.
fn one(rest: &mut &[Operand], kind: Kind, op: Opcode) -> bool {
    let Some((first, tail)) = rest.split_first() else { return false };
    *rest = tail;
    match (kind.category(), first) {
        (Category::Id, Operand::Id(_)) => true,
        (Category::Id, Operand::Func(_)) => op == Opcode::Op(Op::FunctionCall),
        // The grammar has one kind for values and types.
        (Category::Id, Operand::Type(_)) => {
            let op = if let Opcode::Op(op) = op { op } else { Op::Nop };
            matches!(op, Op::CooperativeMatrixLengthKHR | Op::CooperativeMatrixLengthNV)
        }
        (Category::Literal, Operand::Literal(_) | Operand::Wide(_)) => true,
        (Category::BitEnum | Category::ValueEnum, Operand::Literal(n)) => {
            let parameters = spirv_spec::enumerants(kind, *n).flat_map(|e| e.parameters());
            parameters.into_iter().all(|p| one(rest, *p, op))
        }
        (Category::Composite, _) => {
            // Pairs: the second half follows.
            match rest.split_first() {
                Some((_, tail)) => {
                    *rest = tail;
                    true
                }
                None => false,
            }
        }
        _ => false,
    }
}
