//! The builtin functions of OpenCL C, by name and parameter types.

use super::call::{Call, Lowered};
use super::function::Body;
use super::spirv_calls::{Postfix, opencl_number, postfixes};
use crate::ir::{BuiltIn, ExtSet, InstData, Op, OpaqueType, Opcode, Operand, Type, TypeKind, Value};
use crate::llvm::mangle::{Param, opencl_type};
use spirv_spec::ClOp as Cl;

/// Scopes.
const WORKGROUP: u32 = 2;
const DEVICE: u32 = 1;
const SUBGROUP: u32 = 3;

/// A row each: name, system value, whether it has three components, what it is beyond them.
const WORK_ITEM: &[(&str, BuiltIn, bool, u64)] = {
    &[
        ("get_global_id", BuiltIn::GlobalInvocationId, true, 0),
        ("get_local_id", BuiltIn::LocalInvocationId, true, 0),
        ("get_group_id", BuiltIn::WorkgroupId, true, 0),
        ("get_num_groups", BuiltIn::NumWorkgroups, true, 1),
        ("get_local_size", BuiltIn::WorkgroupSize, true, 1),
        ("get_enqueued_local_size", BuiltIn::EnqueuedWorkgroupSize, true, 1),
        ("get_global_size", BuiltIn::GlobalSize, true, 1),
        ("get_global_offset", BuiltIn::GlobalOffset, true, 0),
        ("get_work_dim", BuiltIn::WorkDim, false, 0),
        ("get_global_linear_id", BuiltIn::GlobalLinearId, false, 0),
        ("get_local_linear_id", BuiltIn::LocalInvocationIndex, false, 0),
        ("get_sub_group_size", BuiltIn::SubgroupSize, false, 0),
        ("get_max_sub_group_size", BuiltIn::SubgroupMaxSize, false, 0),
        ("get_num_sub_groups", BuiltIn::NumSubgroups, false, 0),
        ("get_enqueued_num_sub_groups", BuiltIn::NumEnqueuedSubgroups, false, 0),
        ("get_sub_group_id", BuiltIn::SubgroupId, false, 0),
        ("get_sub_group_local_id", BuiltIn::SubgroupLocalInvocationId, false, 0),
    ]
};

/// Comparisons that give integers.
const RELATIONAL: &[(&str, Op)] = &[
    ("isequal", Op::FOrdEqual),
    ("isnotequal", Op::FUnordNotEqual),
    ("isgreater", Op::FOrdGreaterThan),
    ("isgreaterequal", Op::FOrdGreaterThanEqual),
    ("isless", Op::FOrdLessThan),
    ("islessequal", Op::FOrdLessThanEqual),
    ("islessgreater", Op::FOrdNotEqual),
    ("isfinite", Op::IsFinite),
    ("isinf", Op::IsInf),
    ("isnan", Op::IsNan),
    ("isnormal", Op::IsNormal),
    ("isordered", Op::Ordered),
    ("isunordered", Op::Unordered),
    ("signbit", Op::SignBitSet),
];

