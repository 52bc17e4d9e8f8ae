//! A function, instruction by instruction.

use super::classes::{Classes, Form, set_bytes};
use super::place::Place;
use super::{Lower, steps};
use crate::diag::{Code, Finding};
use crate::ir::{
    Block, Builder, BuiltIn, ConstKind, ExtSet, Function, Global, GlobalData, InstData, Op, Opcode, Operand,
    StorageClass, StructType, Type, TypeKind, Value, ValueDef,
};
use crate::source::Span;
use rustc_hash::FxHashMap;
use spirv_spec::{Kind, Traits};

/// State of one entry point.
pub(super) struct Body<'l, 'a> {
    pub l: &'l mut Lower<'a>,
    pub old: &'a Function,
    pub f: Function,
    pub block: Block,
    pub values: FxHashMap<Value, Value>,
    pub places: FxHashMap<Value, Place>,
    pub classes: Classes,
    /// The memory of each class that is no set of addresses, where it is known already.
    pub memories: FxHashMap<usize, Value>,
    /// Where each variable begins in the array of its class.
    pub starts: FxHashMap<Value, u64>,
    /// Components of system values: the value and which.
    pub parts: FxHashMap<Value, (BuiltIn, Value)>,
    /// Variables that stay what they are.
    pub direct: FxHashMap<Value, Value>,
    pub mapped: FxHashMap<Type, Type>,
    pub local_size: [u32; 3],
    /// Where the instruction stands that is being lowered.
    pub span: Span,
}

