//! Addresses while they are lowered, and what they become where they must be values.

use super::body::Body;
use super::classes::{ALIGN, Form};
use super::steps::Step;
use crate::ir::{ConstKind, Op, Opcode, StorageClass, Type, TypeKind, Value, ValueDef};

/// How deep indices of 64 bits are followed to compute them in 32.
const MAX_NARROWED: u32 = 6;

/// An address: where a class's memory begins, and what is added.
#[derive(Clone)]
pub(super) struct Place {
    pub class: usize,
    /// The number that it starts from (`Form::Physical` only; None: null).
    pub base: Option<Value>,
    /// Bytes.
    pub constant: u64,
    /// Index and how many bytes each is; 64 bits wide for physical addresses, 32 for others.
    pub terms: Vec<(Value, u64)>,
}

impl Place {
    /// The start of a class's memory.
    pub fn start(class: usize) -> Place {
        Place { class, base: None, constant: 0, terms: Vec::new() }
    }
}

impl Body<'_, '_> {
    pub fn form(&self, class: usize) -> Form {
        self.classes.list[class].form
    }

    /// The type of the words that a class's memory consists of.
    pub fn word_of(&mut self, class: usize) -> Type {
        let c = &self.classes.list[class];
        let (elem, size) = (c.elem, c.size);
        let types = &mut self.l.new.ctx.types;
        match types.width_of(elem) {
            Some(width) if u64::from(width) == size * 8 => elem,
            _ => types.int((size * 8).min(64) as u8, false),
        }
    }

    /// The type that addresses of a class have as values.
    pub fn number_type(&mut self, class: usize) -> Type {
        let width = if self.form(class) == Form::Physical { 64 } else { 32 };
        self.l.new.ctx.types.int(width, false)
    }

    /// The place behind an old address, if it is one.
    pub fn place(&mut self, v: Value) -> Option<Place> {
        if let Some(place) = self.places.get(&v) {
            return Some(place.clone());
        }
        if let ValueDef::Global(g) = self.old.values[v].def
            && self.l.old.globals[g].builtin().is_none()
        {
            return self.global(v, g);
        }
        None
    }

    /// Adds what an instruction adds.
    pub fn step(&mut self, mut place: Place, steps: &[Step]) -> Place {
        for step in steps {
            match *step {
                Step::Constant(k) => place.constant = place.constant.wrapping_add(k as u64),
                Step::Term(index, size) => {
                    let v = self.value(index);
                    let physical = self.form(place.class) == Form::Physical;
                    let v = if physical { self.widen(v) } else { self.narrow(v, 0) };
                    place.terms.push((v, size));
                }
            }
        }
        place
    }

    /// An index in 64 bits. Narrower ones have signs in LLVM.
    fn widen(&mut self, v: Value) -> Value {
        let ty = self.f.values[v].ty;
        let word = self.l.new.ctx.types.int(64, false);
        if ty == word {
            return v;
        }
        let same = self.l.new.ctx.types.width_of(ty) == Some(64);
        self.b().op(if same { Op::Bitcast } else { Op::SConvert }, word, &[v])
    }

