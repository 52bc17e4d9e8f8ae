//! Memory that the host sees, addressed in bytes, with every access checked.

use super::body::Body;
use crate::ir::{
    Block, ConstKind, InstData, MatrixLayout, Op, Opcode, Operand, StorageClass, Type, TypeKind, Value,
};

/// Scalars and vectors that one load or store of a whole struct or array is taken apart into, at most.
const MAX_LEAVES: u32 = 1024;

/// A place: so many bytes behind the start of a resource.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    /// Pointer to its first byte.
    pub base: Value,
    /// Its length in bytes, for buffers.
    pub length: Option<Value>,
    /// Its length in bytes, for constants.
    pub size: u32,
    /// Constant part of the offset.
    pub constant: u64,
    /// The rest of it, 64 bits wide.
    pub dynamic: Option<Value>,
    /// Type of the object in the old module, which tells its layout.
    pub ty: Type,
    /// Layout of the matrix that the object is or is an array of.
    pub matrix: Option<MatrixLayout>,
    /// Bytes between the components, where the object is a column of a row-major matrix.
    pub step: Option<u32>,
}

impl Bytes {
    fn at(self, offset: u32, ty: Type) -> Bytes {
        Bytes { constant: self.constant + u64::from(offset), ty, ..self }
    }
}

/// How an object that is no scalar or vector lies in memory.
enum Parts {
    /// Objects, in order.
    Each(Vec<Bytes>),
    /// The rows of a matrix of so many columns, which is an array of columns everywhere else.
    Rows(Vec<Bytes>, u32),
}

impl Body<'_, '_> {
    fn u64_value(&mut self, n: u64) -> Value {
        let ty = self.l.u64();
        let c = self.l.new.ctx.constant(ty, ConstKind::Bits(n));
        self.b().constant(c)
    }

    /// Goes into a place along the indices of an access chain.
    pub fn chain(&mut self, mut at: Bytes, indices: &[Value]) -> Option<Bytes> {
        for &index in indices {
            let types = &self.l.old.ctx.types;
            let known = self.old.as_const(index).and_then(|c| self.l.old.ctx.consts.bits(c));
            let (elem, stride) = match types.kind(at.ty) {
                TypeKind::Struct(s) => {
                    let member = s.members.get(known? as usize)?;
                    at = Bytes { matrix: member.matrix, ..at.at(member.offset?, member.ty) };
                    continue;
                }
                TypeKind::Array { elem, stride, .. } | TypeKind::RuntimeArray { elem, stride } => {
                    (*elem, (*stride)?)
                }
                TypeKind::Vector { elem, .. } => match at.step.take() {
                    Some(step) => (*elem, step),
                    None => (*elem, types.size(*elem)?),
                },
                TypeKind::Matrix { column, .. } => {
                    let layout = at.matrix.take()?;
                    let scalar = types.size(types.scalar_of(*column))?;
                    at.step = layout.row_major.then_some(layout.stride);
                    (*column, if layout.row_major { scalar } else { layout.stride })
                }
                _ => {
                    self.refuse("parts of this type");
                    return None;
                }
            };
            at.ty = elem;
            let signed = types.int_signed(self.old_ty(index)) == Some(true);
            match known {
                Some(n) if !signed || n < 1 << 31 => at.constant += n * u64::from(stride),
                _ => {
                    let wide = self.wide(index, signed);
                    let ty = self.l.u64();
                    let stride = self.u64_value(u64::from(stride));
                    let bytes = self.b().op(Op::IMul, ty, &[wide, stride]);
                    at.dynamic = Some(match at.dynamic {
                        Some(d) => self.b().op(Op::IAdd, ty, &[d, bytes]),
                        None => bytes,
                    });
                }
            }
        }
        Some(at)
    }

    fn wide(&mut self, index: Value, signed: bool) -> Value {
        let (v, ty) = (self.value(index), self.l.u64());
        if self.f.values[v].ty == ty {
            return v;
        }
        self.b().op(if signed { Op::SConvert } else { Op::UConvert }, ty, &[v])
    }

    /// The offset of a place, 64 bits wide.
    fn offset(&mut self, at: Bytes) -> Value {
        let constant = self.u64_value(at.constant);
        match at.dynamic {
            None => constant,
            Some(d) if at.constant == 0 => d,
            Some(d) => {
                let ty = self.l.u64();
                self.b().op(Op::IAdd, ty, &[d, constant])
            }
        }
    }

