//! `Barrier(memory, semantics)` of shader model 6.8.
use super::{Checked, Refuse, Reported, Sema, Val};
use crate::diag::Code;
use crate::hlsl::hir;
use crate::hlsl::hir::{ExprKind, Scalar, Type, Types};
use crate::source::Span;

/// Constants that are there without a declaration: kinds of memory, then what is asked for.
pub(super) const CONSTANTS: &[(&str, i64)] = &[
    ("UAV_MEMORY", UAV),
    ("GROUP_SHARED_MEMORY", GROUP_SHARED),
    ("NODE_INPUT_MEMORY", 4),
    ("NODE_OUTPUT_MEMORY", 8),
    ("ALL_MEMORY", ALL),
    ("GROUP_SYNC", SYNC),
    ("GROUP_SCOPE", GROUP_SCOPE),
    ("DEVICE_SCOPE", DEVICE_SCOPE),
    // Of shaders that are run in another order.
    ("REORDER_SCOPE", 8),
];

const UAV: i64 = 1;
const GROUP_SHARED: i64 = 2;
/// Of work graphs, which there are none of here.
const NODES: i64 = 4 | 8;
const ALL: i64 = 0xf;
const SYNC: i64 = 1;
const GROUP_SCOPE: i64 = 2;
const DEVICE_SCOPE: i64 = 4;

impl Sema<'_> {
    /// The barrier that a call asks for. A resource as the first argument means memory of resources.
    pub(super) fn barrier(&mut self, args: &[Val], span: Span) -> Checked {
        let ty = self.val_ty(args[0]);
        let memory = match self.types.get(ty) {
            Type::Resource(r) if r.is_writable() => UAV,
            Type::Foreign { name, .. } => {
                let stage = self.stage_of_type(ty);
                self.other_stage(span, &format!("`{name}`"), stage);
                return Err(Reported);
            }
            _ => self.barrier_flags(args[0], ALL, "the kinds of memory")?,
        };
        let wanted = self.barrier_flags(args[1], SYNC | GROUP_SCOPE | DEVICE_SCOPE, "what is asked for")?;
        let wrong = match () {
            _ if memory != ALL && memory & NODES != 0 => Some("memory of nodes is there in work graphs only"),
            _ if wanted & DEVICE_SCOPE != 0 && memory & UAV == 0 => {
                Some("`DEVICE_SCOPE` without memory that the device shares")
            }
            _ if wanted & GROUP_SCOPE != 0 && memory == 0 => Some("`GROUP_SCOPE` without memory"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            let help =
                "write `Barrier(UAV_MEMORY | GROUP_SHARED_MEMORY, GROUP_SYNC | GROUP_SCOPE)`, for example";
            let d = self.report_if_reached(Code::NoOverload, span, wrong);
            return d.label("in this barrier").help(help).refuse();
        }
        let sync = wanted & SYNC != 0;
        // Without a scope no other thread sees an order.
        let ordered = wanted & (GROUP_SCOPE | DEVICE_SCOPE) != 0;
        if !sync && !ordered {
            return Ok(self.node(ExprKind::Sequence(Vec::new()), Types::VOID, span));
        }
        let group = ordered && memory & GROUP_SHARED != 0;
        let device = ordered && memory & UAV != 0;
        Ok(self.node(ExprKind::Barrier(hir::Barrier { group, device, sync }), Types::VOID, span))
    }

    /// Flags that must be known, of those that there are.
    fn barrier_flags(&mut self, v: Val, known: i64, what: &str) -> Checked<i64> {
        let uint = self.scalar_ty(Scalar::U32);
        let e = self.implicit(v, uint, what)?;
        let n = self.int_value(e, what).ok_or(Reported)?;
        if n & !known != 0 {
            let at = self.span(e);
            return self
                .report(Code::NoOverload, at, format!("{what}: there are no such flags"))
                .label(format!("this is {n:#x}, of {known:#x}"))
                .refuse();
        }
        Ok(n)
    }
}