    /// An index in 32 bits: buffers are no larger. What 64-bit indices are computed from is computed in 32 bits again,
    /// so that most kernels need no others.
    pub fn narrow(&mut self, v: Value, depth: u32) -> Value {
        let ty = self.f.values[v].ty;
        let word = self.l.new.ctx.types.u32();
        match self.l.new.ctx.types.width_of(ty) {
            Some(32) => return v,
            Some(64) => {}
            // Narrower indices have signs in LLVM.
            _ => return self.b().op(Op::SConvert, word, &[v]),
        }
        if let Some(c) = self.f.as_const(v)
            && let Some(bits) = self.l.new.ctx.consts.bits(c)
        {
            return self.b().u32(bits as u32);
        }
        if let Some(source) = self.widened(v) {
            return source;
        }
        if depth < MAX_NARROWED
            && let Some(i) = self.f.def_inst(v)
        {
            let d = &self.f.insts[i];
            let (op, a, b) = (d.op, d.id(0), d.id(1));
            let shift = b.and_then(|b| self.f.as_const(b)).and_then(|c| self.l.new.ctx.consts.bits(c));
            if let (Opcode::Op(op), Some(a), Some(b)) = (op, a, b) {
                match op {
                    Op::IAdd | Op::ISub | Op::IMul | Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => {
                        let (a, b) = (self.narrow(a, depth + 1), self.narrow(b, depth + 1));
                        return self.b().op(op, word, &[a, b]);
                    }
                    Op::ShiftLeftLogical if shift.is_some_and(|n| n < 32) => {
                        let a = self.narrow(a, depth + 1);
                        let n = self.b().u32(shift.unwrap_or(0) as u32);
                        return self.b().op(op, word, &[a, n]);
                    }
                    // The sign of the low half above it.
                    Op::ShiftRightArithmetic if shift == Some(32) => {
                        let inner = self.f.def_inst(a).map(|i| &self.f.insts[i]);
                        let low = inner.filter(|d| d.op == Opcode::Op(Op::ShiftLeftLogical)).and_then(|d| {
                            let n = self.f.as_const(d.id(1)?).and_then(|c| self.l.new.ctx.consts.bits(c));
                            d.id(0).filter(|_| n == Some(32))
                        });
                        if let Some(low) = low {
                            return self.narrow(low, depth + 1);
                        }
                    }
                    _ => {}
                }
            }
        }
        self.b().op(Op::UConvert, word, &[v])
    }

    /// The 32-bit integer that a 64-bit one has the value of, if that is known.
    pub fn zero_extended(&mut self, v: Value) -> Option<Value> {
        let wide =
            *self.l.new.ctx.types.kind(self.f.values[v].ty) == TypeKind::Int { width: 64, signed: false };
        if let Some(c) = self.f.as_const(v) {
            let n = u32::try_from(self.l.new.ctx.consts.bits(c)?).ok()?;
            return wide.then(|| self.b().u32(n));
        }
        let unsigned = self.f.def_inst(v).is_some_and(|i| self.f.insts[i].op == Opcode::Op(Op::UConvert));
        if unsigned && wide { self.widened(v) } else { None }
    }

    /// The 32-bit integer that a 64-bit one was made of.
    pub fn widened(&self, v: Value) -> Option<Value> {
        let d = &self.f.insts[self.f.def_inst(v)?];
        let source = d.id(0)?;
        let wide = matches!(d.op, Opcode::Op(Op::UConvert | Op::SConvert));
        (wide && self.l.new.ctx.types.width_of(self.f.values[source].ty) == Some(32)).then_some(source)
    }

    /// A physical address as a number.
    pub fn address(&mut self, place: &Place, more: u64) -> Value {
        let word = self.l.new.ctx.types.int(64, false);
        let mut sum = place.base;
        for &(v, size) in &place.terms {
            let by = self.number(word, size);
            let term = if size == 1 { v } else { self.b().op(Op::IMul, word, &[v, by]) };
            sum = Some(match sum {
                None => term,
                Some(sum) => self.b().op(Op::IAdd, word, &[sum, term]),
            });
        }
        let constant = place.constant.wrapping_add(more);
        let c = self.number(word, constant);
        match sum {
            None => c,
            Some(sum) if constant == 0 => sum,
            Some(sum) => self.b().op(Op::IAdd, word, &[sum, c]),
        }
    }

    /// A constant.
    pub fn number(&mut self, ty: Type, bits: u64) -> Value {
        let width = self.l.new.ctx.types.width_of(ty).unwrap_or(64);
        let bits = if width >= 64 { bits } else { bits & ((1 << width) - 1) };
        let c = self.l.new.ctx.splat(ty, ConstKind::Bits(bits));
        self.b().constant(c)
    }

    /// An address of the array form in multiples of so many bytes, which divide all that is added.
    fn counted(&mut self, place: &Place, unit: u64, more: u64) -> Value {
        let word = self.l.new.ctx.types.u32();
        let mut sum: Option<Value> = None;
        for &(v, size) in &place.terms {
            let mut term = v;
            if size != unit {
                let by = self.b().u32((size / unit) as u32);
                term = self.b().op(Op::IMul, word, &[v, by]);
            }
            sum = Some(match sum {
                None => term,
                Some(sum) => self.b().op(Op::IAdd, word, &[sum, term]),
            });
        }
        let constant = (place.constant.wrapping_add(more) as i64 / unit as i64) as u32;
        match sum {
            None => self.b().u32(constant),
            Some(v) if constant == 0 => v,
            Some(v) => {
                let c = self.b().u32(constant);
                self.b().op(Op::IAdd, word, &[v, c])
            }
        }
    }

