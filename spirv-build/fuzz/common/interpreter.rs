//! Runs modules of structured control flow, one invocation at a time: a reference that shares nothing with what passes compute.

use spirv_build::ir::{
    Block, BuiltIn, Const, ConstKind, Func, Function, GlobalData, Inst, InstData, Module, Op, Opcode,
    Operand, Type, TypeKind, Value, ValueDef,
};
use std::collections::HashMap;

/// Words of each buffer.
pub const WORDS: usize = 64;
/// Instructions of a run.
const STEPS: u64 = 200_000;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// Nothing is known: it was never written.
    Undef,
    /// A scalar by its bits.
    Bits(u64),
    /// Parts.
    Parts(Vec<Datum>),
    /// Into a variable.
    Pointer(usize, Vec<usize>),
}

/// Why a run says nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// What it does is undefined, or it takes too long.
    Undefined,
    /// The interpreter does not know something.
    Unknown(String),
}

type Run<T> = Result<T, Stop>;

enum Flow {
    Merge(Vec<Datum>),
    Break(Vec<Datum>),
    Continue(Vec<Datum>),
    Next(Vec<Datum>),
    NextIf(Vec<Datum>),
    Return(Datum),
}

struct Machine<'a> {
    m: &'a Module,
    memory: Vec<(Type, Datum)>,
    globals: HashMap<usize, usize>,
    id: [u64; 3],
    steps: u64,
}

struct Frame<'a> {
    f: &'a Function,
    values: HashMap<Value, Datum>,
}

/// What all buffers hold after some invocations of the first entry point.
pub fn run(m: &Module, invocations: u64) -> Run<Vec<Datum>> {
    let mut machine = Machine { m, memory: Vec::new(), globals: HashMap::new(), id: [0; 3], steps: 0 };
    let mut buffers = Vec::new();
    for (g, data) in m.globals.iter() {
        let place = machine.memory.len();
        let shared = data.interface.is_some();
        machine.memory.push((data.ty, if shared { machine.filled(data.ty, 7)? } else { Datum::Undef }));
        if shared {
            buffers.push(place);
        }
        machine.globals.insert(key(g), place);
    }
    let buffers_end = machine.memory.len();
    for i in 0..invocations {
        machine.id = [i, i * 3 % 5, 0];
        machine.memory.truncate(buffers_end);
        for (g, data) in m.globals.iter().filter(|(_, d)| d.interface.is_none()) {
            let value = machine.private(data)?;
            let place = machine.globals[&key(g)];
            machine.memory[place].1 = value;
        }
        machine.call(m.entry_points[0].func, Vec::new())?;
    }
    Ok(buffers.into_iter().map(|place| machine.memory[place].1.clone()).collect())
}

fn key(g: spirv_build::ir::Global) -> usize {
    spirv_build::ir::entity::Entity::index(g)
}

fn mask(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}

fn signed(bits: u64, width: u8) -> i64 {
    let unused = 64 - u32::from(width);
    ((bits << unused) as i64) >> unused
}

