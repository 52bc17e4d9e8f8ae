//! Pointers: what memory an access chain leads into, and at which bytes.

use super::leaves;
use crate::ir::entity::PrimaryMap;
use crate::ir::{
    Context, Function, Global, GlobalData, MatrixLayout, Op, Opcode, StorageClass, Type, TypeKind, Value,
    ValueDef,
};

/// What a pointer points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Root {
    /// A module-scope variable.
    Global(Global),
    /// A function-scope variable, by its pointer.
    Variable(Value),
    /// What is at a 64-bit address, by that.
    Physical(Value),
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
    pub component_stride: Option<u32>,
}

impl Pointer {
    /// Whether the memory has the layout that its types tell.
    pub fn is_laid_out(&self) -> bool {
        has_layout(self.storage)
    }
}

/// Whether objects of a storage class have the layout that their types tell. Others are packed: each leaf takes one word
/// or two, in order.
fn has_layout(storage: StorageClass) -> bool {
    matches!(
        storage,
        StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::PushConstant
            | StorageClass::PhysicalStorageBuffer
    )
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
                Opcode::Op(Op::Variable | Op::ConvertUToPtr) => break,
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
        ValueDef::Result(inst, _) if f.insts[inst].op == Opcode::Op(Op::ConvertUToPtr) => {
            Root::Physical(f.insts[inst].id(0)?)
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
        component_stride: None,
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
                _ => s.members[..i as usize]
                    .iter()
                    .try_fold(0, |n: u32, m| n.checked_add(packed(ctx, m.ty)?))?,
            };
            p.konst = p.konst.wrapping_add(offset);
            p.matrix = member.matrix;
            p.ty = member.ty;
            return Some(());
        }
        TypeKind::Array { elem, stride, .. } | TypeKind::RuntimeArray { elem, stride } => {
            let stride = match stride {
                Some(stride) if laid_out => *stride,
                _ => packed(ctx, *elem)?,
            };
            (*elem, stride)
        }
        TypeKind::SpecArray { elem, .. } => (*elem, packed(ctx, *elem)?),
        TypeKind::Matrix { column, .. } => match p.matrix.filter(|_| laid_out) {
            Some(m) if m.row_major => {
                p.component_stride = Some(m.stride);
                (*column, scalar_bytes(ctx, *column)?)
            }
            Some(m) => (*column, m.stride),
            None => (*column, packed(ctx, *column)?),
        },
        TypeKind::Vector { elem, .. } => match p.component_stride {
            Some(stride) => (*elem, stride),
            None if laid_out => (*elem, scalar_bytes(ctx, *elem)?),
            None => (*elem, packed(ctx, *elem)?),
        },
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
        let (mut all, mut at) = (Vec::new(), 0u32);
        leaves::count(ctx, p.ty)?;
        leaves::scalars(ctx, p.ty, &mut all);
        for s in all {
            out.push(at);
            at += s.kind.words() * 4;
        }
    }
    Some(out)
}

fn offsets(
    ctx: &Context,
    ty: Type,
    base: u32,
    matrix: Option<MatrixLayout>,
    component_stride: Option<u32>,
    out: &mut Vec<u32>,
) -> Option<()> {
    match ctx.types.kind(ty) {
        TypeKind::Vector { elem, len } => {
            let stride = component_stride.or_else(|| scalar_bytes(ctx, *elem))?;
            out.extend((0..u32::from(*len)).map(|i| base + i * stride));
        }
        TypeKind::Matrix { column, columns } => {
            let m = matrix?;
            let (rows, bytes) = (u32::from(ctx.types.len_of(*column)), scalar_bytes(ctx, *column)?);
            for c in 0..u32::from(*columns) {
                let (first, step) = if m.row_major { (c * bytes, m.stride) } else { (c * m.stride, bytes) };
                out.extend((0..rows).map(|r| base + first + r * step));
            }
        }
        TypeKind::Array { elem, len, stride } => {
            let stride = (*stride)?;
            leaves::count(ctx, ty)?;
            for i in 0..*len {
                offsets(ctx, *elem, base.checked_add(i.checked_mul(stride)?)?, matrix, None, out)?;
            }
        }
        TypeKind::Struct(s) => {
            for m in &s.members {
                offsets(ctx, m.ty, base.checked_add(m.offset?)?, m.matrix, None, out)?;
            }
        }
        TypeKind::Int { .. } | TypeKind::Float { .. } | TypeKind::Bool => out.push(base),
        _ => return None,
    }
    Some(())
}

/// Bytes of an object in packed memory.
fn packed(ctx: &Context, ty: Type) -> Option<u32> {
    leaves::words(ctx, ty)?.checked_mul(4)
}

/// Bytes of a scalar, or of a vector's component, in memory with a layout.
fn scalar_bytes(ctx: &Context, ty: Type) -> Option<u32> {
    Some(leaves::scalar(ctx, ctx.types.scalar_of(ty))?.width / 8)
}