    /// Runs `access` where `size` bytes at the place are there; elsewhere the result is 0.
    fn checked(
        &mut self,
        at: Bytes,
        size: u32,
        result: Option<Type>,
        access: impl FnOnce(&mut Self, Value) -> Option<Value>,
    ) -> Option<Value> {
        let offset = self.offset(at);
        let (word, truth) = (self.l.u64(), self.l.new.ctx.types.bool());
        let limit = match at.length {
            None => {
                let end = u64::from(at.size.saturating_sub(size)) + u64::from(at.size >= size);
                if at.dynamic.is_none() {
                    return if at.constant < end {
                        access(self, offset)
                    } else {
                        result.map(|ty| self.b().null(ty))
                    };
                }
                self.u64_value(end)
            }
            Some(length) => {
                let (bytes, less) = (self.u64_value(u64::from(size)), self.u64_value(u64::from(size) - 1));
                let none = self.u64_value(0);
                let fits = self.b().op(Op::UGreaterThanEqual, truth, &[length, bytes]);
                let end = self.b().op(Op::ISub, word, &[length, less]);
                self.b().op(Op::Select, word, &[fits, end, none])
            }
        };
        let inside = self.b().op(Op::ULessThan, truth, &[offset, limit]);
        self.only_if(inside, result, |s| access(s, offset))
    }

    /// Runs `access` where a condition holds; elsewhere the result is 0.
    pub fn only_if(
        &mut self,
        inside: Value,
        result: Option<Type>,
        access: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let (inst, then, els) = self.b().selection(inside, result.as_slice());
        let value = self.within(then, access);
        self.within(then, |s| s.b().terminate(Opcode::Merge, value.as_slice()));
        self.within(els, |s| {
            let zero = result.map(|ty| s.b().null(ty));
            s.b().terminate(Opcode::Merge, zero.as_slice());
        });
        self.f.insts[inst].result()
    }