/// Name, instruction for floats, signed, unsigned integers.
type ByClass = (&'static str, Option<Cl>, Option<Cl>, Option<Cl>);

/// Functions whose instruction depends on the operands: name, for floats, signed, unsigned integers.
const BY_CLASS: &[ByClass] = &[
    ("abs", None, Some(Cl::s_abs), Some(Cl::u_abs)),
    ("abs_diff", None, Some(Cl::s_abs_diff), Some(Cl::u_abs_diff)),
    ("add_sat", None, Some(Cl::s_add_sat), Some(Cl::u_add_sat)),
    ("hadd", None, Some(Cl::s_hadd), Some(Cl::u_hadd)),
    ("rhadd", None, Some(Cl::s_rhadd), Some(Cl::u_rhadd)),
    ("clamp", Some(Cl::fclamp), Some(Cl::s_clamp), Some(Cl::u_clamp)),
    ("mad_hi", None, Some(Cl::s_mad_hi), Some(Cl::u_mad_hi)),
    ("mad_sat", None, Some(Cl::s_mad_sat), Some(Cl::u_mad_sat)),
    ("max", Some(Cl::fmax_common), Some(Cl::s_max), Some(Cl::u_max)),
    ("min", Some(Cl::fmin_common), Some(Cl::s_min), Some(Cl::u_min)),
    ("mul_hi", None, Some(Cl::s_mul_hi), Some(Cl::u_mul_hi)),
    ("sub_sat", None, Some(Cl::s_sub_sat), Some(Cl::u_sub_sat)),
    ("upsample", None, Some(Cl::s_upsample), Some(Cl::u_upsample)),
    ("mad24", None, Some(Cl::s_mad24), Some(Cl::u_mad24)),
    ("mul24", None, Some(Cl::s_mul24), Some(Cl::u_mul24)),
];

/// Atomic operations behind `atomic_`, `atom_` and `atomic_fetch_`: for signed, unsigned integers, floats.
const ATOMICS: &[(&str, Op, Op, Op)] = &[
    ("add", Op::AtomicIAdd, Op::AtomicIAdd, Op::AtomicFAddEXT),
    ("sub", Op::AtomicISub, Op::AtomicISub, Op::Nop),
    ("xchg", Op::AtomicExchange, Op::AtomicExchange, Op::AtomicExchange),
    ("exchange", Op::AtomicExchange, Op::AtomicExchange, Op::AtomicExchange),
    ("min", Op::AtomicSMin, Op::AtomicUMin, Op::AtomicFMinEXT),
    ("max", Op::AtomicSMax, Op::AtomicUMax, Op::AtomicFMaxEXT),
    ("and", Op::AtomicAnd, Op::AtomicAnd, Op::Nop),
    ("or", Op::AtomicOr, Op::AtomicOr, Op::Nop),
    ("xor", Op::AtomicXor, Op::AtomicXor, Op::Nop),
    ("inc", Op::AtomicIIncrement, Op::AtomicIIncrement, Op::Nop),
    ("dec", Op::AtomicIDecrement, Op::AtomicIDecrement, Op::Nop),
];

/// Operations of groups: name behind `work_group_reduce_` and so on; for floats, signed, unsigned integers.
const GROUPS: &[(&str, Op, Op, Op)] = &[
    ("add", Op::GroupFAdd, Op::GroupIAdd, Op::GroupIAdd),
    ("min", Op::GroupFMin, Op::GroupSMin, Op::GroupUMin),
    ("max", Op::GroupFMax, Op::GroupSMax, Op::GroupUMax),
];

impl<'m> Body<'_, 'm, '_> {
    /// A call of a function that the module does not define, if it is one of OpenCL's.
    pub fn opencl(&mut self, name: &str, c: &Call<'m>) -> Lowered {
        let v = if let Some(row) = WORK_ITEM.iter().find(|r| r.0 == name) {
            Some(self.work_item(row, c)?)
        } else if let Some((_, op)) = RELATIONAL.iter().find(|r| r.0 == name) {
            let mut args = Vec::new();
            for n in 0..c.args.len() {
                args.push(self.arg(c, n)?);
            }
            let Some(first) = args.first() else { return Ok(None) };
            let ty = self.type_of(*first);
            let bools = self.bools_like(ty);
            let v = self.b().op(*op, bools, &args);
            Some(self.truth(v, c))
        } else if let Some(rest) = name.strip_prefix("convert_") {
            let Some(v) = self.convert_call(rest, c)? else { return Ok(None) };
            Some(v)
        } else if let Some(to) = name.strip_prefix("as_").and_then(opencl_type) {
            let (v, wide) = (self.arg(c, 0)?, self.param_type(&to));
            let same = wide == Some(self.type_of(v)) || self.type_of(v) == c.ty;
            Some(if same { v } else { self.b().op(Op::Bitcast, c.ty, &[v]) })
        } else if let Some(row) = BY_CLASS.iter().find(|r| r.0 == name) {
            let Some(cl) = by_class(row, c) else { return Ok(None) };
            Some(self.componentwise(cl, c)?)
        } else if let Some(v) = self.barrier(name, c)? {
            return Ok(Some(v));
        } else if name.starts_with("atom") {
            return self.atomic_call(name, c);
        } else if name.starts_with("vload") || name.starts_with("vstore") {
            return self.vector_memory(name, c);
        } else if name.starts_with("work_group_") || name.starts_with("sub_group_") {
            return self.group_call(name, c);
        } else {
            match name {
                "dot" => {
                    let (a, b) = (self.arg(c, 0)?, self.arg(c, 1)?);
                    let vector = matches!(self.kind_of(a), TypeKind::Vector { .. });
                    if !self.i.out.ctx.types.is_float(c.ty) {
                        return Err("the builtin function `dot` of integers".into());
                    }
                    Some(self.b().op(if vector { Op::Dot } else { Op::FMul }, c.ty, &[a, b]))
                }
                "any" | "all" => Some(self.any_all(name == "any", c)?),
                "async_work_group_copy" | "async_work_group_strided_copy" => Some(self.async_copy(name, c)?),
                "wait_group_events" => {
                    let event = OpaqueType { op: Op::TypeEvent, types: Vec::new(), words: Vec::new() };
                    let event = self.i.out.ctx.types.intern(TypeKind::Opaque(event));
                    let list = self.pointer_arg(c, 1, event)?;
                    let all = [self.b().u32(WORKGROUP), self.arg(c, 0)?, list].map(Operand::Id);
                    self.b().push(Op::GroupWaitEvents, &all);
                    return Ok(Some(None));
                }
                "printf" => {
                    let number = Cl::printf.0;
                    let byte = self.i.out.ctx.types.int(8, false);
                    let mut all = vec![Operand::Id(self.pointer_arg(c, 0, byte)?)];
                    for n in 1..c.args.len() {
                        all.push(Operand::Id(self.arg(c, n)?));
                    }
                    Some(self.b().value(Opcode::Ext(ExtSet::OpenCl, number), c.ty, &all))
                }
                // Names of the instructions themselves, which take any operands: the parameters must be known.
                _ if !c.params.is_empty() && !name.contains("common") => match opencl_number(name) {
                    Some(number) if !name.starts_with("s_") && !name.starts_with("u_") => {
                        let cl = Cl::from_u32(number);
                        match cl {
                            Some(cl) => Some(self.componentwise(cl, c)?),
                            None => return Ok(None),
                        }
                    }
                    _ => return Ok(None),
                },
                _ => return Ok(None),
            }
        };
        Ok(Some(v.filter(|_| !c.inst.ty().is_void())))
    }

    fn work_item(&mut self, row: &(&str, BuiltIn, bool, u64), c: &Call<'m>) -> Result<Value, String> {
        let (_, builtin, vector, beyond) = *row;
        if !vector {
            return self.system_value(builtin, c.ty, false, None);
        }
        match c.args.first().map(|a| a.int()) {
            Some(Some(3..)) => Ok(self.bits(c.ty, beyond)),
            Some(Some(_)) => {
                let index = self.arg(c, 0)?;
                self.system_value(builtin, c.ty, true, Some(index))
            }
            _ => {
                // Beyond the dimensions there is a value too.
                let index = self.arg(c, 0)?;
                let ty = self.type_of(index);
                let (zero, three, truth) = (self.bits(ty, 0), self.bits(ty, 3), self.i.out.ctx.types.bool());
                let inside = self.b().op(Op::ULessThan, truth, &[index, three]);
                let safe = self.b().op(Op::Select, ty, &[inside, index, zero]);
                let v = self.system_value(builtin, c.ty, true, Some(safe))?;
                let beyond = self.bits(c.ty, beyond);
                Ok(self.b().op(Op::Select, c.ty, &[inside, v, beyond]))
            }
        }
    }

    /// An instruction of `OpenCL.std`; scalars beside vectors are spread.
    fn componentwise(&mut self, cl: Cl, c: &Call<'m>) -> Result<Value, String> {
        let mut args = Vec::new();
        for n in 0..c.args.len() {
            args.push(self.typed_arg(c, n)?);
        }
        let types = &self.i.out.ctx.types;
        let len = types.len_of(c.ty);
        let pointers = args.iter().any(|v| types.pointee(self.type_of(*v)).is_some());
        let reduces = matches!(cl, Cl::length | Cl::fast_length | Cl::distance | Cl::fast_distance);
        if len > 1 && !pointers && !reduces && !matches!(cl, Cl::shuffle | Cl::shuffle2) {
            for v in &mut args {
                let ty = self.type_of(*v);
                if self.is_plain(ty) && self.i.out.ctx.types.len_of(ty) == 1 {
                    let vector = self.i.out.ctx.types.vector(ty, len);
                    *v = self.splat(vector, *v);
                }
            }
        }
        Ok(self.b().op(Opcode::Ext(ExtSet::OpenCl, cl.0), c.ty, &args))
    }

    fn any_all(&mut self, any: bool, c: &Call<'m>) -> Result<Value, String> {
        let x = self.arg(c, 0)?;
        let ty = self.type_of(x);
        let (zero, bools) = (self.bits(ty, 0), self.bools_like(ty));
        let mut set = self.b().op(Op::SLessThan, bools, &[x, zero]);
        if self.i.out.ctx.types.len_of(ty) > 1 {
            let truth = self.i.out.ctx.types.bool();
            set = self.b().op(if any { Op::Any } else { Op::All }, truth, &[set]);
        }
        Ok(self.truth(set, c))
    }

    fn convert_call(&mut self, rest: &str, c: &Call<'m>) -> Result<Option<Value>, String> {
        let (name, mut postfix) = postfixes(rest);
        let (Some(to), Some(from)) = (opencl_type(name), c.params.first()) else { return Ok(None) };
        let x = self.arg(c, 0)?;
        let same_width = from.width() == to.width();
        let op = match (from.is_float(), to.is_float()) {
            (true, true) if same_width => return Ok(Some(x)),
            (true, true) => Op::FConvert,
            (true, false) => {
                if to.is_signed() {
                    Op::ConvertFToS
                } else {
                    Op::ConvertFToU
                }
            }
            (false, true) => {
                if from.is_signed() {
                    Op::ConvertSToF
                } else {
                    Op::ConvertUToF
                }
            }
            (false, false) => {
                postfix.rounding = None;
                match (postfix.saturate, from.is_signed(), to.is_signed()) {
                    (true, true, false) => {
                        postfix.saturate = false;
                        Op::SatConvertSToU
                    }
                    (true, false, true) => {
                        postfix.saturate = false;
                        Op::SatConvertUToS
                    }
                    _ if same_width => return Ok(Some(x)),
                    (_, true, _) => Op::SConvert,
                    (_, false, _) => Op::UConvert,
                }
            }
        };
        // Floats do not saturate to floats; C's default of conversions to integers is towards zero.
        if to.is_float() {
            postfix.saturate = false;
        }
        Ok(Some(self.decorated(op, c.ty, &[x], &postfix)))
    }

    fn decorated(&mut self, op: Op, ty: Type, ids: &[Value], postfix: &Postfix) -> Value {
        let mut data = InstData::new(op, ids.iter().map(|v| Operand::Id(*v)), self.span);
        data.decorations.extend(postfix.decorations());
        let inst = self.b().append(data, &[ty]);
        self.f.insts[inst].results[0]
    }

    /// Barriers and fences.
    fn barrier(&mut self, name: &str, c: &Call<'m>) -> Lowered {
        const ORDERED: u32 = 16;
        let flags = |bits: u32| (bits & 1) << 8 | (bits & 2) << 8 | (bits & 4) << 9;
        match name {
            "barrier" | "work_group_barrier" | "sub_group_barrier" => {
                let execution = if name == "sub_group_barrier" { SUBGROUP } else { WORKGROUP };
                let scope = match c.args.len() {
                    2.. => memory_scope(self.literal_arg(c, 1)?)?,
                    _ => execution,
                };
                let semantics = ORDERED | flags(self.literal_arg(c, 0)?);
                let all = [execution, scope, semantics].map(|n| Operand::Id(self.b().u32(n)));
                self.b().push(Op::ControlBarrier, &all);
            }
            "mem_fence" | "read_mem_fence" | "write_mem_fence" => {
                let order = [("mem_fence", 8), ("read_mem_fence", 2), ("write_mem_fence", 4)];
                let order = order.iter().find(|o| o.0 == name).map_or(8, |o| o.1);
                let semantics = order | flags(self.literal_arg(c, 0)?);
                let all = [WORKGROUP, semantics].map(|n| Operand::Id(self.b().u32(n)));
                self.b().push(Op::MemoryBarrier, &all);
            }
            "atomic_work_item_fence" => {
                let semantics = memory_order(self.literal_arg(c, 1)?)? | flags(self.literal_arg(c, 0)?);
                let scope = memory_scope(self.literal_arg(c, 2)?)?;
                let all = [scope, semantics].map(|n| Operand::Id(self.b().u32(n)));
                self.b().push(Op::MemoryBarrier, &all);
            }
            _ => return Ok(None),
        }
        Ok(Some(None))
    }

    fn atomic_call(&mut self, name: &str, c: &Call<'m>) -> Lowered {
        let (name, explicit) = match name.strip_suffix("_explicit") {
            Some(rest) => (rest, true),
            None => (name, false),
        };
        let modern = explicit
            || name.starts_with("atomic_fetch_")
            || matches!(
                name,
                "atomic_load"
                    | "atomic_store"
                    | "atomic_init"
                    | "atomic_exchange"
                    | "atomic_compare_exchange_strong"
                    | "atomic_compare_exchange_weak"
                    | "atomic_flag_test_and_set"
                    | "atomic_flag_clear"
            );
        let rest = name
            .strip_prefix("atomic_fetch_")
            .or(name.strip_prefix("atomic_"))
            .or(name.strip_prefix("atom_"))
            .unwrap_or("");
        // Values stand between the pointer and, in explicit forms, the orders.
        let values = match rest {
            "load" | "inc" | "dec" | "flag_test_and_set" | "flag_clear" => 0,
            "cmpxchg" | "compare_exchange_strong" | "compare_exchange_weak" => 2,
            _ => 1,
        };
        let exchange = rest.starts_with("compare_exchange");
        let (mut order, mut failure, mut scope) = if modern { (16, 16, DEVICE) } else { (0, 0, DEVICE) };
        if explicit {
            let mut at = 1 + values;
            order = memory_order(self.literal_arg(c, at)?)?;
            failure = order;
            at += 1;
            if exchange {
                failure = memory_order(self.literal_arg(c, at)?)?;
                at += 1;
            }
            if at < c.args.len() {
                scope = memory_scope(self.literal_arg(c, at)?)?;
            }
        }
        let object = match c.params.first() {
            Some(Param::Pointer(inner)) => self.param_type(&inner.clone()),
            _ => None,
        };
        let signed = match c.params.first() {
            Some(Param::Pointer(inner)) => inner.is_signed(),
            _ => false,
        };
        let object = match (rest, object) {
            ("flag_test_and_set" | "flag_clear", _) => self.i.out.ctx.types.u32(),
            // Atomic types have names of their own; values tell.
            (_, Some(ty)) if self.is_plain(ty) => ty,
            (_, _) if !c.inst.ty().is_void() && !exchange => c.ty,
            _ => match c.args.get(values) {
                Some(v) => self.ty(v.ty())?,
                None => return Ok(None),
            },
        };
        let object = match c.args.get(values) {
            // `atomic_store(volatile atomic_float *, float)`: the value's type is the object's.
            Some(v) if values == 1 && matches!(v.ty().kind(), super::raw::Kind::Float(_)) => {
                self.ty(v.ty())?
            }
            _ => object,
        };
        let p = self.pointer_arg(c, 0, object)?;
        let memory = if order == 0 { 0 } else { 0x200 };
        let (scope, order, failure) =
            (self.b().u32(scope), self.b().u32(order | memory), self.b().u32(failure | memory));
        let float = self.i.out.ctx.types.is_float(object);
        let done = |v| Ok(Some(v));
        match rest {
            "load" => done(Some(self.b().op(Op::AtomicLoad, object, &[p, scope, order]))),
            "store" | "init" => {
                let v = self.arg(c, 1)?;
                if rest == "init" {
                    self.b().store(p, v);
                } else {
                    let all = [p, scope, order, v].map(Operand::Id);
                    self.b().push(Op::AtomicStore, &all);
                }
                done(None)
            }
            "flag_test_and_set" => {
                let truth = self.i.out.ctx.types.bool();
                let v = self.b().op(Op::AtomicFlagTestAndSet, truth, &[p, scope, order]);
                done(Some(self.truth(v, c)))
            }
            "flag_clear" => {
                let all = [p, scope, order].map(Operand::Id);
                self.b().push(Op::AtomicFlagClear, &all);
                done(None)
            }
            "cmpxchg" => {
                let (expected, new) = (self.arg(c, 1)?, self.arg(c, 2)?);
                let all = [p, scope, order, failure, new, expected];
                done(Some(self.b().op(Op::AtomicCompareExchange, object, &all)))
            }
            _ if exchange => {
                // Exchanges compare bits.
                let width = self.i.out.ctx.types.width_of(object).unwrap_or(32);
                let bits = self.i.out.ctx.types.int(width, false);
                let (p, at) = (self.pointer_to(p, bits)?, self.pointer_arg(c, 1, bits)?);
                let (expected, mut new) = (self.b().load(at), self.arg(c, 2)?);
                if self.type_of(new) != bits {
                    new = self.b().op(Op::Bitcast, bits, &[new]);
                }
                let object = bits;
                let all = [p, scope, order, failure, new, expected];
                let old = self.b().op(Op::AtomicCompareExchange, object, &all);
                self.b().store(at, old);
                let truth = self.i.out.ctx.types.bool();
                let same = self.b().op(Op::IEqual, truth, &[old, expected]);
                done(Some(self.truth(same, c)))
            }
            _ => {
                let Some((_, s, u, f)) = ATOMICS.iter().find(|r| r.0 == rest) else { return Ok(None) };
                let op = if float {
                    *f
                } else if signed {
                    *s
                } else {
                    *u
                };
                if op == Op::Nop {
                    return Err("an atomic operation that floats do not have".into());
                }
                let mut all = vec![p, scope, order];
                if values == 1 {
                    all.push(self.arg(c, 1)?);
                }
                done(Some(self.b().op(op, object, &all)))
            }
        }
    }

    /// `vload4`, `vstore_half2_rte`, ...
    fn vector_memory(&mut self, name: &str, c: &Call<'m>) -> Lowered {
        let (name, postfix) = postfixes(name);
        let stem = name.trim_end_matches(|ch: char| ch.is_ascii_digit());
        let n: Option<u32> = name[stem.len()..].parse().ok();
        let load = stem.starts_with("vload");
        let full = match (stem, n) {
            ("vload" | "vstore" | "vload_half" | "vloada_half" | "vstore_half" | "vstorea_half", Some(_)) => {
                format!("{stem}n")
            }
            ("vload_half" | "vstore_half", None) => stem.to_string(),
            // Of one component an aligned access is an ordinary one.
            ("vloada_half", None) => "vload_half".into(),
            ("vstorea_half", None) => "vstore_half".into(),
            _ => return Ok(None),
        };
        let full = if postfix.rounding.is_some() { full + "_r" } else { full };
        let Some(number) = opencl_number(&full) else { return Ok(None) };
        let mut all = Vec::new();
        for i in 0..c.args.len() {
            let v = self.typed_arg(c, i)?;
            all.push(Operand::Id(v));
        }
        if load && let Some(n) = n {
            all.push(Operand::Literal(n));
        }
        all.extend(postfix.rounding.map(Operand::Literal));
        let v = self.b().value(Opcode::Ext(ExtSet::OpenCl, number), c.ty, &all);
        Ok(Some(load.then_some(v)))
    }

    fn async_copy(&mut self, name: &str, c: &Call<'m>) -> Result<Value, String> {
        if self.i.out.ctx.types.pointee(c.ty).is_some() {
            return Err("events that are pointers (clang before 17 makes them)".into());
        }
        let (to, from, count) = (self.typed_arg(c, 0)?, self.typed_arg(c, 1)?, self.arg(c, 2)?);
        let word = self.i.size_type();
        let (stride, event) = match name {
            "async_work_group_copy" => (self.bits(word, 1), self.arg(c, 3)?),
            _ => (self.arg(c, 3)?, self.arg(c, 4)?),
        };
        let scope = self.b().u32(WORKGROUP);
        Ok(self.b().op(Op::GroupAsyncCopy, c.ty, &[scope, to, from, count, stride, event]))
    }

    fn group_call(&mut self, name: &str, c: &Call<'m>) -> Lowered {
        let (scope, rest) = match (name.strip_prefix("work_group_"), name.strip_prefix("sub_group_")) {
            (Some(rest), _) => (WORKGROUP, rest),
            (_, Some(rest)) => (SUBGROUP, rest),
            _ => return Ok(None),
        };
        let scope = self.b().u32(scope);
        if matches!(rest, "all" | "any") {
            let x = self.arg(c, 0)?;
            let x = self.int_to_bool(x);
            let truth = self.i.out.ctx.types.bool();
            let op = if rest == "all" { Op::GroupAll } else { Op::GroupAny };
            let v = self.b().op(op, truth, &[scope, x]);
            return Ok(Some(Some(self.truth(v, c))));
        }
        if rest == "broadcast" {
            let x = self.arg(c, 0)?;
            let mut index = Vec::new();
            for n in 1..c.args.len() {
                index.push(self.arg(c, n)?);
            }
            let id = match index[..] {
                [one] => one,
                [first, ..] => {
                    let ty = self.type_of(first);
                    let vector = self.i.out.ctx.types.vector(ty, index.len().min(3) as u8);
                    self.b().op(Op::CompositeConstruct, vector, &index)
                }
                [] => return Ok(None),
            };
            return Ok(Some(Some(self.b().op(Op::GroupBroadcast, c.ty, &[scope, x, id]))));
        }
        let kinds = [("reduce_", 0), ("scan_inclusive_", 1), ("scan_exclusive_", 2)];
        for (prefix, number) in kinds {
            let Some(op) = rest.strip_prefix(prefix) else { continue };
            let (Some((_, f, s, u)), Some(p)) = (GROUPS.iter().find(|r| r.0 == op), c.params.first()) else {
                return Ok(None);
            };
            let op = if p.is_float() {
                *f
            } else if p.is_signed() {
                *s
            } else {
                *u
            };
            let x = self.arg(c, 0)?;
            let all = [Operand::Id(scope), Operand::Literal(number), Operand::Id(x)];
            return Ok(Some(Some(self.b().value(op, c.ty, &all))));
        }
        Ok(None)
    }
}

fn by_class(row: &ByClass, c: &Call<'_>) -> Option<Cl> {
    let p = c.params.first()?;
    if p.is_float() {
        row.1
    } else if p.is_signed() {
        row.2
    } else {
        row.3
    }
}

/// Memory semantics of an order of OpenCL C.
fn memory_order(n: u32) -> Result<u32, String> {
    match n {
        0 => Ok(0),
        1 | 2 => Ok(2),
        3 => Ok(4),
        4 => Ok(8),
        5 => Ok(16),
        _ => Err("a memory order that there is not".into()),
    }
}

/// A scope of OpenCL C.
fn memory_scope(n: u32) -> Result<u32, String> {
    match n {
        0 => Ok(4),
        1 => Ok(WORKGROUP),
        2 => Ok(DEVICE),
        3 => Ok(0),
        4 => Ok(SUBGROUP),
        _ => Err("a memory scope that there is not".into()),
    }
}
