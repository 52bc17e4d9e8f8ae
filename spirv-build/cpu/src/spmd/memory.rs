//! Loads, stores and atomics: what is in memory, and where.

use crate::analysis::address::{self, Pointer, Root};
use crate::analysis::leaves::{self, Scalar};
use crate::ir::{BufferAccess, BuiltIn, Global, Inst, Op, ResourceClass, StorageClass, TypeKind, Value};
use crate::spmd::build::{Build, Leaves, Result};
use crate::spmd::inst::describe;
use crate::spmd::ops;
use crate::spmd::{
    Address, Arg, Atomic, Builtin, Kind, Leaf, Memory, PrivateData, Reach, Shape, Size, Stmt, constants,
};
use smallvec::{SmallVec, smallvec};

impl Build<'_> {
    fn pointer(&mut self, v: Value) -> Result<Pointer> {
        match address::resolve(self.input.ctx, self.input.globals, self.f(), v) {
            Some(p) => Ok(p),
            None => self.unsupported("a pointer that is chosen at run time"),
        }
    }

    /// The memory that a pointer leads into, and whether addresses there count words instead of bytes.
    fn memory(&mut self, p: &Pointer) -> Result<(Memory, bool)> {
        match p.root {
            Root::Variable(v) => {
                if let Some(&c) = self.a.tables.get(&v) {
                    return Ok((Memory::Table(self.table(c)?), true));
                }
                if let Some(&private) = self.privates.get(&v) {
                    return Ok((Memory::Private(private), true));
                }
                let pointee = self.input.ctx.types.pointee(self.f().values[v].ty).map(|p| p.0);
                let of =
                    |ty| leaves::count(self.input.ctx, ty).and_then(|_| leaves::words(self.input.ctx, ty));
                let Some(words) = pointee.and_then(of) else {
                    return self.unsupported("a local variable of this type or size");
                };
                let name = self.f().values[v].name.as_deref().unwrap_or_default().to_string();
                let private = self.p.privates.push(PrivateData { words, name });
                self.privates.insert(v, private);
                Ok((Memory::Private(private), true))
            }
            Root::Physical(_) => Ok((Memory::Physical, false)),
            Root::Global(g) => {
                if let Some(&slot) = self.slots.get(&g) {
                    return Ok((Memory::Resource(slot), false));
                }
                if let Some(&memory) = self.shared.get(&g) {
                    return Ok((memory, false));
                }
                match (self.input.globals[g].storage, self.input.globals[g].init) {
                    (StorageClass::Private, Some(c)) => Ok((Memory::Table(self.table(c)?), true)),
                    _ => self.unsupported("a module-scope variable of this kind"),
                }
            }
        }
    }

    fn table(&mut self, c: crate::ir::Const) -> Result<crate::spmd::Table> {
        if let Some(t) = self.tables.get(&c) {
            return Ok(*t);
        }
        if constants::is_chosen(self.input.ctx, c) {
            return self.unsupported("a table with specialization constants in it");
        }
        let table = self.p.tables.push(constants::constant_words(self.input.ctx, c));
        self.tables.insert(c, table);
        Ok(table)
    }

    /// The addresses of an object's leaves.
    fn addresses(&mut self, p: &Pointer) -> Result<Vec<Address>> {
        let (memory, counts) = self.memory(p)?;
        let Some(offsets) = address::leaf_offsets(self.input.ctx, p) else {
            return self.unsupported("memory without a layout");
        };
        if let Root::Physical(base) = p.root {
            let index = Some((self.physical(base, p)?, 1));
            let at = |o: u32| Address { memory, konst: p.konst.wrapping_add(o), index };
            return Ok(offsets.into_iter().map(at).collect());
        }
        let unit = if counts { 4 } else { 1 };
        let mut terms = SmallVec::<[(Arg, u32); 2]>::new();
        for (v, stride) in &p.terms {
            terms.push((self.arg(*v)?, stride / unit));
        }
        let index = match terms[..] {
            [] => None,
            [one] => Some(one),
            _ => {
                // Several indices: add the bytes up. Where that wraps, the address is still checked.
                let mut sum = None;
                for (arg, stride) in terms {
                    let scaled = self.op("imul", &[arg, Arg::Const(Kind::Int, stride)]);
                    sum = Some(match sum {
                        None => scaled,
                        Some(sum) => self.op("iadd", &[sum, scaled]),
                    });
                }
                sum.map(|s| (s, 1))
            }
        };
        Ok(offsets
            .into_iter()
            .map(|o| Address { memory, konst: p.konst.wrapping_add(o) / unit, index })
            .collect())
    }

    /// An address with the parts of it that vary; indices count as signed.
    fn physical(&mut self, base: Value, p: &Pointer) -> Result<Arg> {
        let mut sum = self.arg(base)?;
        if self.p.reach.is_empty() {
            self.p.reach = self.reach();
        }
        if self.p.reach.iter().all(|r| *r == Reach::Nothing) {
            return self.unsupported("an address that the host gives");
        }
        for (v, stride) in &p.terms {
            let mut index = self.arg(*v)?;
            if self.kind(index) == Kind::Int {
                index = self.row(ops::row("lsext"), &[index]);
            }
            let bytes = self.op("imul", &[index, Arg::Wide(Kind::Long, u64::from(*stride))]);
            sum = self.op("iadd", &[sum, bytes]);
        }
        Ok(sum)
    }

    /// What addresses may do with each resource.
    fn reach(&self) -> Vec<Reach> {
        let of = |g: &Global| match &self.input.globals[*g].interface {
            Some(i) if i.class == ResourceClass::Address => match i.access {
                BufferAccess::Read => Reach::Read,
                BufferAccess::ReadWrite => Reach::Write,
            },
            _ => Reach::Nothing,
        };
        self.p.resources.iter().map(of).collect()
    }

    pub fn load(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(pointer), Some(result)) = (data.id(0), data.result()) else { return Ok(()) };
        let p = self.pointer(pointer)?;
        if let Root::Global(g) = p.root
            && let Some(builtin) = self.input.globals[g].builtin()
        {
            let n = self.scalars_of(result)?.len();
            let leaves = self.builtin(builtin, &p, n)?;
            self.values.insert(result, leaves);
            return Ok(());
        }
        let scalars = self.scalars_of(result)?;
        let addresses = self.addresses(&p)?;
        let constant = matches!(p.storage, StorageClass::Uniform | StorageClass::PushConstant);
        let mut out = Leaves::new();
        for (i, (address, scalar)) in addresses.into_iter().zip(scalars).enumerate() {
            if let (true, None, Memory::Resource(slot)) = (constant, address.index, address.memory) {
                out.push(self.constant_load(slot, address.konst, scalar));
                continue;
            }
            let own = self.a.shape(result, i);
            let hoist = own <= Shape::Group && self.nest == 0;
            let shape = match address.index {
                _ if matches!(address.memory, Memory::Private(_)) => Shape::Varying,
                Some((a, _)) if !self.shape(a).is_uniform() => Shape::Varying,
                _ if hoist => own,
                _ => own.clamp(Shape::Group, Shape::Wave),
            };
            let shape = if address.memory == Memory::Physical { shape.max(Shape::Group) } else { shape };
            out.push(self.load_leaf(address, scalar, p.is_laid_out(), shape, hoist));
        }
        self.values.insert(result, out);
        Ok(())
    }

    /// Loads one leaf.
    fn load_leaf(&mut self, address: Address, s: Scalar, laid_out: bool, shape: Shape, hoist: bool) -> Arg {
        if s.kind.is_wide() {
            let [low, high] = halves(address).map(|a| self.load_word(a, 4, Kind::Int, shape, hoist));
            let bits = self.op("lmake", &[low, high]);
            return if s.kind == Kind::Double { self.op("dfrom", &[bits]) } else { bits };
        }
        if laid_out && s.width < 32 {
            let bits = self.load_word(address, s.width / 8, Kind::Int, shape, hoist);
            return self.value_of(bits, s);
        }
        // Bools are words in memory.
        let stored = if s.kind == Kind::Bool { Kind::Int } else { s.kind };
        let word = self.load_word(address, 4, stored, shape, hoist);
        if s.kind == Kind::Bool { self.op("ine", &[word, Arg::Const(Kind::Int, 0)]) } else { word }
    }

    fn load_word(&mut self, address: Address, bytes: u32, kind: Kind, shape: Shape, hoist: bool) -> Arg {
        let home = if hoist { None } else { Some(self.open()) };
        let dst = self.leaf(kind, shape, home);
        let mask = if hoist { Arg::Active } else { self.mask };
        let stmt = Stmt::Load { dst, address, bytes, mask };
        if hoist {
            self.group.push(stmt)
        } else {
            self.out.push(stmt)
        }
        Arg::Leaf(dst)
    }

    /// A constant of a cbuffer: loaded once a launch.
    pub fn constant_load(&mut self, slot: u32, konst: u32, s: Scalar) -> Arg {
        if let Some(leaf) = self.constants.get(&(slot, konst, s)) {
            return Arg::Leaf(*leaf);
        }
        let address = Address { memory: Memory::Resource(slot), konst, index: None };
        let mut load = |address: Address, bytes: u32, kind: Kind| {
            let dst = self.leaf(kind, Shape::Launch, None);
            self.p.prologue.push(Stmt::Load { dst, address, bytes, mask: Arg::Active });
            dst
        };
        let leaf = match s.kind {
            Kind::Long | Kind::Double => {
                let [low, high] = halves(address).map(|a| Arg::Leaf(load(a, 4, Kind::Int)));
                let bits = self.prologue_op("lmake", &[low, high]);
                if s.kind == Kind::Double { self.prologue_op("dfrom", &[Arg::Leaf(bits)]) } else { bits }
            }
            Kind::Bool => {
                let word = load(address, 4, Kind::Int);
                self.prologue_op("ine", &[Arg::Leaf(word), Arg::Const(Kind::Int, 0)])
            }
            Kind::Float if s.is_half() => {
                let bits = load(address, 2, Kind::Int);
                self.prologue_op("h2f", &[Arg::Leaf(bits)])
            }
            Kind::Float | Kind::Int => load(address, s.width / 8, s.kind),
        };
        self.constants.insert((slot, konst, s), leaf);
        Arg::Leaf(leaf)
    }

    /// An operation that is done once a launch.
    fn prologue_op(&mut self, name: &str, args: &[Arg]) -> Leaf {
        let op = ops::row(name);
        let dst = self.leaf(op.result(), Shape::Launch, None);
        self.p.prologue.push(Stmt::Let { dst, op, args: args.iter().copied().collect() });
        dst
    }

    pub fn store(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(pointer), Some(value)) = (data.id(0), data.id(1)) else { return Ok(()) };
        let p = self.pointer(pointer)?;
        if let Root::Variable(v) = p.root
            && self.a.tables.contains_key(&v)
        {
            return Ok(());
        }
        self.open();
        let (values, scalars) = (self.args(value)?, self.scalars_of(value)?);
        let addresses = self.addresses(&p)?;
        for (address, (src, s)) in addresses.into_iter().zip(values.into_iter().zip(scalars)) {
            if s.kind.is_wide() {
                let bits = if s.kind == Kind::Double { self.op("dbits", &[src]) } else { src };
                for (address, half) in halves(address).into_iter().zip(["llo", "lhi"]) {
                    let word = self.op(half, &[bits]);
                    self.store_word(address, 4, word);
                }
            } else if p.is_laid_out() && s.width < 32 {
                let bits = self.bits_of(src, s);
                self.store_word(address, s.width / 8, bits);
            } else {
                let word = self.word(src);
                self.store_word(address, 4, word);
            }
        }
        Ok(())
    }

    fn store_word(&mut self, address: Address, bytes: u32, src: Arg) {
        let (kind, mask) = (self.kind(src), self.mask);
        self.push(Stmt::Store { address, bytes, src, kind, mask });
    }

    /// A leaf as it is in memory: bools as words.
    fn word(&mut self, a: Arg) -> Arg {
        match self.kind(a) {
            Kind::Bool => self.op("isel", &[a, Arg::Const(Kind::Int, 1), Arg::Const(Kind::Int, 0)]),
            _ => a,
        }
    }

    fn builtin(&mut self, builtin: BuiltIn, p: &Pointer, n: usize) -> Result<Leaves> {
        if !p.terms.is_empty() {
            return self.unsupported("a system value's component chosen at run time");
        }
        let first = (p.konst / 4) as usize;
        let size = self.input.local_size;
        let mut out = Leaves::new();
        for component in first..first + n {
            let c = component as u8;
            let one = size.get(component).is_none_or(|s| *s == 1);
            out.push(match builtin {
                BuiltIn::WorkgroupId => Arg::Builtin(Builtin::GroupId(c)),
                BuiltIn::NumWorkgroups => Arg::Builtin(Builtin::GroupCount(c)),
                BuiltIn::LocalInvocationIndex => Arg::Builtin(Builtin::LocalIndex),
                BuiltIn::LocalInvocationId if one => Arg::Const(Kind::Int, 0),
                BuiltIn::LocalInvocationId => Arg::Builtin(Builtin::LocalId(c)),
                BuiltIn::GlobalInvocationId if one => Arg::Builtin(Builtin::GroupId(c)),
                BuiltIn::GlobalInvocationId => Arg::Builtin(Builtin::GlobalId(c)),
                BuiltIn::WorkgroupSize => Arg::Const(Kind::Int, size.get(component).copied().unwrap_or(1)),
                BuiltIn::SubgroupLocalInvocationId => Arg::Builtin(Builtin::Lane),
                BuiltIn::SubgroupSize => Arg::Builtin(Builtin::LaneCount),
                BuiltIn::SubgroupId => {
                    self.open();
                    Arg::Builtin(Builtin::WaveIndex)
                }
                BuiltIn::NumSubgroups => Arg::Builtin(Builtin::WaveCount),
                other => return self.unsupported(format!("the system value {other:?}")),
            });
        }
        Ok(out)
    }

    pub fn array_length(&mut self, inst: Inst) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let (Some(pointer), Some(member), Some(result)) = (data.id(0), data.literal(1), data.result()) else {
            return Ok(());
        };
        let p = self.pointer(pointer)?;
        let (Memory::Resource(slot), TypeKind::Struct(s)) =
            (self.memory(&p)?.0, self.input.ctx.types.kind(p.ty))
        else {
            return self.unsupported("the length of this array");
        };
        let Some(member) = s.members.get(member as usize) else { return Ok(()) };
        let (TypeKind::RuntimeArray { stride: Some(stride), .. }, Some(offset)) =
            (self.input.ctx.types.kind(member.ty), member.offset)
        else {
            return self.unsupported("the length of this array");
        };
        let bytes = self.size(slot, Size::Bytes);
        let rest = self.op("isub", &[bytes, Arg::Const(Kind::Int, offset)]);
        let n = self.op("udiv", &[rest, Arg::Const(Kind::Int, *stride)]);
        self.values.insert(result, smallvec![n]);
        Ok(())
    }

    pub fn size(&mut self, slot: u32, what: Size) -> Arg {
        let dst = self.leaf(Kind::Int, Shape::Launch, None);
        self.p.prologue.push(Stmt::Size { dst, slot, what });
        Arg::Leaf(dst)
    }

    pub fn atomic(&mut self, inst: Inst, op: Op) -> Result<()> {
        let f = self.f();
        let data = &f.insts[inst];
        let Some(pointer) = data.id(0) else { return Ok(()) };
        self.open();
        let mut mask = self.mask;
        let address = match self.texel_address(pointer)? {
            Some((address, inside)) => {
                mask = inside;
                address
            }
            None => {
                let p = self.pointer(pointer)?;
                match self.addresses(&p)?[..] {
                    [one] => one,
                    _ => return self.unsupported("an atomic operation on a composite"),
                }
            }
        };
        if matches!(address.memory, Memory::Private(_) | Memory::Table(_)) {
            return self.unsupported("an atomic operation on a variable of one thread");
        }
        let ids: SmallVec<[Value; 6]> = data.ids().collect();
        let object = match (data.result(), ids.get(3)) {
            (Some(v), _) | (None, Some(&v)) => v,
            (None, None) => return self.unsupported(describe(op.into())),
        };
        let kind = match self.scalars_of(object)?[..] {
            [s] if s.width >= 32 && s.kind != Kind::Bool => s.kind,
            _ => return self.unsupported("an atomic operation on this type"),
        };
        let one = if kind == Kind::Long { Arg::Wide(Kind::Long, 1) } else { Arg::Const(Kind::Int, 1) };
        let (what, args): (Atomic, SmallVec<[Arg; 2]>) = match (atomic(op), op, &ids[..]) {
            (Some(what), Op::AtomicLoad, _) => (what, smallvec![]),
            (Some(what), Op::AtomicIIncrement | Op::AtomicIDecrement, _) => (what, smallvec![one]),
            (Some(what), Op::AtomicCompareExchange, &[_, _, _, _, new, old]) => {
                (what, smallvec![self.arg(new)?, self.arg(old)?])
            }
            (Some(what), _, &[_, _, _, value]) => (what, smallvec![self.arg(value)?]),
            _ => return self.unsupported(describe(op.into())),
        };
        let dst: Option<Leaf> = match data.result() {
            Some(result) => {
                let home = Some(self.open());
                let dst = self.leaf(kind, Shape::Varying, home);
                self.values.insert(result, smallvec![Arg::Leaf(dst)]);
                Some(dst)
            }
            None => None,
        };
        self.push(Stmt::Atomic { dst, op: what, address, args, mask });
        Ok(())
    }
}