    /// Which word of its memory an address of the array form is that of, `more` bytes on.
    pub fn word_index(&mut self, place: &Place, more: u64) -> Value {
        let size = self.classes.list[place.class].size;
        let whole = place.constant.wrapping_add(more).is_multiple_of(size)
            && place.terms.iter().all(|t| t.1.is_multiple_of(size));
        if whole {
            return self.counted(place, size, more);
        }
        // Parts that are no whole words each are together.
        let bytes = self.counted(place, 1, more);
        let (word, shift) = (self.l.new.ctx.types.u32(), self.b().u32(size.trailing_zeros()));
        self.b().op(Op::ShiftRightLogical, word, &[bytes, shift])
    }

    /// The pointer to the word of an address of the array form, `more` bytes on.
    pub fn word_pointer(&mut self, place: &Place, more: u64) -> Option<Value> {
        let index = self.word_index(place, more);
        let word = self.word_of(place.class);
        let Some(memory) = self.memory(place.class) else {
            self.refuse("an address without memory behind it");
            return None;
        };
        if self.form(place.class) == Form::Descriptor {
            let zero = self.b().u32(0);
            return Some(self.b().access_chain(memory, word, &[zero, index]));
        }
        Some(self.b().access_chain(memory, word, &[index]))
    }

    /// A pointer to an object at a physical address.
    pub fn physical_pointer(&mut self, place: &Place, more: u64, object: Type) -> Value {
        let address = self.address(place, more);
        let ty = self.l.new.ctx.types.pointer(object, StorageClass::PhysicalStorageBuffer);
        self.b().op(Op::ConvertUToPtr, ty, &[address])
    }

    /// An address as a value of [`Body::number_type`].
    pub fn pointer_value(&mut self, place: &Place) -> Value {
        match self.form(place.class) {
            Form::Physical => self.address(place, 0),
            _ => {
                let unit = self.classes.list[place.class].unit;
                self.counted(place, unit, 0)
            }
        }
    }

    /// The place of an address that is such a value.
    pub fn place_of_value(&mut self, class: usize, v: Value) -> Place {
        match self.form(class) {
            Form::Physical => Place { class, base: Some(v), constant: 0, terms: Vec::new() },
            _ => {
                let unit = self.classes.list[class].unit;
                Place { class, base: None, constant: 0, terms: vec![(v, unit)] }
            }
        }
    }

    /// An old address that goes to where addresses of a class meet, as a value.
    pub fn pointer_operand(&mut self, v: Value, class: usize) -> Value {
        if let Some(place) = self.place(v) {
            return self.pointer_value(&place);
        }
        // Null; for indices what as a number (see `address_number`) is null.
        let ty = self.number_type(class);
        let null = match self.form(class) {
            Form::Physical => 0,
            _ => (ALIGN / self.classes.list[class].unit).wrapping_neg(),
        };
        self.number(ty, null)
    }

    /// An address as a 64-bit number. No address of an array is 0.
    pub fn address_number(&mut self, v: Value) -> Value {
        let word = self.l.new.ctx.types.int(64, false);
        let Some(place) = self.place(v) else { return self.number(word, 0) };
        if self.form(place.class) == Form::Physical {
            return self.address(&place, 0);
        }
        let bytes = self.counted(&place, 1, ALIGN);
        self.b().op(Op::UConvert, word, &[bytes])
    }

    /// The place of an address that was a 64-bit number.
    pub fn place_of_number(&mut self, class: usize, v: Value) -> Place {
        if self.form(class) == Form::Physical {
            return self.place_of_value(class, v);
        }
        let bytes = self.narrow(v, 0);
        Place { class, base: None, constant: ALIGN.wrapping_neg(), terms: vec![(bytes, 1)] }
    }
}
