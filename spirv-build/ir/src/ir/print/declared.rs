//! Text of what the source says of what it declares.

use crate::ir::{Declared, HlslResource, MatrixOrder, ScalarKind};

/// `si32`
pub(super) fn scalar(kind: ScalarKind) -> String {
    match kind {
        ScalarKind::Bool => "bool".to_string(),
        ScalarKind::Signed(w) => format!("si{w}"),
        ScalarKind::Unsigned(w) => format!("ui{w}"),
        ScalarKind::Float(w) => format!("f{w}"),
        ScalarKind::Address => "address".to_string(),
    }
}

/// `spelled "bool2x3"`, `of bool`, `by columns`
pub(super) fn facts(d: &Declared) -> Vec<String> {
    let mut facts = vec![format!("spelled {:?}", d.spelling)];
    facts.extend(d.scalar.map(|s| format!("of {}", scalar(s))));
    facts.extend(d.matrix.map(|order| match order {
        MatrixOrder::RowMajor => "by rows".to_string(),
        MatrixOrder::ColumnMajor => "by columns".to_string(),
    }));
    facts.extend(d.extent.map(|e| format!("size {} align {}", e.size, e.align)));
    facts
}

/// What HLSL alone says of a resource, but for the register and the counter.
pub(super) fn of_hlsl(r: &HlslResource) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(r.texel.map(|n| format!("texel = {n}")));
    facts.extend(r.format.map(|f| format!("format = {f:?}")));
    facts.extend(r.compares.then(|| "compares".to_string()));
    facts.extend(r.part_of.map(|n| format!("part_of = {n}")));
    facts.extend(r.heap.map(|h| format!("heap = {h:?}")));
    facts.extend(r.in_main.then(|| "in_main".to_string()));
    facts
}
