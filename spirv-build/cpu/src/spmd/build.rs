//! From an entry function of the IR to a [`Program`].
//!
//! This file has the state that the other parts share: where statements go, how operands are found and brought
//! across segments. `inst` does plain instructions, `control` control flow inside the waves, `group` what runs
//! outside them.

use crate::analysis::leaves;
use crate::analysis::uniformity::{self, Analysis, Facts, Input};
use crate::diag::{Code, Finding};
use crate::ir::{Block, Const, ConstKind, Function, Global, Inst, Module, StorageClass, Value, ValueDef};
use crate::source::Span;
use crate::spmd::ops::{Row, row};
use crate::spmd::{
    Arg, Kind, Label, Leaf, LeafData, Memory, Private, Program, Segment, SegmentData, Shape, Slot, Stmt,
    Table, constants, trips,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Result of anything that may meet something unsupported.
pub type Result<T> = std::result::Result<T, Box<Finding>>;

/// Leaves of a value.
pub type Leaves = SmallVec<[Arg; 4]>;

pub(super) struct Build<'a> {
    pub input: Input<'a>,
    pub a: Analysis,
    /// Loops that end after few rounds.
    pub short: FxHashSet<Inst>,
    pub p: Program,
    /// Leaves of values; constants are not kept here.
    pub values: FxHashMap<Value, Leaves>,
    pub slots: FxHashMap<Global, u32>,
    pub shared: FxHashMap<Global, Memory>,
    pub privates: FxHashMap<Value, Private>,
    pub tables: FxHashMap<crate::ir::Const, Table>,
    /// Products, for contraction to fused multiply-add.
    pub products: FxHashMap<Leaf, (Arg, Arg)>,
    /// Constants that were loaded in the prologue: (slot, byte, type).
    pub constants: FxHashMap<(u32, u32, leaves::Scalar), Leaf>,
    /// Statements of the group so far, at the current nesting outside the waves.
    pub group: Vec<Stmt>,
    /// Statements of the open segment, at the current nesting inside the waves.
    pub out: Vec<Stmt>,
    /// The open segment.
    pub segment: Option<Segment>,
    /// Nesting inside the waves.
    pub nest: u32,
    /// Lanes that run, inside the waves.
    pub mask: Arg,
    /// Slot of the mask where it must survive barriers, innermost wrapper last, and what is left where no lane is on; None:
    /// the function.
    pub mask_slots: Vec<(Slot, Option<Label>)>,
    /// Targets of escapes around, innermost last.
    pub targets: Vec<super::control::Target>,
    /// What `ExitIfNone` leaves, innermost last.
    pub exits: Vec<Label>,
    /// How often lanes were cleared from a mask that is still in use.
    pub clears: u32,
    /// An operation of the current instruction has no row for its operands.
    pub missing: bool,
    /// Labels that something leaves.
    pub used: FxHashSet<Label>,
    /// What an end that no invocation comes to leaves, outside the waves.
    pub leave: Option<Label>,
    spills: FxHashMap<Leaf, Slot>,
    imports: FxHashMap<(Leaf, Segment), Leaf>,
    pub span: Span,
}

/// Builds the program of an entry point whose function has no calls left.
///
/// # Errors
/// The first thing that the CPU back end does not support.
pub fn build(
    module: &Module,
    entry: usize,
    resources: &[Global],
    constants: &[u32],
    wave: Option<u32>,
) -> Result<Program> {
    let point = &module.entry_points[entry];
    let f = &module.functions[point.func];
    let input = Input { ctx: &module.ctx, globals: &module.globals, f, local_size: point.local_size };
    let a = uniformity::analyze(input);
    let short = f.entry().map(|entry| trips::short_loops(&module.ctx, f, entry)).unwrap_or_default();
    let p = Program {
        name: point.name.clone(),
        local_size: point.local_size,
        resources: resources.to_vec(),
        constants: constants.to_vec(),
        wave,
        ..Program::default()
    };
    let mut b = Build {
        input,
        a,
        short,
        p,
        values: FxHashMap::default(),
        slots: crate::ir::slots(module, resources),
        shared: FxHashMap::default(),
        privates: FxHashMap::default(),
        tables: FxHashMap::default(),
        products: FxHashMap::default(),
        constants: FxHashMap::default(),
        group: Vec::new(),
        out: Vec::new(),
        segment: None,
        nest: 0,
        mask: Arg::Active,
        clears: 0,
        missing: false,
        used: FxHashSet::default(),
        leave: None,
        mask_slots: Vec::new(),
        targets: Vec::new(),
        exits: Vec::new(),
        spills: FxHashMap::default(),
        imports: FxHashMap::default(),
        span: f.span,
    };
    b.place_shared()?;
    let Some(entry) = f.entry() else { return Ok(b.p) };
    b.function(entry)?;
    b.finish();
    Ok(b.p)
}

