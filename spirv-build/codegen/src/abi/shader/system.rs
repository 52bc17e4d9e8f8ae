//! System values: those of kernels from those of shaders.

use super::body::Body;
use crate::ir::{BuiltIn, ConstKind, GlobalData, Op, StorageClass, TypeKind, Value};

impl Body<'_, '_> {
    /// A system value that shaders have.
    pub fn input(&mut self, b: BuiltIn) -> Value {
        let word = self.l.new.ctx.types.u32();
        let scalar = matches!(
            b,
            BuiltIn::LocalInvocationIndex
                | BuiltIn::SubgroupSize
                | BuiltIn::NumSubgroups
                | BuiltIn::SubgroupId
                | BuiltIn::SubgroupLocalInvocationId
        );
        let ty = if scalar { word } else { self.l.new.ctx.types.vector(word, 3) };
        let storage = StorageClass::Input;
        let found = self.l.new.globals.iter().find(|g| g.1.builtin() == Some(b)).map(|g| g.0);
        let g = found.unwrap_or_else(|| self.l.new.globals.push(GlobalData::system_value(b, ty)));
        let p = self.b().address_of(g, ty, storage);
        self.b().load(p)
    }

    /// A system value of kernels in 32 bits, three components or one.
    fn system(&mut self, b: BuiltIn) -> Option<Value> {
        let word = self.l.new.ctx.types.u32();
        let three = self.l.new.ctx.types.vector(word, 3);
        let size = self.local_size.map(|n| self.l.new.ctx.u32(n)).to_vec();
        let size = self.l.new.ctx.constant(three, ConstKind::Composite(size));
        let items: u32 = self.local_size.iter().product();
        Some(match b {
            BuiltIn::GlobalInvocationId
            | BuiltIn::LocalInvocationId
            | BuiltIn::WorkgroupId
            | BuiltIn::NumWorkgroups
            | BuiltIn::LocalInvocationIndex
            | BuiltIn::SubgroupSize
            | BuiltIn::NumSubgroups
            | BuiltIn::SubgroupId
            | BuiltIn::SubgroupLocalInvocationId => self.input(b),
            BuiltIn::SubgroupMaxSize => self.input(BuiltIn::SubgroupSize),
            BuiltIn::NumEnqueuedSubgroups => self.input(BuiltIn::NumSubgroups),
            BuiltIn::WorkgroupSize | BuiltIn::EnqueuedWorkgroupSize => self.b().constant(size),
            BuiltIn::GlobalSize => {
                let (groups, size) = (self.input(BuiltIn::NumWorkgroups), self.b().constant(size));
                self.b().op(Op::IMul, three, &[groups, size])
            }
            BuiltIn::GlobalOffset => self.b().null(three),
            BuiltIn::WorkDim => self.b().u32(3),
            BuiltIn::GlobalLinearId => {
                let (groups, group) = (self.input(BuiltIn::NumWorkgroups), self.input(BuiltIn::WorkgroupId));
                let size = self.b().constant(size);
                let all = self.b().op(Op::IMul, three, &[groups, size]);
                let id = self.input(BuiltIn::GlobalInvocationId);
                let _ = (group, items);
                let mut part = |v, i| self.b().extract(v, word, &[i]);
                let (x, y, z) = (part(id, 0), part(id, 1), part(id, 2));
                let (width, height) = (part(all, 0), part(all, 1));
                let rows = self.b().op(Op::IMul, word, &[z, height]);
                let rows = self.b().op(Op::IAdd, word, &[rows, y]);
                let before = self.b().op(Op::IMul, word, &[rows, width]);
                self.b().op(Op::IAdd, word, &[before, x])
            }
            _ => {
                self.refuse(format!("the system value {b:?}"));
                return None;
            }
        })
    }

    pub fn system_value(&mut self, b: BuiltIn, r: Value) {
        let Some(v) = self.system(b) else { return };
        let word = self.l.new.ctx.types.u32();
        // Components are extracted one by one, so that none has 64 bits for long.
        let ty = self.ty(r);
        let (narrow, wide) = (self.f.values[v].ty, self.l.new.ctx.types.scalar_of(ty));
        let v = if narrow == ty {
            v
        } else if self.l.new.ctx.types.len_of(ty) == 3 {
            let parts: Vec<Value> = (0..3)
                .map(|i| {
                    let part = self.b().extract(v, word, &[i]);
                    self.b().op(Op::UConvert, wide, &[part])
                })
                .collect();
            self.b().op(Op::CompositeConstruct, ty, &parts)
        } else if matches!(self.l.new.ctx.types.kind(ty), TypeKind::Int { .. }) {
            self.b().op(Op::UConvert, ty, &[v])
        } else {
            return self.refuse(format!("the system value {b:?} as what it is not"));
        };
        self.values.insert(r, v);
    }

    /// A component of a system value.
    pub fn system_part(&mut self, b: BuiltIn, index: Value, r: Value) {
        let Some(v) = self.system(b) else { return };
        let word = self.l.new.ctx.types.u32();
        let known = self.old.as_const(index).and_then(|c| self.l.old.ctx.consts.bits(c));
        let part = match known {
            Some(n @ 0..=2) => self.b().extract(v, word, &[n as u32]),
            Some(_) => return self.refuse("a component of a system value that there is not"),
            None => {
                let index = self.value(index);
                let index = self.narrow(index, 0);
                self.b().op(Op::VectorExtractDynamic, word, &[v, index])
            }
        };
        let ty = self.ty(r);
        let part = if ty == word { part } else { self.b().op(Op::UConvert, ty, &[part]) };
        self.values.insert(r, part);
    }
}
