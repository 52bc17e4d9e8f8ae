//! Statements of a program as Rust.

use crate::cpu::emit::Scratch;
use crate::ir::entity::Entity;
use crate::spmd::{Address, Arg, Builtin, Kind, Leaf, Memory, Program, Shape, Stmt};
use rustc_hash::FxHashSet;
use std::fmt::Write;

/// Numbers of the prelude's read-modify-write operations.
const ATOMICS: &[&str] =
    &["add", "sub", "and", "or", "xor", "smin", "smax", "umin", "umax", "xchg", "cmpxchg", "load", "store"];

pub(super) struct Printer<'a> {
    p: &'a Program,
    index: usize,
    scratch: &'a Scratch,
    /// Element counts of resources, one variable each.
    pub counts: String,
    counted: FxHashSet<(u32, u32, u32, u32)>,
    pub out: String,
}

macro_rules! line {
    ($self:ident, $($arg:tt)*) => {{
        // Writing to a String cannot fail.
        let _ = writeln!($self.out, $($arg)*);
    }};
}

impl<'a> Printer<'a> {
    pub fn new(p: &'a Program, index: usize, scratch: &'a Scratch) -> Printer<'a> {
        Printer {
            p,
            index,
            scratch,
            counts: String::new(),
            counted: FxHashSet::default(),
            out: String::new(),
        }
    }

    pub fn statements(&mut self, list: &[Stmt]) {
        for s in list {
            self.statement(s);
        }
    }

    fn shape(&self, l: Leaf) -> Shape {
        self.p.leaves[l].shape
    }

    fn uniform(&self, l: Leaf) -> bool {
        self.shape(l).is_uniform()
    }

    /// An operand as a scalar.
    fn scalar(&self, a: Arg) -> String {
        match a {
            Arg::Leaf(l) if self.uniform(l) => l.to_string(),
            // Only the first lane can be meant: a value that is the same for all.
            Arg::Leaf(l) => match self.p.leaves[l].kind {
                Kind::Bool => format!("any({l})"),
                kind => format!("n_first_{}({l}.0[0])", letter(kind)),
            },
            Arg::Wide(Kind::Double, bits) => format!("f64::from_bits({bits:#x})"),
            Arg::Wide(_, bits) => format!("{bits}u64"),
            Arg::Const(Kind::Long, bits) => format!("{bits}u64"),
            Arg::Const(Kind::Double, bits) => format!("f64::from_bits({bits:#x})"),
            Arg::Const(Kind::Float, bits) => format!("f32::from_bits({bits:#x})"),
            Arg::Const(Kind::Int, bits) => format!("{bits}u32"),
            Arg::Const(Kind::Bool, bits) => (bits != 0).to_string(),
            Arg::Builtin(Builtin::GroupId(c)) => format!("g{c}"),
            Arg::Builtin(Builtin::GroupCount(c)) => format!("ng{c}"),
            Arg::Builtin(Builtin::LaneCount) => format!("{}u32", self.scratch.lanes),
            Arg::Builtin(Builtin::AllLanes) => format!("{}u32", u32::MAX >> (32 - self.scratch.lanes)),
            Arg::Builtin(Builtin::WaveIndex) => "w as u32".into(),
            Arg::Builtin(Builtin::WaveCount) => format!("{}u32", self.scratch.waves),
            Arg::Builtin(b) => format!("n_first_i({}.0[0])", builtin(b)),
            Arg::Active => "true".into(),
        }
    }

    /// An operand as a wave.
    fn wave(&self, a: Arg) -> String {
        match a {
            Arg::Leaf(l) if !self.uniform(l) => l.to_string(),
            Arg::Builtin(
                Builtin::GroupId(_)
                | Builtin::GroupCount(_)
                | Builtin::LaneCount
                | Builtin::AllLanes
                | Builtin::WaveIndex
                | Builtin::WaveCount,
            ) => format!("is({})", self.scalar(a)),
            Arg::Builtin(b) => builtin(b),
            Arg::Active => "active".into(),
            Arg::Leaf(l) => splat(self.p.leaves[l].kind, &l.to_string()),
            Arg::Const(kind, _) | Arg::Wide(kind, _) => splat(kind, &self.scalar(a)),
        }
    }

    /// An operand as what a leaf is.
    fn like(&self, a: Arg, dst: Leaf) -> String {
        if self.uniform(dst) { self.scalar(a) } else { self.wave(a) }
    }

    fn ty(&self, l: Leaf) -> &'static str {
        match (self.p.leaves[l].kind, self.uniform(l)) {
            (Kind::Float, true) => "f32",
            (Kind::Int, true) => "u32",
            (Kind::Bool, true) => "bool",
            (Kind::Float, false) => "VF",
            (Kind::Int, false) => "VI",
            (Kind::Bool, false) => "VM",
            (Kind::Long, true) => "u64",
            (Kind::Double, true) => "f64",
            (Kind::Long, false) => "VL",
            (Kind::Double, false) => "VD",
        }
    }

    fn statement(&mut self, s: &Stmt) {
        match s {
            Stmt::Let { dst, op, args } => {
                let value = if !self.uniform(*dst) {
                    let args: Vec<String> = args.iter().map(|a| self.wave(*a)).collect();
                    format!("w_{}({})", op.name, args.join(", "))
                } else if op.scalar {
                    let args: Vec<String> = args.iter().map(|a| self.scalar(*a)).collect();
                    format!("s_{}({})", op.name, args.join(", "))
                } else {
                    // Computed like the lanes would, so that a value does not depend on how far it varies.
                    let args: Vec<String> = args
                        .iter()
                        .enumerate()
                        .map(|(i, a)| format!("n_{}set({})", letter(op.arg(i)), self.scalar(*a)))
                        .collect();
                    format!("n_first_{}(n_{}({}))", letter(op.result()), op.name, args.join(", "))
                };
                line!(self, "let {dst} = {value};");
            }
            Stmt::Var { dst, init } => {
                let zero = Arg::Const(self.p.leaves[*dst].kind, 0);
                let value = self.like(init.unwrap_or(zero), *dst);
                line!(self, "let mut {dst}: {} = {value};", self.ty(*dst));
            }
            Stmt::Assign(list) => match list[..] {
                [(dst, src)] => line!(self, "{dst} = {};", self.like(src, dst)),
                _ => {
                    self.out.push('{');
                    for (i, (dst, src)) in list.iter().enumerate() {
                        line!(self, "let t{i} = {};", self.like(*src, *dst));
                    }
                    for (i, (dst, _)) in list.iter().enumerate() {
                        line!(self, "{dst} = t{i};");
                    }
                    self.out.push_str("}\n");
                }
            },
            Stmt::Blend { dst, mask, src } => {
                let name = match self.p.leaves[*dst].kind {
                    Kind::Float => "w_fsel",
                    Kind::Int => "w_isel",
                    Kind::Bool => "w_bsel",
                    Kind::Long => "w_lisel",
                    Kind::Double => "w_dfsel",
                };
                line!(self, "{dst} = {name}({}, {}, {dst});", self.wave(*mask), self.wave(*src));
            }
            Stmt::MaskAnd { dst, a, b, not } => {
                let name = if *not { "w_bandn" } else { "w_band" };
                line!(self, "let mut {dst} = {name}({}, {});", self.wave(*a), self.wave(*b));
            }
            Stmt::Load { dst, address, bytes, mask } => self.load(*dst, address, *bytes, *mask),
            Stmt::Store { address, bytes, src, kind, mask } => {
                self.store(address, *bytes, *src, *kind, *mask)
            }
            Stmt::Atomic { dst, op, address, args, mask } => {
                let number = ATOMICS.iter().position(|a| a == op).unwrap_or(11);
                let kind = match (dst, args.first()) {
                    (Some(dst), _) => self.p.leaves[*dst].kind,
                    (None, Some(a)) => self.kind(*a),
                    (None, None) => Kind::Int,
                };
                let (base, n, index, stride) = self.place(address, kind.words() * 4);
                let shared = matches!(address.memory, Memory::Shared { .. });
                let zero = if kind.is_wide() { Arg::Wide(Kind::Long, 0) } else { Arg::Const(Kind::Int, 0) };
                let value = |p: &Self, i: usize| {
                    let a = args.get(i).copied().unwrap_or(zero);
                    match p.kind(a) {
                        Kind::Float => format!("w_fbits({})", p.wave(a)),
                        Kind::Double => format!("w_dbits({})", p.wave(a)),
                        _ => p.wave(a),
                    }
                };
                let name = if kind.is_wide() { "atomic_wide" } else { "atomic" };
                let call = format!(
                    "{name}::<{number}, {shared}, {stride}>({base}, {n}, {}, {}, {}, {})",
                    self.wave(index),
                    value(self, 0),
                    value(self, 1),
                    self.wave(*mask)
                );
                match dst {
                    Some(dst) if self.p.leaves[*dst].kind == Kind::Float => {
                        line!(self, "let {dst} = w_ffrom({call});")
                    }
                    Some(dst) if self.p.leaves[*dst].kind == Kind::Double => {
                        line!(self, "let {dst} = w_dfrom({call});")
                    }
                    Some(dst) => line!(self, "let {dst} = {call};"),
                    None => line!(self, "{call};"),
                }
            }
            Stmt::Across { dst, name, args, mask } => {
                let mut args: Vec<String> = args.iter().map(|a| self.wave(*a)).collect();
                args.push(self.wave(*mask));
                line!(self, "let {dst} = x_{name}({});", args.join(", "));
            }
            Stmt::ImageLoad { dst, slot, coords, mask } => {
                let letter = if self.p.leaves[dst[0]].kind == Kind::Float { 'f' } else { 'i' };
                let [x, y] = coords.map(|c| self.wave(c));
                let [a, b, c, d] = dst;
                line!(
                    self,
                    "let [{a}, {b}, {c}, {d}] = img_ld{letter}(r{slot}, {x}, {y}, {});",
                    self.wave(*mask)
                );
            }
            Stmt::ImageStore { slot, coords, src, kind, mask } => {
                let letter = if *kind == Kind::Float { 'f' } else { 'i' };
                let [x, y] = coords.map(|c| self.wave(c));
                let src = src.map(|s| self.wave(s)).join(", ");
                line!(self, "img_st{letter}(r{slot}, {x}, {y}, [{src}], {});", self.wave(*mask));
            }
            Stmt::Size { dst, slot, what } => match what {
                0 => line!(self, "let {dst} = r{slot}.width;"),
                1 => line!(self, "let {dst} = r{slot}.height;"),
                _ => line!(
                    self,
                    "let {dst} = if r{slot}.bytes > u32::MAX as u64 {{ u32::MAX }} else {{ r{slot}.bytes as u32 }};"
                ),
            },
            Stmt::Fence => line!(self, "core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);"),
            Stmt::If { cond, then, els } => {
                line!(self, "if {} {{", self.scalar(*cond));
                self.statements(then);
                if !els.is_empty() {
                    self.out.push_str("} else {\n");
                    self.statements(els);
                }
                self.out.push_str("}\n");
            }
            Stmt::IfAny { mask, body } => {
                line!(self, "if any({}) {{", self.wave(*mask));
                self.statements(body);
                self.out.push_str("}\n");
            }
            Stmt::Block { label, body } => {
                line!(self, "{label}: {{");
                self.statements(body);
                self.out.push_str("}\n");
            }
            Stmt::Loop { label, body } => {
                line!(self, "{label}: loop {{");
                self.statements(body);
                self.out.push_str("}\n");
            }
            Stmt::Exit(label) => line!(self, "break {label};"),
            Stmt::ExitIfNone { mask, label } => {
                line!(self, "if !any({}) {{ break {label}; }}", self.wave(*mask))
            }
            Stmt::Waves(segment) => self.waves(&self.p.segments[*segment]),
            Stmt::SpillStore { slot, src } => {
                let letter = letter(self.kind(*src));
                let at = self.spill_address(*slot);
                line!(self, "row_st{letter}({at}, {});", self.wave(*src));
            }
            Stmt::SpillLoad { dst, slot } => {
                let letter = letter(self.p.leaves[*dst].kind);
                let at = self.spill_address(*slot);
                let row = format!("row_ld{letter}({at})");
                let value = match (self.uniform(*dst), self.p.leaves[*dst].kind) {
                    (false, _) => row,
                    (true, Kind::Bool) => format!("(n_bits({row}.0[0]) & 1 != 0)"),
                    (true, _) => format!("n_first_{letter}({row}.0[0])"),
                };
                line!(self, "let mut {dst} = {value};");
            }
            Stmt::SpillFirst { dst, slot } => {
                let ty = if self.p.leaves[*dst].kind.is_wide() { "u64" } else { "u32" };
                let at = format!("(scratch.add({}) as *const {ty}).read()", self.scratch.slots[slot.index()]);
                let value = match self.p.leaves[*dst].kind {
                    Kind::Float => format!("f32::from_bits({at})"),
                    Kind::Double => format!("f64::from_bits({at})"),
                    Kind::Int | Kind::Long => at,
                    Kind::Bool => format!("{at} != 0"),
                };
                line!(self, "let {dst} = {value};");
            }
        }
    }

    fn kind(&self, a: Arg) -> Kind {
        match a {
            Arg::Leaf(l) => self.p.leaves[l].kind,
            Arg::Const(kind, _) | Arg::Wide(kind, _) => kind,
            Arg::Builtin(_) => Kind::Int,
            Arg::Active => Kind::Bool,
        }
    }

    fn spill_address(&self, slot: crate::spmd::Slot) -> String {
        let row = self.scratch.lanes * 4 * self.p.slots[slot].words();
        format!("scratch.add({} + w * {row})", self.scratch.slots[slot.index()])
    }

    /// A loop over the waves of the group.
    fn waves(&mut self, segment: &crate::spmd::SegmentData) {
        let Scratch { waves, lanes, .. } = *self.scratch;
        let outer = std::mem::take(&mut self.out);
        self.statements(&segment.prelude);
        line!(self, "{}: {{", segment.label);
        self.statements(&segment.body);
        self.out.push_str("}\n");
        self.statements(&segment.epilogue);
        let body = std::mem::replace(&mut self.out, outer);
        line!(self, "{{ let mut w = 0usize; while w < {waves} {{");
        line!(self, "let lindex = lanes_from(w as u32 * {lanes});");
        let items = self.p.local_size.iter().product::<u32>();
        if items.is_multiple_of(lanes) {
            line!(self, "let active = bs(true);");
        } else {
            line!(self, "let active = w_ult(lindex, is({items}));");
        }
        self.items();
        self.out.push_str(&body);
        line!(self, "w += 1; }} }}");
    }

    /// The system values of the lanes.
    fn items(&mut self) {
        let [x, y, z] = self.p.local_size;
        let part = |from: &str, size: u32, last: bool| -> (String, String) {
            // (remainder, quotient)
            if last || size == 1 && from == "is(0)" {
                (from.into(), "is(0)".into())
            } else if size == 1 {
                ("is(0)".into(), from.into())
            } else if size.is_power_of_two() {
                (
                    format!("w_iand({from}, is({}))", size - 1),
                    format!("w_shr({from}, is({}))", size.trailing_zeros()),
                )
            } else {
                (format!("w_urem({from}, is({size}))"), format!("w_udiv({from}, is({size}))"))
            }
        };
        let (l0, rest) = part("lindex", x, y == 1 && z == 1);
        line!(self, "let lid0 = {l0}; let rest0 = {rest};");
        let (l1, rest) = part("rest0", y, z == 1);
        line!(self, "let lid1 = {l1}; let lid2 = {rest};");
        for (c, size) in [x, y, z].into_iter().enumerate() {
            line!(self, "let gid{c} = w_iadd(is(g{c}.wrapping_mul({size})), lid{c});");
        }
    }

    /// Base address, count of elements of that many bytes, index and stride of an address.
    fn place(&mut self, a: &Address, bytes: u32) -> (String, String, Arg, u32) {
        let (index, stride) = a.index.unwrap_or((Arg::Const(Kind::Int, 0), 4));
        match a.memory {
            Memory::Resource(slot) => {
                let name = format!("n{slot}_{}_{stride}_{bytes}", a.konst);
                if self.counted.insert((slot, a.konst, stride, bytes)) {
                    let _ = writeln!(
                        self.counts,
                        "let {name} = elements(r{slot}.bytes, {}, {bytes}, {stride});",
                        a.konst
                    );
                }
                (format!("r{slot}.data.wrapping_add({})", a.konst), name, index, stride)
            }
            Memory::Shared { offset, size } => {
                let n = elements(u64::from(size), a.konst, bytes, stride);
                (
                    format!("scratch.wrapping_add({}usize + {}usize)", offset, a.konst),
                    n.to_string(),
                    index,
                    stride,
                )
            }
            Memory::Table(t) => {
                // Tables count words.
                let len = self.p.tables[t].len() as u64 * 4;
                let (konst, stride) = (a.konst.saturating_mul(4), stride_of_words(a));
                let n = elements(len, konst, bytes, stride);
                let base =
                    format!("(TABLE_{}_{}.as_ptr() as *mut u8).wrapping_add({konst})", self.index, t.index());
                (base, n.to_string(), index, stride)
            }
            Memory::Private(p) => {
                // Rows of lanes, one a word: element `word * lanes + lane`.
                let row = self.scratch.lanes * 4;
                let words = self.p.privates[p].words;
                let at = self.scratch.privates[p.index()] + a.konst.saturating_mul(row);
                let n = words.saturating_sub(a.konst);
                let base = format!("scratch.wrapping_add({at} + w * {})", row * words);
                (base, n.to_string(), index, stride)
            }
        }
    }

    fn load(&mut self, dst: Leaf, address: &Address, bytes: u32, mask: Arg) {
        if let Memory::Private(_) = address.memory {
            return self.private_load(dst, address, mask);
        }
        let (base, n, index, stride) = self.place(address, bytes);
        let letter = letter(self.p.leaves[dst].kind);
        if bytes < 4 {
            // Words that are filled up with zeros.
            if self.uniform(dst) {
                let index = self.scalar(index);
                line!(self, "let {dst} = s_ldn::<{bytes}>({base}, {n}, {stride}, {index});");
            } else {
                let near = if self.contiguous(index) && stride == bytes { "ldcn" } else { "ldn" };
                let (index, mask) = (self.wave(index), self.wave(mask));
                line!(self, "let {dst} = {near}::<{stride}, {bytes}>({base}, {n}, {index}, {mask});");
            }
        } else if self.uniform(dst) {
            line!(self, "let {dst} = s_ld{letter}({base}, {n}, {stride}, {});", self.scalar(index));
        } else if self.contiguous(index) && stride == 4 {
            line!(self, "let {dst} = ldc{letter}({base}, {n}, {}, {});", self.wave(index), self.wave(mask));
        } else {
            line!(
                self,
                "let {dst} = ld{letter}::<{stride}>({base}, {n}, {}, {});",
                self.wave(index),
                self.wave(mask)
            );
        }
    }

    fn contiguous(&self, a: Arg) -> bool {
        match a {
            Arg::Leaf(l) => self.shape(l) == Shape::Contiguous,
            Arg::Builtin(b) => crate::spmd::inst_builtin_shape(b, self.p.local_size) == Shape::Contiguous,
            _ => false,
        }
    }

    fn store(&mut self, address: &Address, bytes: u32, src: Arg, kind: Kind, mask: Arg) {
        if let Memory::Private(_) = address.memory {
            return self.private_store(address, src, kind, mask);
        }
        let (base, n, index, stride) = self.place(address, bytes);
        let letter = letter(kind);
        let (x, a, c) = (self.wave(index), self.wave(src), self.wave(mask));
        if bytes < 4 {
            let near = if self.contiguous(index) && stride == bytes { "stcn" } else { "stn" };
            line!(self, "{near}::<{stride}, {bytes}>({base}, {n}, {x}, {a}, {c});");
        } else if self.contiguous(index) && stride == 4 {
            line!(self, "stc{letter}({base}, {n}, {x}, {a}, {c});");
        } else {
            line!(self, "st{letter}::<{stride}>({base}, {n}, {x}, {a}, {c});");
        }
    }

    /// Element index of a private array's word in each lane.
    fn private_index(&self, index: Arg, stride: u32) -> String {
        let word = if stride == 1 {
            self.wave(index)
        } else {
            format!("w_imul({}, is({stride}))", self.wave(index))
        };
        format!("w_iadd(w_imul({word}, is({})), lanes_from(0))", self.scratch.lanes)
    }

    /// Number of elements that an index may reach in a private array: beyond it reads are zero.
    fn private_load(&mut self, dst: Leaf, address: &Address, mask: Arg) {
        let (base, n, index, stride) = self.place(address, 4);
        let letter = letter(self.p.leaves[dst].kind);
        match address.index {
            None if n != "0" => line!(self, "let {dst} = row_ld{letter}({base});"),
            None => {
                let zero = self.wave(Arg::Const(self.p.leaves[dst].kind, 0));
                line!(self, "let {dst} = {zero};");
            }
            Some(_) => {
                let x = self.private_index(index, stride);
                let c = self.private_mask(index, stride, &n, mask);
                line!(self, "let {dst} = ld{letter}::<4>({base}, {n} * {}, {x}, {c});", self.scratch.lanes);
            }
        }
    }

    /// Lanes whose index is inside: the product with the number of lanes could wrap around.
    fn private_mask(&self, index: Arg, stride: u32, n: &str, mask: Arg) -> String {
        let limit = n.parse::<u32>().unwrap_or(0).div_ceil(stride.max(1));
        format!("w_band({}, w_ult({}, is({limit})))", self.wave(mask), self.wave(index))
    }

    fn private_store(&mut self, address: &Address, src: Arg, kind: Kind, mask: Arg) {
        let (base, n, index, stride) = self.place(address, 4);
        let letter = letter(kind);
        let a = self.wave(src);
        let c = self.wave(mask);
        match address.index {
            None if n != "0" => {
                line!(self, "stc{letter}({base}, {}, lanes_from(0), {a}, {c});", self.scratch.lanes);
            }
            None => {}
            Some(_) => {
                let x = self.private_index(index, stride);
                let c = self.private_mask(index, stride, &n, mask);
                line!(self, "st{letter}::<4>({base}, {n} * {}, {x}, {a}, {c});", self.scratch.lanes);
            }
        }
    }
}