impl<'a> Build<'a> {
    pub fn f(&self) -> &'a Function {
        self.input.f
    }

    pub fn unsupported<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Box::new(Finding::new(Code::NotSupported, self.span, what)))
    }

    /// Lays the groupshared variables out, each on a cache line of its own.
    fn place_shared(&mut self) -> Result<()> {
        let mut end = 0u32;
        for (g, data) in self.input.globals.iter() {
            if data.storage != StorageClass::Workgroup {
                continue;
            }
            self.span = data.span;
            if let (crate::ir::TypeKind::SpecArray { .. }, Some(&slot)) =
                (self.input.ctx.types.kind(data.ty), self.slots.get(&g))
            {
                self.slots.remove(&g);
                self.shared.insert(g, Memory::Local(slot));
                self.p.locals.push(slot);
                continue;
            }
            let size = leaves::words(self.input.ctx, data.ty).and_then(|n| n.checked_mul(4));
            let Some(size) = size else { return self.unsupported("groupshared memory of this type") };
            self.shared.insert(g, Memory::Shared { offset: end, size });
            let Some(next) = end.checked_add(size).and_then(|e| e.checked_next_multiple_of(64)) else {
                return self.unsupported("this much groupshared memory");
            };
            end = next;
        }
        self.p.shared = end;
        Ok(())
    }

    /// Appends the spills to the segments that make the leaves.
    fn finish(&mut self) {
        let mut spills: Vec<(Leaf, Slot)> = self.spills.iter().map(|(l, s)| (*l, *s)).collect();
        spills.sort_unstable();
        for (leaf, slot) in spills {
            // Leaves that are made in no segment are stored where they are assigned.
            if let Some(home) = self.p.leaves[leaf].home
                && self.p.segments.get(home).is_some()
            {
                self.p.segments[home].body.push(Stmt::SpillStore { slot, src: Arg::Leaf(leaf) });
            }
        }
        self.p.body = std::mem::take(&mut self.group);
    }

    // Leaves.

    pub fn leaf(&mut self, kind: Kind, shape: Shape, home: Option<Segment>) -> Leaf {
        self.p.leaves.push(LeafData { kind, shape, home })
    }

    pub fn kind(&self, arg: Arg) -> Kind {
        match arg {
            Arg::Leaf(l) => self.p.leaves[l].kind,
            Arg::Const(kind, _) | Arg::Wide(kind, _) => kind,
            Arg::Builtin(_) => Kind::Int,
            Arg::Active => Kind::Bool,
        }
    }

    pub fn shape(&self, arg: Arg) -> Shape {
        match arg {
            Arg::Leaf(l) => self.p.leaves[l].shape,
            Arg::Const(..) | Arg::Wide(..) => Shape::Launch,
            Arg::Builtin(b) => super::inst::builtin_shape(b, self.input.local_size),
            Arg::Active => Shape::Varying,
        }
    }

    /// Opens a segment if none is open: the statements to come run in the waves.
    pub fn open(&mut self) -> Segment {
        if let Some(segment) = self.segment {
            return segment;
        }
        let label = self.p.labels.push(());
        let segment = self.p.segments.push(SegmentData {
            label,
            prelude: Vec::new(),
            body: Vec::new(),
            epilogue: Vec::new(),
        });
        self.segment = Some(segment);
        self.exits.push(label);
        let mask = self.leaf(Kind::Bool, Shape::Varying, Some(segment));
        let start = match self.mask_slots.last() {
            Some(&(slot, _)) => Stmt::SpillLoad { dst: mask, slot },
            None => Stmt::Var { dst: mask, init: Some(Arg::Active) },
        };
        self.p.segments[segment].prelude.push(start);
        if let Some(&(slot, _)) = self.mask_slots.last() {
            self.p.segments[segment].epilogue.push(Stmt::SpillStore { slot, src: Arg::Leaf(mask) });
        }
        self.mask = Arg::Leaf(mask);
        segment
    }

    /// Closes the open segment: what follows runs after every wave has done it.
    pub fn close(&mut self) {
        if let Some(segment) = self.segment.take() {
            let body = std::mem::take(&mut self.out);
            self.p.segments[segment].body.extend(body);
            self.exits.pop();
            self.group.push(Stmt::Waves(segment));
        }
        self.mask = Arg::Active;
    }

    /// Appends a statement to the open segment.
    pub fn push(&mut self, stmt: Stmt) {
        self.open();
        self.out.push(stmt);
    }

    /// Brings an operand to where statements now go. A leaf of another segment is spilled there and loaded here; what
    /// uses it runs in the waves, so that a segment is opened if none is.
    pub fn bring(&mut self, arg: Arg) -> Arg {
        let Arg::Leaf(leaf) = arg else { return arg };
        let LeafData { kind, shape, home } = self.p.leaves[leaf];
        if home.is_none() || home == self.segment {
            return arg;
        }
        let segment = self.open();
        if let Some(&here) = self.imports.get(&(leaf, segment)) {
            return Arg::Leaf(here);
        }
        let slot = self.spill(leaf);
        let here = self.leaf(kind, shape, Some(segment));
        self.p.segments[segment].prelude.push(Stmt::SpillLoad { dst: here, slot });
        self.imports.insert((leaf, segment), here);
        Arg::Leaf(here)
    }

    /// An operand for use outside the waves: a leaf of a segment is taken from the group's first lane. It is the same for
    /// the group.
    pub fn bring_out(&mut self, arg: Arg) -> Arg {
        debug_assert!(self.segment.is_none());
        let Arg::Leaf(leaf) = arg else { return arg };
        if self.p.leaves[leaf].home.is_none() {
            return arg;
        }
        let slot = self.spill(leaf);
        let dst = self.leaf(self.p.leaves[leaf].kind, Shape::Group, None);
        self.group.push(Stmt::SpillFirst { dst, slot });
        Arg::Leaf(dst)
    }

    /// As `bring_out`, for a truth value that is not known to be the same for the group.
    pub fn agree_on(&mut self, arg: Arg) -> Arg {
        let Arg::Leaf(leaf) = arg else { return arg };
        if self.p.leaves[leaf].shape <= Shape::Group {
            return self.bring_out(arg);
        }
        let slot = self.spill(leaf);
        let dst = self.leaf(Kind::Bool, Shape::Group, None);
        let fault = self.fault();
        let mask = self.mask_slots.last().map(|m| m.0);
        self.group.push(Stmt::Agree { dst, slot, mask, fault });
        Arg::Leaf(dst)
    }

    /// A fault at the current place.
    pub fn fault(&mut self) -> usize {
        self.p.faults.push(self.span);
        self.p.faults.len() - 1
    }

    /// Binds a leaf that no segment makes to a slot.
    pub fn keep(&mut self, leaf: Leaf, slot: Slot) {
        self.spills.insert(leaf, slot);
    }

    /// The slot of such a leaf.
    pub fn kept(&self, leaf: Leaf) -> Option<Slot> {
        self.spills.get(&leaf).copied()
    }

    /// The slot that a leaf is saved to at the end of its segment.
    fn spill(&mut self, leaf: Leaf) -> Slot {
        if let Some(slot) = self.spills.get(&leaf) {
            return *slot;
        }
        let slot = self.p.slots.push(self.p.leaves[leaf].kind);
        self.spills.insert(leaf, slot);
        slot
    }

    /// Leaves of a value, brought to where statements now go.
    pub fn args(&mut self, v: Value) -> Result<Leaves> {
        let raw = self.raw_args(v)?;
        Ok(raw.into_iter().map(|a| self.bring(a)).collect())
    }

    /// Leaves of a value, wherever they were made.
    pub fn raw_args(&mut self, v: Value) -> Result<Leaves> {
        let data = &self.f().values[v];
        if let ValueDef::Const(c) = data.def {
            if leaves::count(self.input.ctx, data.ty).is_none() {
                return self.unsupported("a value of this type");
            }
            let mut leaves = Vec::new();
            self.constant(c, &mut leaves);
            return Ok(leaves.into());
        }
        let Some(leaves) = self.values.get(&v).cloned() else {
            return self.unsupported("this use of a pointer, image or sampler as a value");
        };
        Ok(leaves)
    }

    /// Leaves of a constant. What the host chooses is loaded.
    fn constant(&mut self, c: Const, out: &mut Vec<Arg>) {
        let ctx = self.input.ctx;
        let chosen = match ctx.consts.kind(c) {
            ConstKind::Composite(parts) => {
                return parts.iter().for_each(|part| self.constant(*part, out));
            }
            ConstKind::Spec { id: Some(id), .. } => self.p.constants.iter().position(|own| own == id),
            _ => None,
        };
        let Some(n) = chosen else { return constants::constant(ctx, c, out) };
        let mut scalars = Vec::new();
        leaves::scalars(ctx, ctx.consts.ty(c), &mut scalars);
        let (slot, at) = (self.p.resources.len() as u32, 8 * n as u32);
        out.extend(scalars.into_iter().map(|s| self.constant_load(slot, at, s)));
    }

    /// The only leaf of a scalar.
    pub fn arg(&mut self, v: Value) -> Result<Arg> {
        match self.args(v)?[..] {
            [a] => Ok(a),
            _ => self.unsupported("a composite where a scalar is expected"),
        }
    }

    /// The leaves of a value's type.
    pub fn scalars_of(&self, v: Value) -> Result<Vec<leaves::Scalar>> {
        let ty = self.f().values[v].ty;
        let mut out = Vec::new();
        match leaves::count(self.input.ctx, ty) {
            Some(_) => leaves::scalars(self.input.ctx, ty, &mut out),
            None => return self.unsupported("a value of this type or size"),
        }
        Ok(out)
    }

    /// Kinds of the leaves of a value's type.
    pub fn kinds_of(&self, v: Value) -> Result<Vec<Kind>> {
        Ok(self.scalars_of(v)?.into_iter().map(|s| s.kind).collect())
    }

    // Operations.

    /// Emits an operation. One that does not vary within the group goes before the open segment.
    pub fn row(&mut self, op: &'static Row, args: &[Arg]) -> Arg {
        if let Some(fused) = self.fuse(op, args) {
            return fused;
        }
        let shape = self.shape_of(op, args);
        let hoist = shape <= Shape::Group && self.nest == 0;
        let home = if hoist { None } else { Some(self.open()) };
        let dst = self.leaf(op.result(), shape, home);
        let stmt = Stmt::Let { dst, op, args: args.iter().copied().collect() };
        if hoist {
            self.group.push(stmt)
        } else {
            self.out.push(stmt)
        }
        Arg::Leaf(dst)
    }

    fn shape_of(&self, op: &Row, args: &[Arg]) -> Shape {
        match (op.name, args) {
            ("iadd", [a, b]) => match (self.shape(*a), self.shape(*b)) {
                (Shape::Contiguous, s) | (s, Shape::Contiguous) if s.is_uniform() => Shape::Contiguous,
                (a, b) => a.scattered().join(b.scattered()),
            },
            ("isub", [a, b]) if self.shape(*a) == Shape::Contiguous && self.shape(*b).is_uniform() => {
                Shape::Contiguous
            }
            _ => args.iter().fold(Shape::Launch, |s, a| s.join(self.shape(*a).scattered())),
        }
    }

    /// Contracts a sum with a product to a fused multiply-add, where the vectors have one.
    fn fuse(&mut self, op: &'static Row, args: &[Arg]) -> Option<Arg> {
        let product = |b: &Self, a: Arg| match a {
            Arg::Leaf(l) if !b.p.leaves[l].shape.is_uniform() => b.products.get(&l).copied(),
            _ => None,
        };
        let [a, b] = *args else { return None };
        let (name, [x, y, z]) = match op.name {
            "fadd" => match (product(self, a), product(self, b)) {
                (Some((x, y)), _) => ("fma", [x, y, b]),
                (_, Some((x, y))) => ("fma", [x, y, a]),
                _ => return None,
            },
            "fsub" => match (product(self, a), product(self, b)) {
                (Some((x, y)), _) => ("fms", [x, y, b]),
                (_, Some((x, y))) => ("fnma", [x, y, a]),
                _ => return None,
            },
            _ => return None,
        };
        let (x, y) = (self.bring(x), self.bring(y));
        Some(self.row(row(name), &[x, y, z]))
    }

    pub fn label(&mut self) -> Label {
        self.p.labels.push(())
    }

    /// Runs `fill` with an empty statement list at one deeper nesting and returns what it appended.
    pub fn nested(&mut self, fill: impl FnOnce(&mut Self) -> Result<()>) -> Result<Vec<Stmt>> {
        self.open();
        let outer = std::mem::take(&mut self.out);
        self.nest += 1;
        let result = fill(self);
        self.nest -= 1;
        let inner = std::mem::replace(&mut self.out, outer);
        result.map(|()| inner)
    }

    pub fn facts(&self, inst: Inst) -> Facts {
        self.a.facts.get(&inst).copied().unwrap_or_default()
    }

    pub fn block_insts(&self, block: Block) -> &'a [Inst] {
        &self.input.f.blocks[block].insts
    }
}
