//! Statements of a program as Rust.

use crate::cpu::emit::Scratch;
use crate::cpu::texels::size;
use crate::ir::entity::Entity;
use crate::spmd::{Arg, Kind, Program, Stmt};
use rustc_hash::FxHashSet;
use std::fmt::Write;

pub(super) struct Printer<'a> {
    pub p: &'a Program,
    pub index: usize,
    pub scratch: &'a Scratch,
    /// Element counts of resources, one variable each.
    pub counts: String,
    pub counted: FxHashSet<(u32, u32, u32, u32)>,
    pub out: String,
}

macro_rules! line {
    ($self:ident, $($arg:tt)*) => {{
        // Writing to a String cannot fail.
        let _ = writeln!($self.out, $($arg)*);
    }};
}
pub(super) use line;

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
                        .map(|(i, a)| format!("n_{}set({})", op.arg(i).letter(), self.scalar(*a)))
                        .collect();
                    format!("n_first_{}(n_{}({}))", op.result().letter(), op.name, args.join(", "))
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
            Stmt::Atomic { dst, op, address, args, mask } => self.atomic(*dst, *op, address, args, *mask),
            Stmt::Across { dst, name, args, mask } => {
                let mut args: Vec<String> = args.iter().map(|a| self.wave(*a)).collect();
                args.push(self.wave(*mask));
                line!(self, "let {dst} = x_{name}({});", args.join(", "));
            }
            Stmt::ImageLoad { dst, image, at, level, mask } => {
                self.image_load(dst, *image, at, *level, *mask)
            }
            Stmt::ImageStore { image, at, src, kind, mask } => {
                self.image_store(*image, at, src, *kind, *mask)
            }
            Stmt::Sample(sample) => self.sample(sample),
            Stmt::Size { dst, slot, what } => {
                let value = size(*slot, *what);
                line!(self, "let {dst} = {value};");
            }
            Stmt::LevelSize { dst, image, what, level, mask } => {
                let level = self.wave(*level);
                let value = self.of_image(*image, *mask, "is(0)", "w_isel", |image, _| {
                    format!("img_size::<{}>({image}, {level})", *what as u32)
                });
                line!(self, "let {dst} = {value};");
            }
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
            Stmt::Loop { label, looks, body } => {
                if *looks {
                    line!(self, "let mut rounds = ROUNDS;");
                }
                line!(self, "{label}: loop {{");
                if *looks {
                    line!(
                        self,
                        "rounds -= 1; if rounds == 0 {{ if stopped(launch) {{ return; }} rounds = ROUNDS; }}"
                    );
                }
                self.statements(body);
                self.out.push_str("}\n");
            }
            Stmt::Exit(label) => line!(self, "break {label};"),
            Stmt::ExitIfNone { mask, label } => {
                line!(self, "if !any({}) {{ break {label}; }}", self.wave(*mask))
            }
            Stmt::Waves(segment) => self.waves(&self.p.segments[*segment]),
            Stmt::SpillStore { slot, src } => {
                let letter = self.kind(*src).letter();
                let at = self.spill_address(*slot);
                line!(self, "row_st{letter}({at}, {});", self.wave(*src));
            }
            Stmt::SpillLoad { dst, slot } => {
                let letter = self.p.leaves[*dst].kind.letter();
                let at = self.spill_address(*slot);
                let row = format!("row_ld{letter}({at})");
                let value = match (self.uniform(*dst), self.p.leaves[*dst].kind) {
                    (false, _) => row,
                    (true, Kind::Bool) => format!("(n_bits({row}.0[0]) & 1 != 0)"),
                    (true, _) => format!("n_first_{letter}({row}.0[0])"),
                };
                line!(self, "let mut {dst} = {value};");
            }
            Stmt::Agree { dst, slot, mask, fault } => {
                let slots = &self.scratch.slots;
                let mask = match mask {
                    Some(mask) => format!("scratch.add({})", slots[mask.index()]),
                    None => "core::ptr::null()".into(),
                };
                line!(
                    self,
                    "let (same, {dst}) = agreed(scratch.add({}), {mask}, ITEMS); if !same {{ {} }}",
                    slots[slot.index()],
                    self.fail(*fault)
                );
            }
            Stmt::Meet { mask, label, fault } => line!(
                self,
                "match meet(scratch.add({}), ITEMS) {{ 1 => {{}} 0 => break {label}, _ => {{ {} }} }}",
                self.scratch.slots[mask.index()],
                self.fail(*fault)
            ),
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

    /// Ends the launch.
    fn fail(&self, fault: usize) -> String {
        format!("fail(launch, &FAULT_{}_{fault}); return;", self.index)
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
}