fn stride_of_words(a: &Address) -> u32 {
    a.index.map_or(4, |(_, s)| s.saturating_mul(4))
}

/// The prelude's `elements`, at build time.
fn elements(bytes: u64, konst: u32, size: u32, stride: u32) -> u32 {
    match bytes.checked_sub(u64::from(konst) + u64::from(size)) {
        None => 0,
        Some(rest) => match rest.checked_div(u64::from(stride)) {
            None => u32::MAX,
            Some(n) => u32::try_from(n + 1).unwrap_or(u32::MAX),
        },
    }
}

fn letter(kind: Kind) -> char {
    kind.letter()
}

fn splat(kind: Kind, scalar: &str) -> String {
    format!("{}s({scalar})", letter(kind))
}

fn builtin(b: Builtin) -> String {
    match b {
        Builtin::GroupId(c) => format!("g{c}"),
        Builtin::GroupCount(c) => format!("ng{c}"),
        Builtin::LocalId(c) => format!("lid{c}"),
        Builtin::GlobalId(c) => format!("gid{c}"),
        Builtin::LocalIndex => "lindex".into(),
        Builtin::Lane => "lanes_from(0)".into(),
        // Uniform ones are printed as scalars.
        Builtin::LaneCount | Builtin::AllLanes | Builtin::WaveIndex | Builtin::WaveCount => "is(0)".into(),
    }
}
