//! Rule 8: operands and results by the op table.

use super::structure::Check;
use crate::ir::{ExtSet, InstData, Op, Opcode, Operand};
use crate::spv::op_table::{self, Category, Kind, OperandRow, Quantifier};
use std::sync::LazyLock;

/// Classes of instructions that belong outside functions.
const MODULE_CLASSES: &[&str] = &[
    "Function",
    "Type-Declaration",
    "Constant-Creation",
    "Mode-Setting",
    "Annotation",
    "Debug",
    "Extension",
    "Control-Flow",
];

/// By class: whether its instructions stand in functions.
static IN_FUNCTIONS: LazyLock<Vec<bool>> =
    LazyLock::new(|| op_table::classes().iter().map(|c| !MODULE_CLASSES.contains(c)).collect());

pub(super) fn check(c: &mut Check<'_>, d: &InstData) {
    let row = match d.op {
        Opcode::Op(op) => op_table::op(op),
        Opcode::Ext(ExtSet::Glsl, n) => op_table::glsl(n),
        _ => None,
    };
    if !d.successors.is_empty() {
        c.e.push("an instruction that is no branch has successors");
    }
    let Some(row) = row else {
        if let Opcode::Ext(ExtSet::Glsl, n) = d.op {
            c.e.push(format!("GLSL.std.450 has no instruction {n}"));
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
        let allowed = match d.op {
            Opcode::Op(Op::FunctionCall | Op::Nop) => true,
            Opcode::Op(Op::LifetimeStart | Op::LifetimeStop) => true,
            _ => IN_FUNCTIONS.get(row.class_index()).copied().unwrap_or(true),
        };
        if !allowed {
            c.e.push(format!("Op{} does not belong in a function body", row.name));
            return;
        }
    }
    let results = usize::from(ext || row.has_result);
    c.e.require(
        d.results.len() == results,
        "an instruction has not the results that the specification gives it",
    );
    let mut rest = &d.operands[..];
    for o in row.operands() {
        if !take(c, o, &mut rest, row.name, d.op) {
            return;
        }
    }
    if !rest.is_empty() {
        c.e.push(format!("Op{} has too many operands", row.name));
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
        (Category::Id, Operand::Type(_)) => false,
        (Category::Literal, Operand::Literal(_) | Operand::Wide(_)) => true,
        (Category::BitEnum | Category::ValueEnum, Operand::Literal(n)) => {
            let parameters = op_table::enumerants(kind, *n).flat_map(|e| e.parameters());
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
