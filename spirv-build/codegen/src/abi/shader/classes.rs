//! Which memory an address may be of, found before anything is lowered.
//!
//! Addresses that may be the same value, because one is computed from the other or both meet where control flow does, are
//! of one *class*. An address that goes through memory or a number joins all others that do.
//!
//! | memory that a class may be of | form |
//! | --- | --- |
//! | one buffer that the host passes, in words of one width | a descriptor, the address an index |
//! | several buffers, words of several widths, an address from memory or a number | 64-bit addresses |
//! | variables of one kind of memory | one array of the narrowest word, the address an index |

use super::layout;
use super::steps::{self, Step};
use crate::ir::entity::Entity;
use crate::ir::{
    Block, ExtSet, Function, Inst, Module, Op, Opcode, StorageClass, Type, TypeKind, Value, ValueDef,
};
use rustc_hash::FxHashMap;
use spirv_spec::{ClOp as Cl, Traits};

/// Variables that share an array begin at multiples of this.
pub(super) const ALIGN: u64 = 16;

/// What addresses of a class are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Indices into a buffer that a descriptor names.
    Descriptor,
    /// Numbers of 64 bits.
    Physical,
    /// Indices into an array in this storage class (`Function`, `Workgroup`, `Private` for tables).
    Array(StorageClass),
}

/// Addresses that may be the same.
#[derive(Debug, Clone)]
pub(super) struct Class {
    pub form: Form,
    /// Parameters, variables and addresses of globals, in the order of their values.
    pub roots: Vec<Value>,
    /// The word that the memory consists of.
    pub elem: Type,
    /// Bytes of it.
    pub size: u64,
    /// Bytes that an address of the array form counts: the word's, or fewer where some address is no multiple of it.
    pub unit: u64,
    /// Something writes there.
    pub written: bool,
    /// Why there is no form.
    pub problem: Option<String>,
}

/// All classes of a function.
pub(super) struct Classes {
    of: FxHashMap<Value, usize>,
    pub list: Vec<Class>,
}

impl Classes {
    /// The class of an address; None for constants and system values.
    pub fn of(&self, v: Value) -> Option<usize> {
        self.of.get(&v).copied()
    }
}

/// Kinds of memory that are never mixed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Global,
    Local,
    Private,
    Table,
}

/// What is known of the accesses of a class.
#[derive(Clone, Default)]
struct Use {
    /// Narrowest word and how often it was met as what.
    words: Vec<Type>,
    atomic: Option<Type>,
    written: bool,
    /// Greatest common divisor of what addresses are multiples of; 0: nothing is known.
    step: u64,
    /// As `step`, of sizes of copies.
    copied: u64,
    through_numbers: bool,
}

struct Find<'a> {
    m: &'a Module,
    f: &'a Function,
    parent: Vec<usize>,
}

/// Nodes behind those of the values: addresses that go through memory or numbers, by kind of memory.
const THROUGH: [Kind; 3] = [Kind::Global, Kind::Local, Kind::Private];

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Finds the classes of a function. Its body must be structured and call nothing.
pub(super) fn find(m: &Module, f: &Function) -> Classes {
    let mut find = Find { m, f, parent: (0..f.values.len() + THROUGH.len()).collect() };
    if let Some(entry) = f.entry() {
        find.block(entry, &mut Vec::new());
    }
    find.finish()
}

