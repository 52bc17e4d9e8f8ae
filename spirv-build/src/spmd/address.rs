//! Pointers: what memory an access chain leads into, and at which bytes.

use crate::ir::entity::PrimaryMap;
use crate::ir::{
    Context, Function, Global, GlobalData, MatrixLayout, Op, Opcode, StorageClass, Type, TypeKind, Value,
    ValueDef,
};
use crate::spmd::leaves;

/// What a pointer points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Root {
    /// A module-scope variable.
    Global(Global),
    /// A function-scope variable, by its pointer.
    Variable(Value),
}

/// A pointer, resolved.
#[derive(Debug, Clone)]
pub struct Pointer {
    /// Variable.
    pub root: Root,
    /// Storage class.
    pub storage: StorageClass,
    /// Constant part, in bytes.
    pub konst: u32,
    /// Variable parts: index and the bytes that it is scaled by.
    pub terms: Vec<(Value, u32)>,
    /// Type of the object.
    pub ty: Type,
    /// Layout of the matrix that the object is or is an array of.
    pub matrix: Option<MatrixLayout>,
    /// Bytes between the components, where the object is a row-major matrix's column.
    pub component_stride: u32,
}

/// Whether objects of a storage class have the layout that their types tell. Others are packed: each leaf takes four
/// bytes, in order.
fn has_layout(storage: StorageClass) -> bool {
    matches!(storage, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant)
}

/// Resolves a pointer. None if it is not made of access chains from a variable.
pub fn resolve(
    ctx: &Context,
    globals: &PrimaryMap<Global, GlobalData>,
    f: &Function,
    pointer: Value,
) -> Option<Pointer> {
    // Collect the chains outermost first.
    let mut chains = Vec::new();
    let mut base = pointer;
    loop {
        match f.values[base].def {
            ValueDef::Global(_) => break,
            ValueDef::Result(inst, _) => match f.insts[inst].op {
                Opcode::Op(Op::AccessChain | Op::InBoundsAccessChain) => {
                    chains.push(inst);
                    base = f.insts[inst].id(0)?;
                }
                Opcode::Op(Op::CopyObject) => base = f.insts[inst].id(0)?,
                Opcode::Op(Op::Variable) => break,
                _ => return None,
            },
            _ => return None,
        }
    }
    let (pointee, storage) = ctx.types.pointee(f.values[base].ty)?;
    let root = match f.values[base].def {
        ValueDef::Global(g) => {
            debug_assert!(globals.get(g).is_some());
            Root::Global(g)
        }
        _ => Root::Variable(base),
    };
    let mut p = Pointer {
        root,
        storage,
        konst: 0,
        terms: Vec::new(),
        ty: pointee,
        matrix: None,
        component_stride: 4,
    };
    for inst in chains.into_iter().rev() {
        for index in f.insts[inst].ids().skip(1) {
            let constant = f.as_const(index).and_then(|c| ctx.consts.bits(c)).map(|b| b as u32);
            step(ctx, &mut p, index, constant)?;
        }
    }
    Some(p)
}

fn step(ctx: &Context, p: &mut Pointer, index: Value, constant: Option<u32>) -> Option<()> {
    let laid_out = has_layout(p.storage);
    let (elem, stride) = match ctx.types.kind(p.ty) {
        TypeKind::Struct(s) => {
            let i = constant?;
            let member = s.members.get(i as usize)?;
            let offset = match member.offset {
                Some(offset) if laid_out => offset,
                _ => leaves::component(ctx, p.ty, i)?.0.checked_mul(4)?,
            };
            p.konst = p.konst.wrapping_add(offset);
            p.matrix = member.matrix;
            p.ty = member.ty;
            return Some(());
        }
        TypeKind::Array { elem, stride, .. } | TypeKind::RuntimeArray { elem, stride } => {
            let stride = match stride {
                Some(stride) if laid_out => *stride,
                _ => leaves::count(ctx, *elem)?.checked_mul(4)?,
            };
            (*elem, stride)
        }
        TypeKind::Matrix { column, .. } => match p.matrix.filter(|_| laid_out) {
            Some(m) if m.row_major => {
                p.component_stride = m.stride;
                (*column, 4)
            }
            Some(m) => (*column, m.stride),
            None => (*column, leaves::count(ctx, *column)?.checked_mul(4)?),
        },
        TypeKind::Vector { elem, .. } => (*elem, p.component_stride),
        _ => return None,
    };
    match constant {
        Some(i) => p.konst = p.konst.wrapping_add(i.wrapping_mul(stride)),
        None => p.terms.push((index, stride)),
    }
    p.ty = elem;
    Some(())
}

/// Byte offsets of an object's leaves from its start, in order. None if the layout is incomplete.
pub fn leaf_offsets(ctx: &Context, p: &Pointer) -> Option<Vec<u32>> {
    let mut out = Vec::new();
    if has_layout(p.storage) {
        offsets(ctx, p.ty, 0, p.matrix, p.component_stride, &mut out)?;
    } else {
        out.extend((0..leaves::count(ctx, p.ty)?).map(|i| i * 4));
    }
    Some(out)
}

fn offsets(
    ctx: &Context,
    ty: Type,
    base: u32,
    matrix: Option<MatrixLayout>,
    component_stride: u32,
    out: &mut Vec<u32>,
) -> Option<()> {
    match ctx.types.kind(ty) {
        TypeKind::Vector { len, .. } => out.extend((0..u32::from(*len)).map(|i| base + i * component_stride)),
        TypeKind::Matrix { column, columns } => {
            let m = matrix?;
            let rows = u32::from(ctx.types.len_of(*column));
            for c in 0..u32::from(*columns) {
                let (first, step) = if m.row_major { (c * 4, m.stride) } else { (c * m.stride, 4) };
                out.extend((0..rows).map(|r| base + first + r * step));
            }
        }
        TypeKind::Array { elem, len, stride } => {
            let stride = (*stride)?;
            leaves::count(ctx, ty)?;
            for i in 0..*len {
                offsets(ctx, *elem, base.checked_add(i.checked_mul(stride)?)?, matrix, 4, out)?;
            }
        }
        TypeKind::Struct(s) => {
            for m in &s.members {
                offsets(ctx, m.ty, base.checked_add(m.offset?)?, m.matrix, 4, out)?;
            }
        }
        TypeKind::Int { .. } | TypeKind::Float { .. } | TypeKind::Bool => out.push(base),
        _ => return None,
    }
    Some(())
}
