//! Vectors, arrays and structs: parts read, set and put together.

use super::function::Body;
use super::raw::{Opcode, Val, ValueKind};
use crate::ir::{Op, Operand, Type, TypeKind, Value};

/// Parts of an aggregate that is made in one step.
const MAX_CONSTRUCTED: u32 = 64;
/// Instructions that may lie between its parts.
const MAX_BACK: usize = 256;

impl<'m> Body<'_, 'm, '_> {
    /// A scalar in every component of a vector type.
    pub fn splat(&mut self, vector: Type, scalar: Value) -> Value {
        let len = self.i.out.ctx.types.len_of(vector);
        if len == 1 {
            return scalar;
        }
        let parts = vec![scalar; usize::from(len)];
        self.b().op(Op::CompositeConstruct, vector, &parts)
    }

    fn constant_index(&self, v: Val<'m>) -> Option<u32> {
        u32::try_from(v.int()?).ok()
    }

    pub fn extract_element(&mut self, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let a = self.operand(operands[0])?;
        let len = u32::from(self.i.out.ctx.types.len_of(self.type_of(a)));
        if len == 1 {
            return Ok(a);
        }
        match self.constant_index(operands[1]) {
            Some(n) if n < len => Ok(self.b().extract(a, ty, &[n])),
            Some(_) => Ok(self.b().undef(ty)),
            None => {
                let n = self.operand(operands[1])?;
                Ok(self.b().op(Op::VectorExtractDynamic, ty, &[a, n]))
            }
        }
    }

    pub fn insert_element(&mut self, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let (a, part) = (self.operand(operands[0])?, self.operand(operands[1])?);
        let len = u32::from(self.i.out.ctx.types.len_of(ty));
        if len == 1 {
            return Ok(part);
        }
        match self.constant_index(operands[2]) {
            Some(n) if n + 1 == len && self.is_chain(Opcode::LLVMInsertElement, operands[0], n) => {
                Ok(self.construct(operands[0], part, n, ty))
            }
            Some(n) if n < len => {
                let all = [Operand::Id(part), Operand::Id(a), Operand::Literal(n)];
                Ok(self.b().value(Op::CompositeInsert, ty, &all))
            }
            Some(_) => Ok(self.b().undef(ty)),
            None => {
                let n = self.operand(operands[2])?;
                Ok(self.b().op(Op::VectorInsertDynamic, ty, &[a, part, n]))
            }
        }
    }

    pub fn insert_value(&mut self, v: Val<'m>, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let (a, part) = (self.operand(operands[0])?, self.canonical(operands[1])?);
        let parts = match self.i.out.ctx.types.kind(ty) {
            TypeKind::Array { len, .. } => *len,
            TypeKind::Struct(s) => s.members.len() as u32,
            _ => 0,
        };
        if let [n] = v.indices()[..]
            && n + 1 == parts
            && parts <= MAX_CONSTRUCTED
            && self.is_chain(Opcode::LLVMInsertValue, operands[0], n)
        {
            return Ok(self.construct(operands[0], part, n, ty));
        }
        let mut all = vec![Operand::Id(part), Operand::Id(a)];
        all.extend(v.indices().into_iter().map(Operand::Literal));
        Ok(self.b().value(Op::CompositeInsert, ty, &all))
    }

    /// Whether `v` is undefined but for the parts 0 to `n`, set one after the other in this block and used for nothing else.
    fn is_chain(&self, op: Opcode, mut v: Val<'m>, n: u32) -> bool {
        for i in (0..n).rev() {
            let operands = v.operands();
            let index = match op {
                Opcode::LLVMInsertElement => operands.get(2).and_then(|o| self.constant_index(*o)),
                _ if v.opcode() == Some(op) => Some(&v.indices()[..]).filter(|i| i.len() == 1).map(|i| i[0]),
                _ => None,
            };
            let here = self.values.get(&v).and_then(|v| self.f.def_inst(*v)).is_some_and(|i| {
                self.f.insts[i].op == crate::ir::Opcode::Op(Op::CompositeInsert)
                    && self.f.blocks[self.block].insts.iter().rev().take(MAX_BACK).any(|x| *x == i)
            });
            if v.opcode() != Some(op) || index != Some(i) || !here || !v.has_one_use() {
                return false;
            }
            v = operands[0];
        }
        matches!(v.kind(), ValueKind::LLVMUndefValueValueKind | ValueKind::LLVMPoisonValueKind)
    }

    /// Makes a composite in one step of what [`Body::is_chain`] found, and of its last part.
    fn construct(&mut self, mut v: Val<'m>, last: Value, n: u32, ty: Type) -> Value {
        let mut parts = vec![last];
        for _ in 0..n {
            if let Some(i) = self.values.get(&v).and_then(|v| self.f.def_inst(*v)) {
                parts.extend(self.f.insts[i].id(0));
                let insts = &mut self.f.blocks[self.block].insts;
                if let Some(at) = insts.iter().rposition(|x| *x == i) {
                    insts.remove(at);
                }
            }
            v = v.operands()[0];
        }
        parts.reverse();
        self.b().op(Op::CompositeConstruct, ty, &parts)
    }

    pub fn shuffle(&mut self, v: Val<'m>, operands: &[Val<'m>], ty: Type) -> Result<Value, String> {
        let (a, b) = (self.operand(operands[0])?, self.operand(operands[1])?);
        let len = u32::from(self.i.out.ctx.types.len_of(self.type_of(a)));
        let elem = self.i.out.ctx.types.scalar_of(ty);
        let mask = v.mask();
        if len > 1 && mask.len() > 1 {
            let mut all = vec![Operand::Id(a), Operand::Id(b)];
            all.extend(mask.into_iter().map(|m| Operand::Literal(m.unwrap_or(u32::MAX))));
            return Ok(self.b().value(Op::VectorShuffle, ty, &all));
        }
        // Vectors of one component are scalars.
        let mut parts = Vec::new();
        for m in mask {
            let part = match m {
                None => self.b().undef(elem),
                Some(n) if len == 1 => [a, b][(n as usize).min(1)],
                Some(n) if n < len => self.b().extract(a, elem, &[n]),
                Some(n) => self.b().extract(b, elem, &[n - len]),
            };
            parts.push(part);
        }
        Ok(match parts[..] {
            [one] => one,
            _ => self.b().op(Op::CompositeConstruct, ty, &parts),
        })
    }
}