impl<'a> Machine<'a> {
    fn kind(&self, ty: Type) -> &'a TypeKind {
        self.m.ctx.types.kind(ty)
    }

    /// A buffer with something in it.
    fn filled(&self, ty: Type, seed: u64) -> Run<Datum> {
        let list = |n: u64, of: &dyn Fn(u64) -> Run<Datum>| {
            Ok(Datum::Parts((0..n).map(of).collect::<Run<Vec<_>>>()?))
        };
        match self.kind(ty) {
            TypeKind::Int { width, .. } => Ok(Datum::Bits(seed.wrapping_mul(0x9e37) & mask(*width))),
            TypeKind::Float { width: 32 } => Ok(Datum::Bits(u64::from(((seed % 9) as f32).to_bits()))),
            TypeKind::Vector { elem, len } => list(u64::from(*len), &|i| self.filled(*elem, seed + i)),
            TypeKind::Array { elem, len, .. } => list(u64::from(*len), &|i| self.filled(*elem, seed + i)),
            TypeKind::RuntimeArray { elem, .. } => list(WORDS as u64, &|i| self.filled(*elem, seed + i * 5)),
            TypeKind::Struct(s) => {
                list(s.members.len() as u64, &|i| self.filled(s.members[i as usize].ty, seed + i * 11))
            }
            kind => Err(Stop::Unknown(format!("{kind:?}"))),
        }
    }

    fn private(&self, data: &GlobalData) -> Run<Datum> {
        match data.builtin() {
            Some(BuiltIn::GlobalInvocationId) => {
                Ok(Datum::Parts(self.id.iter().map(|n| Datum::Bits(*n)).collect()))
            }
            Some(other) => Err(Stop::Unknown(format!("{other:?}"))),
            None => Ok(data.init.map_or(Datum::Undef, |c| self.constant(c))),
        }
    }

    fn null(&self, ty: Type) -> Datum {
        let parts = |n: usize, of: Type| Datum::Parts(vec![self.null(of); n]);
        match self.kind(ty) {
            TypeKind::Vector { elem, len } => parts(usize::from(*len), *elem),
            TypeKind::Matrix { column, columns } => parts(usize::from(*columns), *column),
            TypeKind::Array { elem, len, .. } => parts(*len as usize, *elem),
            TypeKind::Struct(s) => Datum::Parts(s.members.iter().map(|m| self.null(m.ty)).collect()),
            _ => Datum::Bits(0),
        }
    }

    fn constant(&self, c: Const) -> Datum {
        match self.m.ctx.consts.kind(c) {
            ConstKind::Bool(b) => Datum::Bits(u64::from(*b)),
            ConstKind::Bits(bits) => Datum::Bits(*bits),
            ConstKind::Spec { default, .. } => Datum::Bits(*default),
            ConstKind::Composite(parts) => Datum::Parts(parts.iter().map(|p| self.constant(*p)).collect()),
            ConstKind::Null => self.null(self.m.ctx.consts.ty(c)),
            _ => Datum::Undef,
        }
    }

    fn call(&mut self, func: Func, args: Vec<Datum>) -> Run<Datum> {
        let f = &self.m.functions[func];
        let mut frame = Frame { f, values: f.params.iter().copied().zip(args).collect() };
        let Some(entry) = f.entry() else { return Err(Stop::Unknown("a declaration".into())) };
        match self.block(&mut frame, entry)? {
            Flow::Return(value) => Ok(value),
            _ => Err(Stop::Unknown("an end without return".into())),
        }
    }

    fn get(&self, frame: &Frame<'a>, v: Value) -> Run<Datum> {
        Ok(match frame.f.values[v].def {
            ValueDef::Const(c) => self.constant(c),
            ValueDef::Global(g) => Datum::Pointer(self.globals[&key(g)], Vec::new()),
            _ => frame.values.get(&v).cloned().ok_or_else(|| Stop::Unknown(format!("{v:?} has no value")))?,
        })
    }

    fn block(&mut self, frame: &mut Frame<'a>, block: Block) -> Run<Flow> {
        let f = frame.f;
        for &inst in &f.blocks[block].insts {
            self.steps += 1;
            if self.steps > STEPS {
                return Err(Stop::Undefined);
            }
            let d = &f.insts[inst];
            let ids = d.ids().map(|v| self.get(frame, v)).collect::<Run<Vec<_>>>();
            match d.op {
                Opcode::Merge => return Ok(Flow::Merge(ids?)),
                Opcode::Break => return Ok(Flow::Break(ids?)),
                Opcode::Continue => return Ok(Flow::Continue(ids?)),
                Opcode::Next => return Ok(Flow::Next(ids?)),
                Opcode::NextIf => return Ok(Flow::NextIf(ids?)),
                Opcode::Op(Op::Return) => return Ok(Flow::Return(Datum::Undef)),
                Opcode::Op(Op::ReturnValue) => return Ok(Flow::Return(ids?.swap_remove(0))),
                Opcode::Op(Op::Unreachable) => return Err(Stop::Undefined),
                Opcode::Selection | Opcode::Switch => {
                    let bits = number(&ids?[0])?;
                    let region = chosen(d, bits);
                    match self.block(frame, f.block_of(d.regions[region]))? {
                        Flow::Merge(values) => bind(frame, d, values),
                        Flow::Break(values) if d.op == Opcode::Switch => bind(frame, d, values),
                        other => return Ok(other),
                    }
                }
                Opcode::Loop => {
                    if let Some(flow) = self.repeat(frame, d, ids?)? {
                        return Ok(flow);
                    }
                }
                _ => {
                    let value = self.inst(frame, inst, d, ids?)?;
                    if let Some(result) = d.result() {
                        frame.values.insert(result, value);
                    }
                }
            }
        }
        Err(Stop::Unknown("a block without end".into()))
    }

    fn repeat(&mut self, frame: &mut Frame<'a>, d: &'a InstData, mut args: Vec<Datum>) -> Run<Option<Flow>> {
        let f = frame.f;
        let [body, continuing] = [0, 1].map(|i| f.block_of(d.regions[i]));
        let pass = |frame: &mut Frame<'a>, to: Block, args: Vec<Datum>| {
            frame.values.extend(f.blocks[to].args.iter().copied().zip(args));
        };
        loop {
            pass(frame, body, args);
            match self.block(frame, body)? {
                Flow::Continue(values) => pass(frame, continuing, values),
                Flow::Break(values) => {
                    bind(frame, d, values);
                    return Ok(None);
                }
                other => return Ok(Some(other)),
            }
            match self.block(frame, continuing)? {
                Flow::Next(values) => args = values,
                Flow::NextIf(mut values) => {
                    let left = values.split_off(1 + d.operands.len());
                    if number(&values[0])? == 0 {
                        bind(frame, d, left);
                        return Ok(None);
                    }
                    args = values.split_off(1);
                }
                _ => return Err(Stop::Unknown("an end of a continuing region".into())),
            }
        }
    }

    fn inst(&mut self, frame: &Frame<'a>, inst: Inst, d: &InstData, ids: Vec<Datum>) -> Run<Datum> {
        let op = match d.op {
            Opcode::Op(op) => op,
            // No operation of the core stands for these: they compute, and nothing else.
            Opcode::Ext(..) => Op::Nop,
            _ => return Err(Stop::Unknown(format!("{:?}", d.op))),
        };
        let literals = |from: usize| {
            d.operands.iter().skip(from).filter_map(|o| match o {
                Operand::Literal(n) => Some(*n as usize),
                _ => None,
            })
        };
        let ty = d.result().map(|r| frame.f.values[r].ty);
        match op {
            Op::Variable => {
                let Some((pointee, _)) = ty.and_then(|t| self.m.ctx.types.pointee(t)) else {
                    return Err(Stop::Unknown("a variable".into()));
                };
                self.memory.push((pointee, ids.first().cloned().unwrap_or(Datum::Undef)));
                Ok(Datum::Pointer(self.memory.len() - 1, Vec::new()))
            }
            Op::AccessChain | Op::InBoundsAccessChain => {
                let Datum::Pointer(place, mut path) = ids[0].clone() else { return Err(Stop::Undefined) };
                for index in &ids[1..] {
                    path.push(number(index)? as u32 as usize);
                }
                Ok(Datum::Pointer(place, path))
            }
            Op::Load => {
                let Datum::Pointer(place, path) = &ids[0] else { return Err(Stop::Undefined) };
                let mut at = &self.memory[*place].1;
                for i in path {
                    at = match at {
                        Datum::Undef => return Ok(Datum::Undef),
                        Datum::Parts(parts) => parts.get(*i).ok_or(Stop::Undefined)?,
                        _ => return Err(Stop::Undefined),
                    };
                }
                Ok(at.clone())
            }
            Op::Store => {
                let Datum::Pointer(place, path) = &ids[0] else { return Err(Stop::Undefined) };
                let (root, old) = self.memory[*place].clone();
                self.memory[*place].1 = self.inserted(old, Some(root), path, ids[1].clone())?;
                Ok(Datum::Undef)
            }
            Op::FunctionCall => match d.operands.first() {
                Some(Operand::Func(callee)) => self.call(*callee, ids),
                _ => Err(Stop::Unknown("a call".into())),
            },
            Op::CompositeConstruct => {
                let vector = ty.is_some_and(|t| matches!(self.kind(t), TypeKind::Vector { .. }));
                let mut parts = Vec::new();
                for (id, value) in ids.into_iter().zip(d.ids()) {
                    let len = usize::from(self.m.ctx.types.len_of(frame.f.values[value].ty));
                    match id {
                        Datum::Parts(list) if vector => parts.extend(list),
                        Datum::Undef if vector => parts.extend(vec![Datum::Undef; len]),
                        other => parts.push(other),
                    }
                }
                Ok(Datum::Parts(parts))
            }
            Op::CompositeExtract => {
                let mut at = &ids[0];
                for i in literals(1) {
                    at = match at {
                        Datum::Undef => return Ok(Datum::Undef),
                        Datum::Parts(parts) => parts.get(i).ok_or(Stop::Undefined)?,
                        _ => return Err(Stop::Undefined),
                    };
                }
                Ok(at.clone())
            }
            Op::CompositeInsert => {
                let path: Vec<usize> = literals(2).collect();
                self.inserted(ids[1].clone(), ty, &path, ids[0].clone())
            }
            Op::VectorShuffle => {
                let mut all = Vec::new();
                for (id, v) in ids.iter().zip(d.ids()) {
                    let len = usize::from(self.m.ctx.types.len_of(frame.f.values[v].ty));
                    all.extend((0..len).map(|i| component(id, i)));
                }
                Ok(Datum::Parts(literals(2).map(|i| all.get(i).cloned().unwrap_or(Datum::Undef)).collect()))
            }
            Op::CopyObject => Ok(ids[0].clone()),
            Op::Select if matches!(ids[0], Datum::Bits(_)) => {
                Ok(if number(&ids[0])? != 0 { ids[1].clone() } else { ids[2].clone() })
            }
            Op::Any | Op::All => {
                let Datum::Parts(parts) = &ids[0] else { return Ok(Datum::Undef) };
                let bits = parts.iter().map(number).collect::<Run<Vec<u64>>>()?;
                let any = bits.iter().any(|b| *b != 0);
                Ok(Datum::Bits(u64::from(if op == Op::Any { any } else { bits.iter().all(|b| *b != 0) })))
            }
            _ => {
                let (Some(ty), Some(first)) = (ty, d.id(0)) else {
                    return Err(Stop::Unknown(format!("{op:?} of {inst:?}")));
                };
                let types = &self.m.ctx.types;
                let (to, from) = (types.scalar_of(ty), types.scalar_of(frame.f.values[first].ty));
                let scalar = |ids: &[Datum]| -> Run<Datum> {
                    let mut bits = Vec::new();
                    for id in ids {
                        match id {
                            Datum::Bits(b) => bits.push(*b),
                            Datum::Undef => return Ok(Datum::Undef),
                            _ => return Err(Stop::Undefined),
                        }
                    }
                    super::scalar::evaluate(d.op, self.kind(to), self.kind(from), &bits).map(Datum::Bits)
                };
                match types.len_of(ty) {
                    1 => scalar(&ids),
                    n => {
                        let one = |i| scalar(&ids.iter().map(|id| component(id, i)).collect::<Vec<_>>());
                        Ok(Datum::Parts((0..usize::from(n)).map(one).collect::<Run<Vec<_>>>()?))
                    }
                }
            }
        }
    }

    fn inserted(&self, into: Datum, ty: Option<Type>, path: &[usize], new: Datum) -> Run<Datum> {
        let Some((first, rest)) = path.split_first() else { return Ok(new) };
        let ty = ty.ok_or_else(|| Stop::Unknown("a store into what has no type".into()))?;
        let mut parts = match into {
            Datum::Parts(parts) => parts,
            Datum::Undef => match self.null(ty) {
                Datum::Parts(parts) => vec![Datum::Undef; parts.len()],
                _ => return Err(Stop::Undefined),
            },
            _ => return Err(Stop::Undefined),
        };
        let elem = self.m.ctx.types.element(ty, *first as u32);
        let old = parts.get(*first).cloned().ok_or(Stop::Undefined)?;
        parts[*first] = self.inserted(old, elem, rest, new)?;
        Ok(Datum::Parts(parts))
    }
}