impl Find<'_> {
    fn root(&mut self, mut n: usize) -> usize {
        while self.parent[n] != n {
            self.parent[n] = self.parent[self.parent[n]];
            n = self.parent[n];
        }
        n
    }

    fn node(&self, v: Value) -> Option<usize> {
        let data = &self.f.values[v];
        self.m.ctx.types.pointee(data.ty)?;
        match data.def {
            ValueDef::Const(_) => None,
            ValueDef::Global(g) if self.m.globals[g].builtin().is_some() => None,
            _ => Some(v.index()),
        }
    }

    fn join(&mut self, a: Value, b: Value) {
        if let (Some(a), Some(b)) = (self.node(a), self.node(b)) {
            let (a, b) = (self.root(a), self.root(b));
            self.parent[a.max(b)] = a.min(b);
        }
    }

    /// The node of addresses of this kind of memory that go through numbers.
    fn through(&self, kind: Kind) -> usize {
        self.f.values.len() + THROUGH.iter().position(|k| *k == kind).unwrap_or(0)
    }

    fn escape(&mut self, v: Value) {
        let Some(node) = self.node(v) else { return };
        let kind = match self.m.ctx.types.pointee(self.f.values[v].ty).map(|p| p.1) {
            Some(StorageClass::Workgroup) => Kind::Local,
            Some(StorageClass::Function) => Kind::Private,
            _ => Kind::Global,
        };
        let (a, b) = (self.root(node), self.root(self.through(kind)));
        self.parent[a.max(b)] = a.min(b);
    }

    fn block(&mut self, block: Block, frames: &mut Vec<Inst>) {
        let f = self.f;
        for &i in &f.blocks[block].insts {
            self.inst(i, frames);
            let d = &f.insts[i];
            if d.op.is_structured() {
                frames.push(i);
                d.regions.iter().for_each(|r| self.block(f.block_of(*r), frames));
                frames.pop();
            }
        }
    }

    fn inst(&mut self, i: Inst, frames: &[Inst]) {
        let f = self.f;
        let d = &f.insts[i];
        let ids: Vec<Value> = d.ids().collect();
        let innermost =
            |kinds: &[Opcode]| frames.iter().rev().map(|i| &f.insts[*i]).find(|d| kinds.contains(&d.op));
        let args = |d: &crate::ir::InstData, region: usize| -> Vec<Value> {
            d.regions.get(region).map_or(Vec::new(), |r| f.blocks[f.block_of(*r)].args.clone())
        };
        let meet = |find: &mut Self, a: &[Value], b: &[Value]| {
            a.iter().zip(b).for_each(|(a, b)| find.join(*a, *b));
        };
        let pair = match d.op {
            Opcode::Loop => Some((ids, args(d, 0))),
            Opcode::Merge => frames.last().map(|i| (ids, f.insts[*i].results.to_vec())),
            Opcode::Break => innermost(&[Opcode::Loop, Opcode::Switch]).map(|l| (ids, l.results.to_vec())),
            Opcode::Continue => innermost(&[Opcode::Loop]).map(|l| (ids, args(l, 1))),
            Opcode::Next => innermost(&[Opcode::Loop]).map(|l| (ids, args(l, 0))),
            Opcode::NextIf => innermost(&[Opcode::Loop]).map(|l| {
                let mut to = args(l, 0);
                to.extend(l.results.iter().copied());
                (ids.get(1..).unwrap_or(&[]).to_vec(), to)
            }),
            Opcode::Op(op) => {
                self.op(op, d);
                None
            }
            _ => None,
        };
        if let Some((a, b)) = pair {
            meet(self, &a, &b);
        }
    }

    fn op(&mut self, op: Op, d: &crate::ir::InstData) {
        let ids: Vec<Value> = d.ids().collect();
        let result = d.result().filter(|r| self.m.ctx.types.pointee(self.f.values[*r].ty).is_some());
        match op {
            _ if op.traits().has(Traits::ADDRESS) => {
                if let (Some(r), [base, ..]) = (result, &ids[..]) {
                    self.join(r, *base);
                }
            }
            Op::Select => {
                if let (Some(r), [_, a, b]) = (result, &ids[..]) {
                    self.join(r, *a);
                    self.join(r, *b);
                }
            }
            Op::Variable | Op::CopyMemorySized | Op::GroupAsyncCopy => {}
            Op::Load => result.into_iter().for_each(|r| self.escape(r)),
            Op::Store => ids.iter().skip(1).for_each(|v| self.escape(*v)),
            _ if op.is_atomic() => {}
            _ => ids.iter().copied().chain(result).for_each(|v| self.escape(v)),
        }
    }

    fn kind_of(&self, v: Value) -> Option<Kind> {
        let (_, storage) = self.m.ctx.types.pointee(self.f.values[v].ty)?;
        let table = matches!(self.f.values[v].def, ValueDef::Global(_));
        Some(match storage {
            StorageClass::CrossWorkgroup => Kind::Global,
            StorageClass::UniformConstant if table => Kind::Table,
            StorageClass::UniformConstant => Kind::Global,
            StorageClass::Workgroup => Kind::Local,
            StorageClass::Function => Kind::Private,
            _ => return None,
        })
    }

    fn is_root(&self, v: Value) -> bool {
        match self.f.values[v].def {
            ValueDef::Global(_) => true,
            ValueDef::Arg(b, _) => Some(b) == self.f.entry(),
            ValueDef::Result(i, _) => self.f.insts[i].op == Opcode::Op(Op::Variable),
            ValueDef::Const(_) => false,
        }
    }

    fn finish(mut self) -> Classes {
        let (mut of, mut numbers): (FxHashMap<Value, usize>, FxHashMap<usize, usize>) = Default::default();
        let mut roots: Vec<Vec<Value>> = Vec::new();
        for v in self.f.values.keys() {
            let Some(node) = self.node(v) else { continue };
            let root = self.root(node);
            let n = *numbers.entry(root).or_insert_with(|| {
                roots.push(Vec::new());
                roots.len() - 1
            });
            of.insert(v, n);
            if self.is_root(v) {
                roots[n].push(v);
            }
        }
        let mut uses = vec![Use::default(); roots.len()];
        for (kind, at) in THROUGH.iter().zip(0..) {
            let node = self.through(*kind);
            debug_assert!(node >= self.f.values.len() + at);
            let root = self.root(node);
            if let Some(n) = numbers.get(&root) {
                uses[*n].through_numbers = true;
            }
        }
        self.accesses(&of, &mut uses);
        let list = roots.into_iter().zip(uses).map(|(roots, u)| self.class(roots, u)).collect();
        Classes { of, list }
    }

    /// What each access says about the class of its address.
    fn accesses(&self, of: &FxHashMap<Value, usize>, uses: &mut [Use]) {
        let (m, f) = (self.m, self.f);
        let class = |v: Option<Value>| v.and_then(|v| of.get(&v).copied());
        // Structs by value are stored whole, number by number.
        for p in &f.params {
            if let (Some(n), Some((t, StorageClass::Function))) =
                (class(Some(*p)), m.ctx.types.pointee(f.values[*p].ty))
            {
                layout::scalars(m, t, &mut uses[n].words);
            }
        }
        for i in crate::ir::walk::insts(f) {
            let d = &f.insts[i];
            let first = class(d.id(0));
            match d.op {
                Opcode::Op(op) if op.traits().has(Traits::ADDRESS) => {
                    let Some(n) = first else { continue };
                    for step in steps::of(m, f, d).unwrap_or_default() {
                        let multiple = match step {
                            Step::Constant(k) => k.unsigned_abs(),
                            Step::Term(_, size) => size,
                        };
                        uses[n].step = gcd(uses[n].step, multiple);
                    }
                }
                Opcode::Op(Op::Load) => {
                    if let (Some(n), Some(r)) = (first, d.result()) {
                        layout::scalars(m, f.values[r].ty, &mut uses[n].words);
                    }
                }
                Opcode::Op(Op::Store) => {
                    let (Some(n), Some(v)) = (first, d.id(1)) else { continue };
                    uses[n].written = true;
                    match set_bytes(m, f, v) {
                        Some((_, size)) => uses[n].copied = gcd(uses[n].copied, size),
                        None => layout::scalars(m, f.values[v].ty, &mut uses[n].words),
                    }
                }
                Opcode::Op(Op::CopyMemorySized) => {
                    let size =
                        d.id(2).and_then(|v| f.as_const(v)).and_then(|c| m.ctx.consts.bits(c)).unwrap_or(1);
                    for n in [first, class(d.id(1))].into_iter().flatten() {
                        uses[n].copied = gcd(uses[n].copied, size);
                    }
                    if let Some(n) = first {
                        uses[n].written = true;
                    }
                }
                Opcode::Op(Op::GroupAsyncCopy) => {
                    for v in d.ids().skip(1).take(2) {
                        if let (Some(n), Some((t, _))) = (class(Some(v)), m.ctx.types.pointee(f.values[v].ty))
                        {
                            layout::scalars(m, t, &mut uses[n].words);
                        }
                    }
                    if let Some(n) = class(d.id(1)) {
                        uses[n].written = true;
                    }
                }
                Opcode::Op(op) if op.is_atomic() => {
                    let Some((n, (t, _))) =
                        first.zip(d.id(0).and_then(|v| m.ctx.types.pointee(f.values[v].ty)))
                    else {
                        continue;
                    };
                    let t = if matches!(op, Op::AtomicFlagTestAndSet | Op::AtomicFlagClear) {
                        m.ctx.types.find(&TypeKind::Int { width: 32, signed: false }).unwrap_or(t)
                    } else {
                        t
                    };
                    layout::scalars(m, t, &mut uses[n].words);
                    uses[n].atomic.get_or_insert(t);
                    uses[n].written |= op != Op::AtomicLoad;
                }
                Opcode::Ext(ExtSet::OpenCl, number) => self.function(Cl::from_u32(number), d, of, uses),
                _ => {}
            }
        }
    }

    /// Functions that read or write memory.
    fn function(
        &self,
        cl: Option<Cl>,
        d: &crate::ir::InstData,
        of: &FxHashMap<Value, usize>,
        uses: &mut [Use],
    ) {
        let (m, f) = (self.m, self.f);
        for v in d.ids() {
            let (Some(n), Some((mut t, _))) = (of.get(&v).copied(), m.ctx.types.pointee(f.values[v].ty))
            else {
                continue;
            };
            let Some(cl) = cl else { continue };
            if matches!(cl, Cl::prefetch | Cl::printf) {
                continue;
            }
            let name = format!("{cl:?}");
            if name.contains("half") {
                t = m.ctx.types.find(&TypeKind::Int { width: 16, signed: false }).unwrap_or(t);
            }
            let u = &mut uses[n];
            layout::scalars(m, t, &mut u.words);
            u.step = gcd(u.step, layout::size(m, t).unwrap_or(1));
            u.written |= !name.starts_with("vload");
        }
    }

    fn class(&self, roots: Vec<Value>, u: Use) -> Class {
        let types = &self.m.ctx.types;
        let kinds: Vec<Kind> = roots.iter().filter_map(|v| self.kind_of(*v)).collect();
        let mixed = kinds.iter().any(|k| *k != kinds[0]) || kinds.len() != roots.len();
        // Addresses are words of 64 bits.
        let width = |t: Type| if types.pointee(t).is_some() { Some(64) } else { types.width_of(t) };
        let narrowest = u.words.iter().filter_map(|t| width(*t)).min();
        let widths_differ = u.words.iter().any(|t| width(*t) != narrowest);
        let declared = roots.first().and_then(|v| types.pointee(self.f.values[*v].ty)).map(|p| {
            let mut found = Vec::new();
            layout::scalars(self.m, p.0, &mut found);
            found.first().copied().unwrap_or(p.0)
        });
        let atomic = u.atomic.filter(|t| width(*t) == narrowest);
        let word = atomic
            .or_else(|| u.words.iter().copied().find(|t| width(*t) == narrowest))
            .or(declared)
            .unwrap_or_else(|| {
                types.find(&TypeKind::Int { width: 8, signed: false }).unwrap_or(Type::new(0))
            });
        let mut size = u64::from(width(word).unwrap_or(8)) / 8;
        let mut problem = None;
        let mut odd = false;
        if u.copied > 0 && !u.copied.is_multiple_of(size.max(1)) {
            // Parts of words are copied.
            size = 1 << u.copied.trailing_zeros().min(3);
            odd = true;
        }
        let kind = kinds.first().copied().unwrap_or(Kind::Global);
        let form = match kind {
            Kind::Global if roots.len() == 1 && !u.through_numbers && !widths_differ && !odd => {
                Form::Descriptor
            }
            Kind::Global => Form::Physical,
            Kind::Local => Form::Array(StorageClass::Workgroup),
            Kind::Private => Form::Array(StorageClass::Function),
            Kind::Table => Form::Array(StorageClass::Private),
        };
        if mixed {
            problem = Some("an address that may be of different kinds of memory".into());
        } else if kind == Kind::Table && (roots.len() > 1 || u.through_numbers) {
            problem = Some("an address that may be of several tables of constants".into());
        } else if let (Form::Array(_), Some(t)) = (form, u.atomic)
            && (width(t) != narrowest || odd)
        {
            problem = Some("an atomic operation on memory that narrower types are used for, too".into());
        }
        let unit = match gcd(u.step, size) {
            0 => size.max(1),
            n => 1 << n.trailing_zeros(),
        };
        Class { form, roots, elem: word, size: size.max(1), unit, written: u.written, problem }
    }
}

/// What a constant sets bytes to, and how many, if it is an array of equal bytes.
pub(super) fn set_bytes(m: &Module, f: &Function, v: Value) -> Option<(u64, u64)> {
    use crate::ir::ConstKind;
    let c = f.as_const(v)?;
    let TypeKind::Array { elem, len, .. } = *m.ctx.types.kind(f.values[v].ty) else { return None };
    if !matches!(m.ctx.types.kind(elem), TypeKind::Int { width: 8, .. }) {
        return None;
    }
    let byte = match m.ctx.consts.kind(c) {
        ConstKind::Null => 0,
        ConstKind::Composite(parts) => {
            let first = *parts.first()?;
            let bits = m.ctx.consts.bits(first)?;
            parts.iter().all(|p| *p == first).then_some(bits & 0xff)?
        }
        _ => return None,
    };
    Some((byte, u64::from(len)))
}