    pub fn within<T>(&mut self, block: Block, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.block, block);
        let result = work(self);
        self.block = outer;
        result
    }

    /// A pointer to an object of type `ty`, so many bytes into a place's resource.
    fn pointer(&mut self, at: Bytes, offset: Value, ty: Type) -> Value {
        let raw = self.f.values[at.base].ty;
        let storage = self.l.new.ctx.types.pointee(raw).map_or(StorageClass::Function, |p| p.1);
        let operands = [Operand::Id(at.base), Operand::Id(offset)];
        let byte = self.b().value(Op::InBoundsPtrAccessChain, raw, &operands);
        let pointer = self.l.new.ctx.types.pointer(ty, storage);
        if pointer == raw { byte } else { self.b().op(Op::Bitcast, pointer, &[byte]) }
    }

    /// Size of the scalar of a scalar or vector whose components lie side by side, and their number.
    fn leaf(&self, at: Bytes) -> Option<(u32, u8)> {
        let types = &self.l.old.ctx.types;
        match types.kind(at.ty) {
            TypeKind::Int { .. } | TypeKind::Float { .. } => Some((types.size(at.ty)?, 1)),
            TypeKind::Vector { elem, len } if at.step.is_none() => Some((types.size(*elem)?, *len)),
            _ => None,
        }
    }

    /// Parts of what is no leaf.
    fn parts(&mut self, at: Bytes) -> Parts {
        self.find_parts(at).unwrap_or_else(|| {
            self.refuse("large arrays that are copied whole");
            Parts::Each(Vec::new())
        })
    }

    fn find_parts(&self, at: Bytes) -> Option<Parts> {
        let types = &self.l.old.ctx.types;
        let several = |len: u32, stride: u32, part: Bytes| {
            Parts::Each((0..len).map(|i| part.at(i * stride, part.ty)).collect())
        };
        Some(match types.kind(at.ty) {
            TypeKind::Array { elem, len, stride: Some(stride) } if *len <= MAX_LEAVES => {
                several(*len, *stride, Bytes { ty: *elem, ..at })
            }
            TypeKind::Vector { elem, len } => {
                several(u32::from(*len), at.step?, Bytes { ty: *elem, step: None, ..at })
            }
            TypeKind::Matrix { column, columns } => {
                let (layout, columns) = (at.matrix?, u32::from(*columns));
                let (elem, rows) = (types.scalar_of(*column), u32::from(types.len_of(*column)));
                let size = types.size(elem)?;
                let row = types.find(&TypeKind::Vector { elem, len: columns as u8 });
                let at = Bytes { matrix: None, ..at };
                match row.filter(|_| layout.row_major) {
                    Some(row) => {
                        Parts::Rows((0..rows).map(|i| at.at(i * layout.stride, row)).collect(), columns)
                    }
                    None if layout.row_major => {
                        several(columns, size, Bytes { ty: *column, step: Some(layout.stride), ..at })
                    }
                    None => several(columns, layout.stride, Bytes { ty: *column, ..at }),
                }
            }
            TypeKind::Struct(s) => {
                let part = |m: &crate::ir::Member| Some(Bytes { matrix: m.matrix, ..at.at(m.offset?, m.ty) });
                Parts::Each(s.members.iter().map(part).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }

    /// Loads the object at a place.
    pub fn load(&mut self, at: Bytes, volatile: u32) -> Value {
        let ty = self.ty(at.ty);
        let Some((size, len)) = self.leaf(at) else {
            let (parts, columns) = match self.parts(at) {
                Parts::Each(parts) => (parts, None),
                Parts::Rows(parts, columns) => (parts, Some(columns)),
            };
            let parts: Vec<Value> = parts.into_iter().map(|part| self.load(part, volatile)).collect();
            return match columns {
                Some(columns) => self.turned(ty, &parts, columns),
                None => self.b().op(Op::CompositeConstruct, ty, &parts),
            };
        };
        let memory = [Operand::Literal(2 | volatile), Operand::Literal(size)];
        let value = self.checked(at, size * u32::from(len), Some(ty), |s, offset| {
            // A vector of three takes the room of four.
            if len != 3 {
                let p = s.pointer(at, offset, ty);
                return Some(s.b().value(Op::Load, ty, &[&[Operand::Id(p)][..], &memory].concat()));
            }
            let elem = s.l.new.ctx.types.scalar_of(ty);
            let parts: Vec<Value> = (0..3)
                .map(|i| {
                    let p = s.component(at, offset, elem, i * size);
                    s.b().value(Op::Load, elem, &[&[Operand::Id(p)][..], &memory].concat())
                })
                .collect();
            Some(s.b().op(Op::CompositeConstruct, ty, &parts))
        });
        value.unwrap_or(at.base)
    }

    fn component(&mut self, at: Bytes, offset: Value, elem: Type, bytes: u32) -> Value {
        let (word, bytes) = (self.l.u64(), self.u64_value(u64::from(bytes)));
        let offset = self.b().op(Op::IAdd, word, &[offset, bytes]);
        self.pointer(at, offset, elem)
    }

    /// Stores an object at a place.
    pub fn store(&mut self, at: Bytes, value: Value, volatile: u32) {
        let ty = self.ty(at.ty);
        let Some((size, len)) = self.leaf(at) else {
            let (parts, values) = match self.parts(at) {
                Parts::Each(parts) => {
                    let types: Vec<Type> = parts.iter().map(|part| self.ty(part.ty)).collect();
                    let part = |(i, ty)| self.b().extract(value, ty, &[i]);
                    (parts, (0..).zip(types).map(part).collect())
                }
                Parts::Rows(parts, columns) => {
                    let rows = self.rows(value, columns);
                    (parts, rows)
                }
            };
            let values: Vec<Value> = values;
            for (part, value) in parts.into_iter().zip(values) {
                self.store(part, value, volatile);
            }
            return;
        };
        let memory = [Operand::Literal(2 | volatile), Operand::Literal(size)];
        self.checked(at, size * u32::from(len), None, |s, offset| {
            if len != 3 {
                let p = s.pointer(at, offset, ty);
                s.b().push(Op::Store, &[&[Operand::Id(p), Operand::Id(value)][..], &memory].concat());
                return None;
            }
            let elem = s.l.new.ctx.types.scalar_of(ty);
            for i in 0..3 {
                let p = s.component(at, offset, elem, i * size);
                let part = s.b().extract(value, elem, &[i]);
                s.b().push(Op::Store, &[&[Operand::Id(p), Operand::Id(part)][..], &memory].concat());
            }
            None
        });
    }

    /// The number of elements of the runtime array that is member `data.operands[1]` of a place.
    pub fn array_length(&mut self, at: Bytes, data: &InstData) {
        let types = &self.l.old.ctx.types;
        let stride = match (types.kind(at.ty), data.literal(1)) {
            (TypeKind::Struct(s), Some(n)) => {
                s.members.get(n as usize).and_then(|m| match types.kind(m.ty) {
                    TypeKind::RuntimeArray { stride, .. } => Some(((*stride)?, m.offset?)),
                    _ => None,
                })
            }
            _ => None,
        };
        let (Some((stride, start)), Some(length), Some(result)) = (stride, at.length, data.result()) else {
            self.refuse("the length of this resource");
            return;
        };
        let (word, ty) = (self.l.u64(), self.old_ty(result));
        let ty = self.ty(ty);
        let (start, stride) = (self.u64_value(u64::from(start)), self.u64_value(u64::from(stride.max(1))));
        let bytes = self.b().op(Op::ISub, word, &[length, start]);
        let count = self.b().op(Op::UDiv, word, &[bytes, stride]);
        let count = self.b().op(Op::UConvert, ty, &[count]);
        self.values.insert(result, super::body::Mapped::Value(count));
    }

    /// An atomic operation on a place.
    pub fn atomic(&mut self, op: Op, at: Bytes, data: &InstData) {
        let Some((size, 1)) = self.leaf(at) else {
            self.refuse("atomic operations on this type");
            return;
        };
        let ty = self.ty(at.ty);
        let kinds = op.row().map_or(&[][..], |r| r.operands());
        let mut rest = data.clone();
        rest.operands.remove(0);
        let operands = self.operands(&rest, kinds.get(1..).unwrap_or(&[]));
        let result = data.result().map(|_| ty);
        let value = self.checked(at, size, result, |s, offset| {
            let p = s.pointer(at, offset, ty);
            let mut new = InstData::new(op, [Operand::Id(p)], data.span);
            new.operands.extend(operands);
            let inst = s.b().append(new, result.as_slice());
            s.f.insts[inst].result()
        });
        if let (Some(old), Some(new)) = (data.result(), value) {
            self.values.insert(old, super::body::Mapped::Value(new));
        }
    }
}
