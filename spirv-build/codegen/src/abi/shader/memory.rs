//! Loads, stores, copies and atomic operations on lowered addresses.

use super::body::Body;
use super::classes::Form;
use super::layout;
use super::place::Place;
use crate::ir::{Block, Const, ConstKind, InstData, Module, Op, Opcode, Operand, Type, TypeKind, Value};

/// Words that are copied one after the other; more are copied by a loop.
const MAX_UNROLLED: u64 = 32;
/// Scalars of one load or store.
const MAX_PARTS: u64 = 4096;
/// Bits of memory operands; a number of bytes follows the second.
const VOLATILE: u32 = 1;
const ALIGNED: u32 = 2;

/// Orders among memory semantics.
const ORDERS: u32 = 0x1e;
const ACQUIRE: u32 = 2;
const RELEASE: u32 = 4;

/// The bytes of a constant, as memory has it. None if it has others than numbers, such as addresses.
pub(super) fn constant_bytes(m: &Module, c: Const, at: u64, out: &mut [u8]) -> Option<()> {
    let ty = m.ctx.consts.ty(c);
    match m.ctx.consts.kind(c) {
        ConstKind::Null | ConstKind::Undef => Some(()),
        ConstKind::Composite(parts) => {
            for (i, p) in (0..).zip(parts) {
                let (offset, _) = layout::part(m, ty, i)?;
                constant_bytes(m, *p, at + offset, out)?;
            }
            Some(())
        }
        _ => {
            let (bits, size) = (m.ctx.consts.bits(c)?, layout::size(m, ty)? as usize);
            let at = usize::try_from(at).ok()?;
            out.get_mut(at..at + size)?.copy_from_slice(&bits.to_le_bytes()[..size]);
            Some(())
        }
    }
}

/// Memory semantics of an atomic operation of shaders: loads do not release, stores do not acquire.
fn order(op: Op, bits: u32) -> u32 {
    let bits = super::body::semantics(bits);
    match op {
        _ if bits & ORDERS == 0 => bits,
        Op::AtomicLoad => bits & !ORDERS | ACQUIRE,
        Op::AtomicStore | Op::AtomicFlagClear => bits & !ORDERS | RELEASE,
        _ => bits,
    }
}

/// How memory is accessed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Access {
    /// Bytes that the address is a multiple of; None: as much as the type wants.
    pub align: Option<u64>,
    /// Every access counts.
    pub volatile: bool,
}

impl Access {
    /// What an instruction's memory operands say, from operand `at` on.
    fn of(d: &InstData, at: usize) -> Access {
        let mask = d.literal(at).unwrap_or(0);
        let align = if mask & ALIGNED != 0 { d.literal(at + 1).map(u64::from) } else { None };
        Access { align, volatile: mask & VOLATILE != 0 }
    }

    /// An address that is a multiple of so many bytes.
    pub fn aligned(bytes: u64) -> Access {
        Access { align: Some(bytes), volatile: false }
    }

    /// Part of the object, so many bytes behind its start.
    fn behind(self, bytes: u64) -> Access {
        let align = self.align.map(|a| a.min(1 << bytes.trailing_zeros().min(4)));
        Access { align, ..self }
    }

    fn physical(self, natural: u64) -> [Operand; 2] {
        let mask = ALIGNED | if self.volatile { VOLATILE } else { 0 };
        let align = self.align.unwrap_or(natural).clamp(1, 64) as u32;
        [Operand::Literal(mask), Operand::Literal(align)]
    }

    fn logical(self) -> Option<Operand> {
        self.volatile.then_some(Operand::Literal(VOLATILE))
    }
}