/// The two words of a 64-bit leaf. Memory that counts words has the second one after the first, too.
fn halves(a: Address) -> [Address; 2] {
    let step = if matches!(a.memory, Memory::Private(_) | Memory::Table(_)) { 1 } else { 4 };
    [a, Address { konst: a.konst.wrapping_add(step), ..a }]
}

/// What an atomic instruction does.
pub fn atomic(op: Op) -> Option<Atomic> {
    Some(match op {
        Op::AtomicIAdd => Atomic::Add,
        Op::AtomicISub => Atomic::Sub,
        Op::AtomicAnd => Atomic::And,
        Op::AtomicOr => Atomic::Or,
        Op::AtomicXor => Atomic::Xor,
        Op::AtomicSMin => Atomic::SMin,
        Op::AtomicSMax => Atomic::SMax,
        Op::AtomicUMin => Atomic::UMin,
        Op::AtomicUMax => Atomic::UMax,
        Op::AtomicExchange => Atomic::Exchange,
        Op::AtomicIIncrement => Atomic::Add,
        Op::AtomicIDecrement => Atomic::Sub,
        Op::AtomicCompareExchange => Atomic::CompareExchange,
        Op::AtomicLoad => Atomic::Load,
        Op::AtomicStore => Atomic::Store,
        _ => return None,
    })
}