fn component(of: &Datum, i: usize) -> Datum {
    match of {
        Datum::Parts(parts) => parts.get(i).cloned().unwrap_or(Datum::Undef),
        other => other.clone(),
    }
}

fn number(d: &Datum) -> Run<u64> {
    match d {
        Datum::Bits(bits) => Ok(*bits),
        _ => Err(Stop::Undefined),
    }
}

fn bind(frame: &mut Frame<'_>, d: &InstData, values: Vec<Datum>) {
    frame.values.extend(d.results.iter().copied().zip(values));
}

/// The region that a branch takes.
fn chosen(d: &InstData, bits: u64) -> usize {
    if d.op == Opcode::Selection {
        return usize::from(bits == 0);
    }
    let pairs = d.operands[1..].chunks(2);
    let hit = pairs.filter_map(|pair| match pair {
        [Operand::Wide(case), Operand::Literal(region)] if *case as u32 == bits as u32 => {
            Some(*region as usize)
        }
        _ => None,
    });
    hit.into_iter().next().unwrap_or(0)
}

pub fn width_of(kind: &TypeKind) -> Option<u8> {
    match kind {
        TypeKind::Bool => Some(1),
        TypeKind::Int { width, .. } | TypeKind::Float { width } => Some(*width),
        _ => None,
    }
}

pub fn as_signed(bits: u64, kind: &TypeKind) -> i64 {
    signed(bits, width_of(kind).unwrap_or(64))
}