impl<'a> Body<'_, 'a> {
    pub fn load_inst(&mut self, d: &'a InstData) {
        let (Some(v), Some(r)) = (d.id(0), d.result()) else { return };
        let ty = self.ty(r);
        let Some(place) = self.place(v) else {
            // Of null: whatever comes of it has no meaning.
            if self.pointee(r).is_none() {
                let ty = self.map(ty);
                let u = self.b().undef(ty);
                self.values.insert(r, u);
            }
            return;
        };
        let access = Access::of(d, 1);
        if let (Some(_), Some(class)) = (self.pointee(r), self.classes.of(r)) {
            let word = self.l.new.ctx.types.int(64, false);
            if let Some(n) = self.load_scalar(&place, 0, word, access) {
                let place = self.place_of_number(class, n);
                self.places.insert(r, place);
            }
            return;
        }
        if let Some(v) = self.load(&place, 0, ty, access) {
            self.values.insert(r, v);
        }
    }

    pub fn store_inst(&mut self, d: &'a InstData) {
        let (Some(to), Some(v)) = (d.id(0), d.id(1)) else { return };
        let Some(place) = self.place(to) else { return };
        if let Some((byte, size)) = self.set_bytes(v) {
            self.fill(&place, byte, size);
            return;
        }
        let access = Access::of(d, 2);
        let ty = self.ty(v);
        let v = if self.pointee(v).is_some() { self.address_number(v) } else { self.value(v) };
        self.store_value(&place, 0, ty, v, access);
    }

    /// Stores an old value.
    pub fn store(&mut self, place: &Place, more: u64, ty: Type, v: Value) {
        let v = if self.pointee(v).is_some() { self.address_number(v) } else { self.value(v) };
        self.store_value(place, more, ty, v, Access::default());
    }

    /// An object of an old type.
    pub fn load(&mut self, place: &Place, more: u64, ty: Type, access: Access) -> Option<Value> {
        let new = self.map(ty);
        let Some(n) = layout::parts(self.l.old, ty) else {
            return self.load_scalar(place, more, new, access);
        };
        if n > MAX_PARTS {
            self.refuse("a load of an object that is too large");
            return None;
        }
        if let (Form::Physical, TypeKind::Vector { elem, len: 2..=4 }) =
            (self.form(place.class), self.l.old.ctx.types.kind(ty))
        {
            let size = layout::size(self.l.old, *elem).unwrap_or(1);
            return Some(self.load_physical(place, more, new, access.physical(size)));
        }
        let mut parts = Vec::new();
        for i in 0..n {
            let Some((at, part)) = layout::part(self.l.old, ty, i) else {
                self.refuse("a load of an object that has no layout");
                return None;
            };
            parts.push(self.load(place, more + at, part, access.behind(at))?);
        }
        Some(self.b().op(Op::CompositeConstruct, new, &parts))
    }

    fn load_physical(&mut self, place: &Place, more: u64, ty: Type, access: [Operand; 2]) -> Value {
        let p = self.physical_pointer(place, more, ty);
        let all = [Operand::Id(p), access[0], access[1]];
        self.b().value(Op::Load, ty, &all)
    }

    fn load_word(&mut self, p: Value, access: Access) -> Value {
        let Some((ty, _)) = self.l.new.ctx.types.pointee(self.f.values[p].ty) else { return p };
        let all: Vec<Operand> = [Operand::Id(p)].into_iter().chain(access.logical()).collect();
        self.b().value(Op::Load, ty, &all)
    }

    fn store_word(&mut self, p: Value, v: Value, access: Access) {
        let all: Vec<Operand> =
            [Operand::Id(p), Operand::Id(v)].into_iter().chain(access.logical()).collect();
        self.b().push(Op::Store, &all);
    }

    /// A number, whatever words its memory consists of.
    pub fn load_scalar(&mut self, place: &Place, more: u64, ty: Type, access: Access) -> Option<Value> {
        let Some(width) = self.l.new.ctx.types.width_of(ty).filter(|w| *w >= 8) else {
            self.refuse("a load of what has no size");
            return None;
        };
        let bytes = u64::from(width) / 8;
        if self.form(place.class) == Form::Physical {
            return Some(self.load_physical(place, more, ty, access.physical(bytes)));
        }
        let (word, size) = (self.word_of(place.class), self.classes.list[place.class].size);
        if bytes < size {
            self.refuse("a part of a word of memory");
            return None;
        }
        if bytes == size {
            let p = self.word_pointer(place, more)?;
            let v = self.load_word(p, access);
            return Some(self.cast(v, ty));
        }
        // Made of several words.
        let (part, whole) = (self.int(size * 8), self.int(bytes * 8));
        let mut all: Option<Value> = None;
        for i in 0..bytes / size {
            let p = self.word_pointer(place, more + i * size)?;
            let v = self.load_word(p, access);
            let v = self.cast(v, part);
            let mut v = self.b().op(Op::UConvert, whole, &[v]);
            if i > 0 {
                let by = self.number(whole, i * size * 8);
                v = self.b().op(Op::ShiftLeftLogical, whole, &[v, by]);
            }
            all = Some(match all {
                None => v,
                Some(all) => self.b().op(Op::BitwiseOr, whole, &[all, v]),
            });
        }
        let _ = word;
        all.map(|v| self.cast(v, ty))
    }

    /// Stores a lowered value of an old type.
    pub fn store_value(&mut self, place: &Place, more: u64, ty: Type, v: Value, access: Access) {
        let Some(n) = layout::parts(self.l.old, ty) else {
            self.store_scalar(place, more, v, access);
            return;
        };
        if n > MAX_PARTS {
            return self.refuse("a store of an object that is too large");
        }
        if let (Form::Physical, TypeKind::Vector { elem, len: 2..=4 }) =
            (self.form(place.class), self.l.old.ctx.types.kind(ty))
        {
            let size = layout::size(self.l.old, *elem).unwrap_or(1);
            return self.store_physical(place, more, v, access.physical(size));
        }
        for i in 0..n {
            let Some((at, part)) = layout::part(self.l.old, ty, i) else {
                return self.refuse("a store of an object that has no layout");
            };
            let new = self.map(part);
            let x = self.b().extract(v, new, &[i as u32]);
            self.store_value(place, more + at, part, x, access.behind(at));
        }
    }

    fn store_physical(&mut self, place: &Place, more: u64, v: Value, access: [Operand; 2]) {
        let ty = self.f.values[v].ty;
        let p = self.physical_pointer(place, more, ty);
        let all = [Operand::Id(p), Operand::Id(v), access[0], access[1]];
        self.b().push(Op::Store, &all);
    }

    /// Stores a number, whatever words its memory consists of.
    pub fn store_scalar(&mut self, place: &Place, more: u64, v: Value, access: Access) {
        let ty = self.f.values[v].ty;
        let Some(width) = self.l.new.ctx.types.width_of(ty).filter(|w| *w >= 8) else {
            return self.refuse("a store of what has no size");
        };
        let bytes = u64::from(width) / 8;
        if self.form(place.class) == Form::Physical {
            return self.store_physical(place, more, v, access.physical(bytes));
        }
        let (word, size) = (self.word_of(place.class), self.classes.list[place.class].size);
        if bytes < size {
            return self.refuse("a part of a word of memory");
        }
        if bytes == size {
            let Some(p) = self.word_pointer(place, more) else { return };
            let v = self.cast(v, word);
            self.store_word(p, v, access);
            return;
        }
        let (part, whole) = (self.int(size * 8), self.int(bytes * 8));
        let v = self.cast(v, whole);
        for i in 0..bytes / size {
            let mut x = v;
            if i > 0 {
                let by = self.number(whole, i * size * 8);
                x = self.b().op(Op::ShiftRightLogical, whole, &[v, by]);
            }
            let x = self.b().op(Op::UConvert, part, &[x]);
            let x = self.cast(x, word);
            let Some(p) = self.word_pointer(place, more + i * size) else { return };
            self.store_word(p, x, access);
        }
    }

    pub fn int(&mut self, bits: u64) -> Type {
        self.l.new.ctx.types.int(bits.min(64) as u8, false)
    }

    /// The bits of a number as another type of the same size.
    pub fn cast(&mut self, v: Value, ty: Type) -> Value {
        if self.f.values[v].ty == ty { v } else { self.b().op(Op::Bitcast, ty, &[v]) }
    }

    /// Runs `each` for 0 up to a number, which it is given.
    pub fn count(&mut self, n: Value, first: Value, by: Value, each: impl FnOnce(&mut Self, Value)) {
        let (word, truth) = (self.l.new.ctx.types.u32(), self.l.new.ctx.types.bool());
        let (inst, body, next) = self.b().loop_op(&[first], &[]);
        let _ = inst;
        let i = self.f.blocks[body].args[0];
        let at = self.f.add_arg(next, word);
        let outer = std::mem::replace(&mut self.block, body);
        let done = self.b().op(Op::UGreaterThanEqual, truth, &[i, n]);
        let (_, then, els) = self.b().selection(done, &[]);
        self.within(then, |s| s.b().terminate(Opcode::Break, &[]));
        self.within(els, |s| s.b().terminate(Opcode::Merge, &[]));
        each(self, i);
        self.b().terminate(Opcode::Continue, &[i]);
        self.block = next;
        let more = self.b().op(Op::IAdd, word, &[at, by]);
        self.b().terminate(Opcode::Next, &[more]);
        self.block = outer;
    }

    pub fn within(&mut self, block: Block, work: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.block, block);
        work(self);
        self.block = outer;
    }

    /// The bytes that words of both memories are multiples of, at most 8.
    fn common(&self, a: &Place, b: Option<&Place>, size: Option<u64>) -> u64 {
        let multiple = |p: &Place| {
            // Words of a buffer that may be of several widths lie at least as its narrowest.
            let class = &self.classes.list[p.class];
            let own = if class.form == Form::Physical { class.unit.min(class.size) } else { class.size };
            let at = p.terms.iter().map(|t| t.1).chain([p.constant]).filter(|n| *n > 0);
            at.map(|n| 1u64 << n.trailing_zeros().min(3)).fold(own, u64::min)
        };
        let mut unit = multiple(a);
        if let Some(b) = b {
            unit = unit.min(multiple(b));
        }
        if let Some(size) = size.filter(|n| *n > 0) {
            unit = unit.min(1 << size.trailing_zeros().min(3));
        }
        unit.clamp(1, 8)
    }

    /// Whether single pieces of so many bytes can be reached.
    fn reachable(&mut self, place: &Place, unit: u64) -> bool {
        let fits = self.form(place.class) == Form::Physical || self.classes.list[place.class].size <= unit;
        if !fits {
            self.refuse("a copy of parts of words");
        }
        fits
    }

    pub fn copy_bytes(&mut self, d: &'a InstData) {
        let (Some(to), Some(from), Some(n)) = (d.id(0), d.id(1), d.id(2)) else { return };
        let (Some(to), Some(from)) = (self.place(to), self.place(from)) else { return };
        let size = self.old.as_const(n).and_then(|c| self.l.old.ctx.consts.bits(c));
        let unit = self.common(&to, Some(&from), size);
        if !self.reachable(&to, unit) || !self.reachable(&from, unit) {
            return;
        }
        let ty = self.int(unit * 8);
        match size {
            Some(size) if size / unit <= MAX_UNROLLED => {
                // All is read before anything is written: the two may overlap.
                let mut values = Vec::new();
                for at in (0..size).step_by(unit as usize) {
                    values.extend(self.load_scalar(&from, at, ty, Access::aligned(unit)));
                }
                for (at, v) in (0..size).step_by(unit as usize).zip(values) {
                    self.store_scalar(&to, at, v, Access::aligned(unit));
                }
            }
            _ => {
                let n = self.value(n);
                let n = self.narrow(n, 0);
                let (word, shift) = (self.l.new.ctx.types.u32(), self.b().u32(unit.trailing_zeros()));
                let n = self.b().op(Op::ShiftRightLogical, word, &[n, shift]);
                let (first, by) = (self.b().u32(0), self.b().u32(1));
                self.count(n, first, by, |s, i| {
                    let (from, to) = (s.moved(&from, i, unit), s.moved(&to, i, unit));
                    if let Some(v) = s.load_scalar(&from, 0, ty, Access::aligned(unit)) {
                        s.store_scalar(&to, 0, v, Access::aligned(unit));
                    }
                });
            }
        }
    }

    /// A place `i` (32 bits) pieces of `size` bytes on.
    pub fn moved(&mut self, place: &Place, i: Value, size: u64) -> Place {
        let mut place = place.clone();
        let mut i = i;
        if self.form(place.class) == Form::Physical {
            let word = self.l.new.ctx.types.int(64, false);
            i = self.b().op(Op::UConvert, word, &[i]);
        }
        place.terms.push((i, size));
        place
    }

    /// Sets bytes.
    fn fill(&mut self, to: &Place, byte: u64, size: u64) {
        let unit = self.common(to, None, Some(size));
        if !self.reachable(to, unit) {
            return;
        }
        let ty = self.int(unit * 8);
        let v = self.number(ty, byte * 0x0101_0101_0101_0101);
        if size / unit <= MAX_UNROLLED {
            for at in (0..size).step_by(unit as usize) {
                self.store_scalar(to, at, v, Access::aligned(unit));
            }
            return;
        }
        let (n, first, by) = (self.b().u32((size / unit) as u32), self.b().u32(0), self.b().u32(1));
        self.count(n, first, by, |s, i| {
            let to = s.moved(to, i, unit);
            s.store_scalar(&to, 0, v, Access::aligned(unit));
        });
    }

    /// A copy by the whole work-group: each work-item copies every so many elements. It is done when it returns, but only the
    /// barrier that waiting for it becomes makes it visible to the others.
    pub fn group_copy(&mut self, d: &'a InstData) {
        let ids: Vec<Value> = d.ids().collect();
        let [_, to, from, n, stride, ..] = ids[..] else { return };
        let object = self.pointee(to).map(|p| p.0);
        let from_global = matches!(self.pointee(from), Some((_, crate::ir::StorageClass::CrossWorkgroup)));
        let (Some(a), Some(b), Some(object)) = (self.place(to), self.place(from), object) else { return };
        let Some(size) = layout::size(self.l.old, object) else {
            return self.refuse("a copy of elements that have no layout");
        };
        let (n, stride) = (self.value(n), self.value(stride));
        let (n, stride) = (self.narrow(n, 0), self.narrow(stride, 0));
        let first = self.input(crate::ir::BuiltIn::LocalInvocationIndex);
        let items = self.local_size.iter().product();
        let by = self.b().u32(items);
        let word = self.l.new.ctx.types.u32();
        self.count(n, first, by, |s, i| {
            // The stride is that of global memory.
            let far = s.b().op(Op::IMul, word, &[i, stride]);
            let (at_to, at_from) = if from_global { (i, far) } else { (far, i) };
            let (a, b) = (s.moved(&a, at_to, size), s.moved(&b, at_from, size));
            if let Some(v) = s.load(&b, 0, object, Access::default()) {
                s.store_value(&a, 0, object, v, Access::default());
            }
        });
        if let Some(r) = d.result() {
            let event = self.b().u32(0);
            self.values.insert(r, event);
        }
    }

    pub fn atomic(&mut self, op: Op, d: &'a InstData) {
        let Some((v, (mut object, _))) = d.id(0).and_then(|v| Some((v, self.pointee(v)?))) else { return };
        let Some(place) = self.place(v) else { return };
        let flag = matches!(op, Op::AtomicFlagTestAndSet | Op::AtomicFlagClear);
        if flag {
            object = self.l.new.ctx.types.u32();
        }
        let float = self.l.new.ctx.types.is_float(object);
        // Loads, stores and exchanges of floats move bits.
        let moves = matches!(op, Op::AtomicLoad | Op::AtomicStore | Op::AtomicExchange);
        let width = u64::from(self.l.new.ctx.types.width_of(object).unwrap_or(32));
        let bits = self.int(width);
        let work = if float && moves { bits } else { object };
        let p = if self.form(place.class) == Form::Physical {
            self.physical_pointer(&place, 0, work)
        } else {
            let word = self.word_of(place.class);
            let fits = self.classes.list[place.class].size * 8 == width;
            match (fits, word == work) {
                (true, true) => {}
                (true, false) if float && moves => return self.float_move(op, &place, d, object),
                _ => return self.refuse("an atomic operation on memory that is used for other types, too"),
            }
            let Some(p) = self.word_pointer(&place, 0) else { return };
            p
        };
        let (scope, order) = (self.scope_or_order(d, 1).max(1), order(op, self.scope_or_order(d, 2)));
        let mut all =
            vec![Operand::Id(p), Operand::Id(self.b().u32(scope)), Operand::Id(self.b().u32(order))];
        let mut rest = 3;
        if matches!(op, Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak) {
            let unequal = super::body::semantics(self.scope_or_order(d, 3));
            // Vulkan wants no release where nothing is written.
            let unequal = if unequal & 0xc != 0 { unequal & !0xc | 2 } else { unequal };
            all.push(Operand::Id(self.b().u32(unequal)));
            rest = 4;
        }
        let op = match op {
            Op::AtomicFlagTestAndSet => Op::AtomicExchange,
            Op::AtomicFlagClear => Op::AtomicStore,
            Op::AtomicCompareExchangeWeak => Op::AtomicCompareExchange,
            op => op,
        };
        if flag {
            let v = u64::from(op == Op::AtomicExchange);
            all.push(Operand::Id(self.number(object, v)));
        }
        for n in rest..d.operands.len() {
            let Some(v) = d.id(n) else { continue };
            let v = self.value(v);
            all.push(Operand::Id(self.cast(v, work)));
        }
        let Some(r) = d.result() else {
            self.b().push(op, &all);
            return;
        };
        let v = self.b().value(op, work, &all);
        let v = if flag {
            let (zero, truth) = (self.number(object, 0), self.l.new.ctx.types.bool());
            self.b().op(Op::INotEqual, truth, &[v, zero])
        } else {
            self.cast(v, object)
        };
        self.values.insert(r, v);
    }

    /// A scope or order of memory.
    fn scope_or_order(&mut self, d: &InstData, n: usize) -> u32 {
        let bits = d.id(n).and_then(|v| self.old.as_const(v)).and_then(|c| self.l.old.ctx.consts.bits(c));
        if bits.is_none() {
            self.refuse("a scope or order of memory that is not constant");
        }
        bits.unwrap_or(0) as u32
    }

    /// An atomic load, store or exchange of a float in memory of floats.
    fn float_move(&mut self, op: Op, place: &Place, d: &'a InstData, object: Type) {
        let Some(p) = self.word_pointer(place, 0) else { return };
        let mut all = vec![Operand::Id(p)];
        for n in 1..3 {
            let bits = self.scope_or_order(d, n);
            let bits = if n == 1 { bits.max(1) } else { order(op, bits) };
            all.push(Operand::Id(self.b().u32(bits)));
        }
        for n in 3..d.operands.len() {
            let Some(v) = d.id(n) else { continue };
            all.push(Operand::Id(self.value(v)));
        }
        match d.result() {
            Some(r) => {
                let v = self.b().value(op, object, &all);
                self.values.insert(r, v);
            }
            None => {
                self.b().push(op, &all);
            }
        }
    }
}