impl<'a> Body<'_, 'a> {
    pub fn b(&mut self) -> Builder<'_> {
        let span = self.span;
        let mut b = Builder::new(&mut self.l.new.ctx, &mut self.f, self.block);
        b.span = span;
        b
    }

    pub fn refuse(&mut self, what: impl Into<String>) {
        self.l.errors.push(Finding::new(Code::LlvmImport, self.span, what));
    }

    /// Type of an old value.
    pub fn ty(&self, v: Value) -> Type {
        self.old.values[v].ty
    }

    /// What a type becomes: vectors that shaders do not have become arrays, addresses numbers.
    pub fn map(&mut self, ty: Type) -> Type {
        if let Some(known) = self.mapped.get(&ty) {
            return *known;
        }
        let new = match self.l.old.ctx.types.kind(ty).clone() {
            TypeKind::Vector { elem, len } if len > 4 => {
                self.l.new.ctx.types.intern(TypeKind::Array { elem, len: u32::from(len), stride: None })
            }
            TypeKind::Array { elem, len, stride } => {
                let elem = self.map(elem);
                self.l.new.ctx.types.intern(TypeKind::Array { elem, len, stride })
            }
            TypeKind::Struct(s) => {
                let mut members = s.members.clone();
                for m in &mut members {
                    m.ty = self.map(m.ty);
                }
                let same = members.iter().zip(&s.members).all(|(a, b)| a.ty == b.ty);
                if same {
                    ty
                } else {
                    let s = StructType { members, ..s };
                    self.l.new.ctx.types.intern(TypeKind::Struct(s))
                }
            }
            TypeKind::Pointer { .. } => self.l.new.ctx.types.int(64, false),
            // Events of asynchronous copies, which are done at once.
            TypeKind::Opaque(o) if o.op == Op::TypeEvent => self.l.new.ctx.types.u32(),
            _ => ty,
        };
        self.mapped.insert(ty, new);
        new
    }

    /// What an old value that is no address is.
    pub fn value(&mut self, v: Value) -> Value {
        if let Some(new) = self.values.get(&v) {
            return *new;
        }
        let data = &self.old.values[v];
        let new = match data.def {
            ValueDef::Const(c) => {
                let c = self.constant(c);
                self.b().constant(c)
            }
            _ if self.l.old.ctx.types.pointee(data.ty).is_some() => return self.address_number(v),
            _ => {
                let ty = self.map(data.ty);
                self.b().undef(ty)
            }
        };
        self.values.insert(v, new);
        new
    }

    fn constant(&mut self, c: crate::ir::Const) -> crate::ir::Const {
        let (ty, kind) = (self.l.old.ctx.consts.ty(c), self.l.old.ctx.consts.kind(c).clone());
        let new = self.map(ty);
        if new == ty {
            return c;
        }
        let kind = match kind {
            ConstKind::Composite(parts) => {
                ConstKind::Composite(parts.into_iter().map(|p| self.constant(p)).collect())
            }
            // Null addresses are 0.
            other => other,
        };
        self.l.new.ctx.constant(new, kind)
    }

    pub fn copy_block(&mut self, from: Block, to: Block) {
        let outer = std::mem::replace(&mut self.block, to);
        let old = self.old;
        for i in &old.blocks[from].insts {
            self.inst(&old.insts[*i]);
        }
        self.block = outer;
    }

    pub fn pointee(&self, v: Value) -> Option<(Type, StorageClass)> {
        self.l.old.ctx.types.pointee(self.ty(v))
    }

    fn inst(&mut self, d: &'a InstData) {
        self.span = d.span;
        match d.op {
            Opcode::Selection | Opcode::Switch | Opcode::Loop => self.structured(d),
            Opcode::Merge | Opcode::Break | Opcode::Continue | Opcode::Next | Opcode::NextIf => self.jump(d),
            Opcode::Op(op) => self.op(op, d),
            Opcode::Ext(ExtSet::OpenCl, n) => self.function(n, d),
            Opcode::Resource(_) => self.refuse("resources as values"),
            Opcode::Ext(set, _) => self.refuse(format!("instructions of {}", set.name())),
        }
    }

    /// An operand where values meet: an address is passed as its class has it.
    fn passed(&mut self, v: Value, class: Option<usize>) -> Value {
        match class {
            Some(class) => self.pointer_operand(v, class),
            None => self.value(v),
        }
    }

    /// The class of what meets at a value; of constants the meeting's class counts, not their own.
    fn class(&self, v: Value) -> Option<usize> {
        self.pointee(v)?;
        self.classes.of(v)
    }

    /// A value where others meet.
    fn met(&mut self, old: Value, new: Value) {
        match self.class(old) {
            Some(class) => {
                let place = self.place_of_value(class, new);
                self.places.insert(old, place);
            }
            None => {
                self.values.insert(old, new);
            }
        }
    }

    fn met_type(&mut self, old: Value) -> Type {
        match self.class(old) {
            Some(class) => self.number_type(class),
            None => self.map(self.ty(old)),
        }
    }

    fn structured(&mut self, d: &'a InstData) {
        let mut new = InstData::new(d.op, [], d.span);
        let args: Vec<Value> = match (d.op, d.regions.first()) {
            (Opcode::Loop, Some(r)) => self.old.blocks[self.old.block_of(*r)].args.clone(),
            _ => Vec::new(),
        };
        for (i, o) in d.operands.iter().enumerate() {
            new.operands.push(match *o {
                Operand::Id(v) => {
                    let class = args.get(i).and_then(|a| self.class(*a));
                    Operand::Id(self.passed(v, class))
                }
                other => other,
            });
        }
        let mut blocks = Vec::new();
        for r in &d.regions {
            let (region, block) = self.f.make_region();
            new.regions.push(region);
            for arg in &self.old.blocks[self.old.block_of(*r)].args {
                let ty = self.met_type(*arg);
                let v = self.f.add_arg(block, ty);
                self.met(*arg, v);
            }
            blocks.push((self.old.block_of(*r), block));
        }
        let mut types = Vec::new();
        for v in &d.results {
            types.push(self.met_type(*v));
        }
        let inst = self.b().append(new, &types);
        let continuing = d.regions.get(1).filter(|_| d.op == Opcode::Loop);
        let continuing =
            continuing.map_or(Vec::new(), |r| self.old.blocks[self.old.block_of(*r)].args.clone());
        self.l.frames.push(super::Frame { op: d.op, results: d.results.to_vec(), args, continuing });
        for (from, to) in blocks {
            self.copy_block(from, to);
        }
        self.l.frames.pop();
        for (i, old) in d.results.iter().enumerate() {
            let v = self.f.insts[inst].results[i];
            self.met(*old, v);
        }
    }

    /// Merges, breaks and so on: their operands meet others.
    fn jump(&mut self, d: &'a InstData) {
        let frame = |kinds: &[Opcode]| self.l.frames.iter().rev().find(|f| kinds.contains(&f.op));
        let targets: Vec<Value> = match d.op {
            Opcode::Merge => self.l.frames.last().map_or(Vec::new(), |f| f.results.clone()),
            Opcode::Break => frame(&[Opcode::Loop, Opcode::Switch]).map_or(Vec::new(), |f| f.results.clone()),
            Opcode::Continue => frame(&[Opcode::Loop]).map_or(Vec::new(), |f| f.continuing.clone()),
            Opcode::Next => frame(&[Opcode::Loop]).map_or(Vec::new(), |f| f.args.clone()),
            _ => frame(&[Opcode::Loop])
                .map_or(Vec::new(), |f| f.args.iter().chain(&f.results).copied().collect()),
        };
        // The first operand of a conditional jump is the condition.
        let skip = usize::from(d.op == Opcode::NextIf);
        let mut new = InstData::new(d.op, [], d.span);
        for (i, v) in d.ids().enumerate() {
            let class = i.checked_sub(skip).and_then(|i| targets.get(i)).and_then(|t| self.class(*t));
            new.operands.push(Operand::Id(self.passed(v, class)));
        }
        self.b().append(new, &[]);
    }

    /// An instruction that stays what it is, but for scopes and semantics.
    pub fn plain(&mut self, d: &InstData) {
        let kinds = match d.op {
            Opcode::Op(op) => op.row().map_or(&[][..], |r| r.operands()),
            _ => &[],
        };
        let mut new = InstData::new(d.op, [], d.span);
        for (i, o) in d.operands.iter().enumerate() {
            let kind = kinds.get(i).map(|k| k.kind);
            new.operands.push(match *o {
                Operand::Id(v) if matches!(kind, Some(Kind::IdScope | Kind::IdMemorySemantics)) => {
                    let bits = self.old.as_const(v).and_then(|c| self.l.old.ctx.consts.bits(c));
                    if bits.is_none() {
                        self.refuse("a scope or order of memory that is not constant");
                    }
                    let bits = bits.unwrap_or(0) as u32;
                    let bits = if kind == Some(Kind::IdScope) { bits.max(1) } else { semantics(bits) };
                    Operand::Id(self.b().u32(bits))
                }
                Operand::Id(v) => Operand::Id(self.value(v)),
                other => other,
            });
        }
        let result = d.result().map(|v| self.map(self.ty(v)));
        let inst = self.b().append(new, result.as_slice());
        if let (Some(old), Some(new)) = (d.result(), self.f.insts[inst].result()) {
            self.values.insert(old, new);
        }
    }

    /// An instruction whose first operand or result is an address.
    pub fn on_address(&mut self, op: Op, d: &'a InstData) -> bool {
        let pointer = |v: Option<Value>| v.is_some_and(|v| self.pointee(v).is_some());
        if op == Op::FunctionCall {
            return false;
        }
        let any = pointer(d.result()) || d.ids().any(|v| self.pointee(v).is_some());
        if !any {
            return false;
        }
        let builtin = d.id(0).and_then(|v| match self.old.values[v].def {
            ValueDef::Global(g) => self.l.old.globals[g].builtin(),
            _ => None,
        });
        if let (Some(b), Some(r)) = (builtin, d.result()) {
            match (op, d.id(1)) {
                (Op::Load, _) => self.system_value(b, r),
                (Op::AccessChain | Op::InBoundsAccessChain, Some(i)) if d.operands.len() == 2 => {
                    self.parts.insert(r, (b, i));
                }
                (Op::Bitcast, _) => self.refuse(format!("the system value {b:?} as what it is not")),
                _ => self.refuse(format!("{} on the system value {b:?}", crate::ir::words::operation(op))),
            }
            return true;
        }
        if let (Op::Load, Some(v), Some(r)) = (op, d.id(0), d.result())
            && let Some((b, index)) = self.parts.get(&v).copied()
        {
            self.system_part(b, index, r);
            return true;
        }
        if let Some(known) = d.id(0).and_then(|v| self.direct.get(&v)).copied() {
            match (op, d.id(1), d.result()) {
                (Op::Load, _, Some(r)) => {
                    let v = self.b().load(known);
                    self.values.insert(r, v);
                }
                (Op::Store, Some(v), _) => {
                    let v = self.value(v);
                    self.b().store(known, v);
                }
                _ => self.refuse(format!("{} on this variable", crate::ir::words::operation(op))),
            }
            return true;
        }
        if op.traits().has(Traits::ADDRESS) && pointer(d.id(0)) {
            self.chain(d);
            return true;
        }
        match op {
            Op::Variable => self.variable(d),
            Op::Load => self.load_inst(d),
            Op::Store => self.store_inst(d),
            Op::CopyMemorySized => self.copy_bytes(d),
            Op::GroupAsyncCopy => self.group_copy(d),
            Op::Select => {
                let (Some(r), Some(c)) = (d.result(), d.id(0)) else { return true };
                let (Some(class), Some(a), Some(b)) = (self.classes.of(r), d.id(1), d.id(2)) else {
                    self.refuse("a choice of addresses");
                    return true;
                };
                let (c, a, b) =
                    (self.value(c), self.pointer_operand(a, class), self.pointer_operand(b, class));
                let ty = self.number_type(class);
                let v = self.b().op(Op::Select, ty, &[c, a, b]);
                let place = self.place_of_value(class, v);
                self.places.insert(r, place);
            }
            Op::ConvertPtrToU => {
                let (Some(v), Some(r)) = (d.id(0), d.result()) else { return true };
                let ty = self.map(self.ty(r));
                let word = self.l.new.ctx.types.int(64, false);
                let mut n = self.address_number(v);
                if ty != word {
                    n = self.b().op(Op::UConvert, ty, &[n]);
                }
                self.values.insert(r, n);
            }
            Op::ConvertUToPtr => {
                let (Some(v), Some(r)) = (d.id(0), d.result()) else { return true };
                let Some(class) = self.classes.of(r) else { return true };
                let mut n = self.value(v);
                let word = self.l.new.ctx.types.int(64, false);
                if self.f.values[n].ty != word {
                    n = self.b().op(Op::UConvert, word, &[n]);
                }
                let place = self.place_of_number(class, n);
                self.places.insert(r, place);
            }
            Op::PtrEqual | Op::PtrNotEqual => {
                let (Some(a), Some(b), Some(r)) = (d.id(0), d.id(1), d.result()) else { return true };
                let (a, b, ty) = (self.address_number(a), self.address_number(b), self.ty(r));
                let op = if op == Op::PtrEqual { Op::IEqual } else { Op::INotEqual };
                let v = self.b().op(op, ty, &[a, b]);
                self.values.insert(r, v);
            }
            // Addresses in composites are numbers.
            Op::CompositeConstruct | Op::CompositeInsert => self.plain(d),
            Op::CompositeExtract => {
                let (Some(v), Some(r)) = (d.id(0), d.result()) else { return true };
                let indices: Vec<u32> = (1..d.operands.len()).filter_map(|i| d.literal(i)).collect();
                let (v, word) = (self.value(v), self.l.new.ctx.types.int(64, false));
                let n = self.b().extract(v, word, &indices);
                if let Some(class) = self.classes.of(r) {
                    let place = self.place_of_number(class, n);
                    self.places.insert(r, place);
                }
            }
            _ if op.is_atomic() => self.atomic(op, d),
            _ => self.refuse(format!("{} on an address", crate::ir::words::operation(op))),
        }
        true
    }

    fn chain(&mut self, d: &'a InstData) {
        let (Some(base), Some(r)) = (d.id(0), d.result()) else { return };
        let Some(place) = self.place(base) else {
            // Null, or no memory at all.
            if let Some(class) = self.classes.of(r) {
                let null = self.pointer_operand(base, class);
                let place = self.place_of_value(class, null);
                self.places.insert(r, place);
            }
            return;
        };
        match steps::of(self.l.old, self.old, d) {
            Some(list) => {
                let place = self.step(place, &list);
                self.places.insert(r, place);
            }
            None => self.refuse("an address into what has no layout"),
        }
    }

    fn variable(&mut self, d: &'a InstData) {
        let Some((pointee, r)) = d.result().and_then(|r| Some((self.pointee(r)?.0, r))) else { return };
        let name = self.old.values[r].name.clone();
        let types = &self.l.old.ctx.types;
        if types.is_bool(pointee) || matches!(types.kind(pointee), TypeKind::Opaque(_)) {
            let ty = self.map(pointee);
            let v = self.b().variable(ty, name.as_deref());
            self.direct.insert(r, v);
            return;
        }
        let Some(class) = self.classes.of(r) else { return };
        let Some(place) = self.variable_place(r, class, name.as_deref()) else { return };
        if let Some(init) = d.id(1) {
            self.store(&place, 0, self.ty(init), init);
        }
    }

    /// Where a variable, or a parameter that is one, begins; its class's memory is made if it is not there yet.
    pub fn variable_place(&mut self, v: Value, class: usize, name: Option<&str>) -> Option<Place> {
        let start = self.start(class, v)?;
        if !self.memories.contains_key(&class) {
            let array = self.array(class)?;
            let memory = self.b().variable(array, name);
            self.memories.insert(class, memory);
        }
        let place = Place { constant: start, ..Place::start(class) };
        self.places.insert(v, place.clone());
        Some(place)
    }

    /// The array that holds all variables of a class.
    fn array(&mut self, class: usize) -> Option<Type> {
        let roots = self.classes.list[class].roots.clone();
        let (mut end, size) = (0u64, self.classes.list[class].size);
        for v in roots {
            let whole = self.pointee(v).and_then(|(t, _)| super::layout::size(self.l.old, t));
            let Some(whole) = whole else {
                self.refuse("a variable of a type that has no layout");
                return None;
            };
            let start = if end == 0 { 0 } else { end.next_multiple_of(super::classes::ALIGN) };
            self.starts.insert(v, start);
            end = start.checked_add(whole)?;
        }
        let Some(len) = u32::try_from(end.div_ceil(size)).ok().filter(|n| *n > 0) else {
            self.refuse("a variable that is too large");
            return None;
        };
        let elem = self.word_of(class);
        Some(self.l.new.ctx.types.intern(TypeKind::Array { elem, len, stride: None }))
    }

    fn start(&mut self, class: usize, v: Value) -> Option<u64> {
        if !self.starts.contains_key(&v) {
            self.array(class)?;
        }
        self.starts.get(&v).copied()
    }

    /// The pointer to the memory of a class.
    pub fn memory(&mut self, class: usize) -> Option<Value> {
        self.memories.get(&class).copied()
    }

    /// A variable of the module: local memory or a table of constants.
    pub fn global(&mut self, v: Value, g: Global) -> Option<Place> {
        let class = self.classes.of(v)?;
        let start = self.start(class, v)?;
        if !self.memories.contains_key(&class) {
            let data = &self.l.old.globals[g];
            let (name, span) = (data.name.clone(), data.span);
            let (Form::Array(storage), init) = (self.form(class), data.init) else {
                self.refuse(format!("the variable `{name}`, which is in global memory"));
                return None;
            };
            let array = self.array(class)?;
            let init = match (storage, init) {
                (StorageClass::Private, Some(c)) => match self.table(class, c) {
                    Some(c) => Some(c),
                    None => {
                        self.refuse(format!("the table `{name}`, which is not of numbers alone"));
                        return None;
                    }
                },
                (StorageClass::Private, None) => {
                    self.refuse(format!("the constant `{name}`, which has no value here"));
                    return None;
                }
                _ => None,
            };
            let new = GlobalData { init, ..GlobalData::new(name, array, storage, span) };
            let new = self.l.new.globals.push(new);
            let address = self.b().address_of(new, array, storage);
            self.memories.insert(class, address);
        }
        let place = Place { constant: start, ..Place::start(class) };
        self.places.insert(v, place.clone());
        Some(place)
    }

    /// A constant as words.
    fn table(&mut self, class: usize, c: crate::ir::Const) -> Option<crate::ir::Const> {
        let size = self.classes.list[class].size;
        let ty = self.l.old.ctx.consts.ty(c);
        let whole = super::layout::size(self.l.old, ty)?.next_multiple_of(size);
        let mut bytes = vec![0u8; usize::try_from(whole).ok()?];
        super::memory::constant_bytes(self.l.old, c, 0, &mut bytes)?;
        let (word, array) = (self.word_of(class), self.array(class)?);
        let words = bytes.chunks_exact(size as usize).map(|b| {
            let mut all = [0u8; 8];
            all[..b.len()].copy_from_slice(b);
            u64::from_le_bytes(all)
        });
        let words: Vec<u64> = words.collect();
        let parts = words.into_iter().map(|w| self.l.new.ctx.constant(word, ConstKind::Bits(w))).collect();
        Some(self.l.new.ctx.constant(array, ConstKind::Composite(parts)))
    }

    /// What a stored constant sets all bytes to.
    pub fn set_bytes(&self, v: Value) -> Option<(u64, u64)> {
        set_bytes(self.l.old, self.old, v)
    }
}

/// Memory semantics of shaders.
pub(super) fn semantics(bits: u32) -> u32 {
    let order = match bits & 0x1e {
        0 => 0,
        16 => 8,
        order => order,
    };
    let memory = bits & 0x900 | if bits & 0x200 != 0 { 0x40 } else { 0 };
    // An order without memory has no effect, and memory without an order is not allowed.
    if order == 0 || memory == 0 { 0 } else { order | memory }
}
