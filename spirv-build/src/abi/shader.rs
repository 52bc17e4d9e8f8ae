//! Makes shaders of kernels of OpenCL's flavour, so that they run wherever programs from HLSL do: on Vulkan, on the CPU and,
//! through [`super::kernel`], on Level Zero.
//!
//! A `global` pointer parameter becomes a structured buffer of the scalars that it is used for, and all parameters that are
//! values become one block of constants. Addresses must derive from one parameter each: an address in memory, one chosen at
//! run time or one cast to a number has no form here, and neither has local memory whose size the host chooses.
//!
//! The module must be structured and inlined.

use crate::ir::{
    Block, BufferAccess, Builder, BuiltIn, Const, ConstKind, EntryPoint, ExtSet, Function, Global,
    GlobalData, GlslOp, InstData, Interface, Member, Module, Op, Opcode, Operand, ResourceClass,
    StorageClass, StructType, Type, TypeKind, Value, ValueDef,
};
use crate::source::Span;
use crate::spv::op_table::{self, Kind};
use rustc_hash::FxHashMap;
use spirv::{ExecutionModel, OpenclStd100Op as Cl};

/// Work-items of a group where the kernel leaves that to the host.
const DEFAULT_SIZE: [u32; 3] = [64, 1, 1];

/// A kernel's resources, as the host sees them.
#[derive(Debug, Clone)]
pub struct Resource {
    /// The global.
    pub global: Global,
    /// What it is.
    pub kind: ResourceKind,
}

/// What a resource is.
#[derive(Debug, Clone)]
pub enum ResourceKind {
    /// A buffer of scalars of this type.
    Buffer(Type),
    /// Constants: name, type and offset of each member, and the size.
    Constants(Vec<(String, Type, u32)>, u32),
}

/// Shaders, and their resources in slot order.
#[derive(Debug, Clone)]
pub struct Shaders {
    /// The module.
    pub module: Module,
    /// Resources of all entry points.
    pub resources: Vec<Resource>,
}

/// Instructions of `OpenCL.std` that `GLSL.std.450` has too.
const ROWS: &[(Cl, GlslOp)] = {
    use GlslOp as G;
    &[
        (Cl::rint, G::RoundEven),
        (Cl::trunc, G::Trunc),
        (Cl::fabs, G::FAbs),
        (Cl::s_abs, G::SAbs),
        (Cl::sign, G::FSign),
        (Cl::floor, G::Floor),
        (Cl::ceil, G::Ceil),
        (Cl::radians, G::Radians),
        (Cl::degrees, G::Degrees),
        (Cl::sin, G::Sin),
        (Cl::cos, G::Cos),
        (Cl::tan, G::Tan),
        (Cl::asin, G::Asin),
        (Cl::acos, G::Acos),
        (Cl::atan, G::Atan),
        (Cl::sinh, G::Sinh),
        (Cl::cosh, G::Cosh),
        (Cl::tanh, G::Tanh),
        (Cl::asinh, G::Asinh),
        (Cl::acosh, G::Acosh),
        (Cl::atanh, G::Atanh),
        (Cl::atan2, G::Atan2),
        (Cl::powr, G::Pow),
        (Cl::exp, G::Exp),
        (Cl::log, G::Log),
        (Cl::exp2, G::Exp2),
        (Cl::log2, G::Log2),
        (Cl::native_sin, G::Sin),
        (Cl::native_cos, G::Cos),
        (Cl::native_exp, G::Exp),
        (Cl::native_log, G::Log),
        (Cl::native_sqrt, G::Sqrt),
        (Cl::native_rsqrt, G::InverseSqrt),
        (Cl::sqrt, G::Sqrt),
        (Cl::rsqrt, G::InverseSqrt),
        (Cl::fmin, G::NMin),
        (Cl::fmax, G::NMax),
        (Cl::fmin_common, G::FMin),
        (Cl::fmax_common, G::FMax),
        (Cl::u_min, G::UMin),
        (Cl::s_min, G::SMin),
        (Cl::u_max, G::UMax),
        (Cl::s_max, G::SMax),
        (Cl::fclamp, G::FClamp),
        (Cl::u_clamp, G::UClamp),
        (Cl::s_clamp, G::SClamp),
        (Cl::mix, G::FMix),
        (Cl::step, G::Step),
        (Cl::smoothstep, G::SmoothStep),
        (Cl::fma, G::Fma),
        (Cl::mad, G::Fma),
        (Cl::length, G::Length),
        (Cl::distance, G::Distance),
        (Cl::normalize, G::Normalize),
        (Cl::ldexp, G::Ldexp),
    ]
};

/// Runs on a module.
///
/// # Errors
/// What has no form: a noun phrase each.
pub fn run(module: &Module) -> Result<Shaders, Vec<String>> {
    let mut new = Module { ctx: module.ctx.clone(), ..Module::default() };
    let (mut resources, mut errors) = (Vec::new(), Vec::new());
    let mut globals = FxHashMap::default();
    let several = module.entry_points.len() > 1;
    for e in &module.entry_points {
        let mut l = Lower { old: module, new: &mut new, globals: &mut globals, errors: &mut errors, e };
        l.entry(several, &mut resources);
    }
    errors.sort();
    errors.dedup();
    if errors.is_empty() { Ok(Shaders { module: new, resources }) } else { Err(errors) }
}

struct Lower<'a> {
    old: &'a Module,
    new: &'a mut Module,
    globals: &'a mut FxHashMap<Global, Global>,
    errors: &'a mut Vec<String>,
    e: &'a EntryPoint,
}

/// An address: elements of a resource.
#[derive(Clone)]
struct Place {
    /// Index into [`Body::buffers`].
    buffer: usize,
    /// Bytes from its start.
    constant: u64,
    /// What is added to them: index and how many bytes each is.
    terms: Vec<(Value, u64)>,
}

/// Memory that is an array of scalars: a resource, a variable.
struct Buffer {
    /// The resource; None for variables.
    global: Option<Global>,
    address: Value,
    elem: Type,
    size: u64,
    written: bool,
}

struct Body<'l, 'a> {
    l: &'l mut Lower<'a>,
    old: &'a Function,
    f: Function,
    block: Block,
    values: FxHashMap<Value, Value>,
    places: FxHashMap<Value, Place>,
    buffers: Vec<Buffer>,
    local_size: [u32; 3],
}

impl Lower<'_> {
    fn entry(&mut self, several: bool, resources: &mut Vec<Resource>) {
        let old = &self.old.functions[self.e.func];
        let void = self.new.ctx.types.void();
        let mut f = Function::new(self.e.name.clone(), void, old.span);
        let block = f.make_body(&[]);
        let size = if self.e.local_size == [0; 3] { DEFAULT_SIZE } else { self.e.local_size };
        let mut b = Body {
            l: self,
            old,
            f,
            block,
            values: FxHashMap::default(),
            places: FxHashMap::default(),
            buffers: Vec::new(),
            local_size: size,
        };
        b.parameters(several, resources);
        if let Some(entry) = old.entry() {
            b.copy_block(entry, block);
        }
        let (f, buffers) = (b.f, b.buffers);
        for buffer in buffers.iter().filter(|b| b.written) {
            if let Some(i) = buffer.global.and_then(|g| self.new.globals[g].interface.as_mut()) {
                i.access = BufferAccess::ReadWrite;
            }
        }
        let func = self.new.functions.push(f);
        self.new.entry_points.push(EntryPoint {
            func,
            name: self.e.name.clone(),
            model: ExecutionModel::GLCompute,
            local_size: size,
            modes: Vec::new(),
            interface: Vec::new(),
        });
    }
}

/// A member without matrix.
fn member(name: &str, ty: Type, offset: u32) -> Member {
    Member { name: name.into(), ty, offset: Some(offset), matrix: None, readonly: false }
}

impl<'a> Body<'_, 'a> {
    fn b(&mut self) -> Builder<'_> {
        Builder::new(&mut self.l.new.ctx, &mut self.f, self.block)
    }

    fn refuse(&mut self, what: impl Into<String>) {
        self.l.errors.push(what.into());
    }

    fn interface(class: ResourceClass, spelling: String) -> Option<Interface> {
        let access = BufferAccess::Read;
        Some(Interface { class, access, binding: None, register: None, spelling, coherent: false })
    }

    fn parameters(&mut self, several: bool, resources: &mut Vec<Resource>) {
        let mut constants: Vec<(Value, String, Type, u32)> = Vec::new();
        let mut end = 0u32;
        for (n, &p) in self.old.params.iter().enumerate() {
            let data = &self.old.values[p];
            let name = data.name.clone().filter(|n| !n.is_empty()).unwrap_or_else(|| format!("arg{n}"));
            match self.l.old.ctx.types.pointee(data.ty) {
                Some((_, StorageClass::CrossWorkgroup)) => self.buffer(p, name, resources),
                Some(_) => self.refuse(format!("the parameter `{name}` (memory that is not global)")),
                None => {
                    let types = &self.l.new.ctx.types;
                    let number = types.is_plain(data.ty) && !types.is_bool(data.ty);
                    let Some(size) = types.size(data.ty).filter(|_| number) else {
                        self.refuse(format!("the parameter `{name}` (no number)"));
                        continue;
                    };
                    // A vector of three is aligned as one of four.
                    let align = size.next_power_of_two();
                    let at = end.next_multiple_of(align);
                    end = at + size;
                    constants.push((p, name, data.ty, at));
                }
            }
        }
        if constants.is_empty() {
            return;
        }
        let size = end.next_multiple_of(4);
        let name = if several { format!("{}Params", self.l.e.name) } else { "Params".to_string() };
        let members = constants.iter().map(|(_, n, t, at)| member(n, *t, *at)).collect();
        let s = StructType { name: name.clone(), members, block: true };
        let ty = self.l.new.ctx.types.intern(TypeKind::Struct(s));
        let storage = StorageClass::Uniform;
        let global = self.l.new.globals.push(GlobalData {
            name,
            ty,
            storage,
            init: None,
            builtin: None,
            interface: Self::interface(ResourceClass::ConstantBuffer, "parameters".into()),
            span: self.old.span,
        });
        let address = self.b().address_of(global, ty, storage);
        for (i, (p, _, t, _)) in constants.iter().enumerate() {
            let index = self.b().u32(i as u32);
            let at = self.b().access_chain(address, *t, &[index]);
            let v = self.b().load(at);
            self.values.insert(*p, v);
        }
        let members = constants.into_iter().map(|(_, n, t, at)| (n, t, at)).collect();
        resources.push(Resource { global, kind: ResourceKind::Constants(members, size) });
    }

    fn buffer(&mut self, p: Value, name: String, resources: &mut Vec<Resource>) {
        let elem = self.element_of(p);
        let Some(size) = self.l.new.ctx.types.size(elem) else {
            self.refuse(format!("the parameter `{name}`, which is used for different types"));
            return;
        };
        let types = &mut self.l.new.ctx.types;
        let array = types.intern(TypeKind::RuntimeArray { elem, stride: Some(size) });
        let s = StructType {
            name: format!("{name}_buffer"),
            members: vec![member("elements", array, 0)],
            block: true,
        };
        let ty = types.intern(TypeKind::Struct(s));
        let storage = StorageClass::StorageBuffer;
        let global = self.l.new.globals.push(GlobalData {
            name: name.clone(),
            ty,
            storage,
            init: None,
            builtin: None,
            interface: Self::interface(ResourceClass::StructuredBuffer, format!("global {name}")),
            span: self.old.span,
        });
        let address = self.b().address_of(global, ty, storage);
        let buffer = self.buffers.len();
        let global_of = Some(global);
        self.buffers.push(Buffer { global: global_of, address, elem, size: u64::from(size), written: false });
        self.places.insert(p, Place { buffer, constant: 0, terms: Vec::new() });
        resources.push(Resource { global, kind: ResourceKind::Buffer(elem) });
    }

    /// The scalar that memory behind a parameter consists of: that of the narrowest access.
    fn element_of(&self, p: Value) -> Type {
        let types = &self.l.old.ctx.types;
        let mut derived: rustc_hash::FxHashSet<Value> = [p].into_iter().collect();
        let mut best: Option<(u8, Type)> = None;
        for i in crate::ir::walk::insts(self.old) {
            let d = &self.old.insts[i];
            let Some(base) = d.id(0).filter(|v| derived.contains(v)) else { continue };
            let Some((pointee, _)) = types.pointee(self.old.values[base].ty) else { continue };
            if let Some(r) = d.result().filter(|r| types.pointee(self.old.values[*r].ty).is_some()) {
                derived.insert(r);
                continue;
            }
            let scalar = types.scalar_of(pointee);
            if let Some(w) = types.width_of(scalar)
                && best.is_none_or(|(b, _)| w < b)
            {
                best = Some((w, scalar));
            }
        }
        // What nothing reads or writes is of whatever type it was declared.
        let declared =
            types.pointee(self.old.values[p].ty).map_or(self.old.values[p].ty, |t| types.scalar_of(t.0));
        best.map_or(declared, |(_, t)| t)
    }

    /// The array of scalars that stands for the memory behind `v`, which holds an object of type `object`.
    fn array_of(&mut self, v: Value, object: Type) -> Option<(Type, u64, Type)> {
        let elem = self.element_of(v);
        let size = u64::from(self.l.new.ctx.types.size(elem).unwrap_or(0));
        let whole = self.natural_size(object).unwrap_or(0);
        if size == 0 || whole == 0 || !whole.is_multiple_of(size) {
            self.refuse("memory that is used for types of different sizes");
            return None;
        }
        let len = u32::try_from(whole / size).ok()?;
        Some((elem, size, self.l.new.ctx.types.intern(TypeKind::Array { elem, len, stride: None })))
    }

    fn add_memory(&mut self, v: Value, address: Value, elem: Type, size: u64) {
        let buffer = self.buffers.len();
        self.buffers.push(Buffer { global: None, address, elem, size, written: false });
        self.places.insert(v, Place { buffer, constant: 0, terms: Vec::new() });
    }

    /// A variable of the module: local memory or a table of constants.
    fn global(&mut self, v: Value, g: Global) {
        let data = &self.l.old.globals[g];
        let Some((elem, size, array)) = self.array_of(v, data.ty) else { return };
        let table = data.storage == StorageClass::UniformConstant;
        let storage = match data.storage {
            StorageClass::UniformConstant if data.init.is_some() => StorageClass::Private,
            StorageClass::Workgroup => StorageClass::Workgroup,
            _ => return self.refuse(format!("the variable `{}`", data.name)),
        };
        if table && array != data.ty {
            return self.refuse(format!(
                "the table `{}`, which is no array of the numbers that it is used for",
                data.name
            ));
        }
        let new = match self.l.globals.get(&g) {
            Some(new) if self.l.new.globals[*new].ty != array => {
                return self
                    .refuse(format!("the variable `{}`, which kernels use for different types", data.name));
            }
            Some(new) => *new,
            None => {
                let new = GlobalData { storage, ty: array, interface: None, ..data.clone() };
                let new = self.l.new.globals.push(new);
                self.l.globals.insert(g, new);
                new
            }
        };
        let address = self.b().address_of(new, array, storage);
        self.add_memory(v, address, elem, size);
    }

    fn value(&mut self, v: Value) -> Value {
        if let Some(new) = self.values.get(&v) {
            return *new;
        }
        let data = &self.old.values[v];
        let new = match data.def {
            ValueDef::Const(c) => self.b().constant(c),
            _ => {
                if self.places.contains_key(&v) {
                    self.refuse("an address that is used as a value");
                }
                self.b().undef(data.ty)
            }
        };
        self.values.insert(v, new);
        new
    }

    fn copy_block(&mut self, from: Block, to: Block) {
        let outer = std::mem::replace(&mut self.block, to);
        let old = self.old;
        for i in &old.blocks[from].insts {
            self.inst(&old.insts[*i]);
        }
        self.block = outer;
    }

    fn ty(&self, v: Value) -> Type {
        self.old.values[v].ty
    }

    fn pointee(&self, v: Value) -> Option<(Type, StorageClass)> {
        self.l.old.ctx.types.pointee(self.ty(v))
    }

    fn inst(&mut self, d: &'a InstData) {
        // Stores name the address first, too.
        if let Some(v) = d.id(0)
            && let ValueDef::Global(g) = self.old.values[v].def
            && self.l.old.globals[g].builtin.is_none()
            && !self.places.contains_key(&v)
        {
            self.global(v, g);
        }
        let place = d.id(0).and_then(|v| self.places.get(&v)).cloned();
        match (d.op, place) {
            (Opcode::Selection | Opcode::Switch | Opcode::Loop, _) => self.structured(d),
            (Opcode::Op(op), Some(place)) => self.on_place(op, place, d),
            (Opcode::Op(op), None) => self.op(op, d),
            (Opcode::Ext(ExtSet::OpenCl, n), _) => self.ext(n, d),
            (Opcode::Ext(set, _), _) => self.refuse(format!("instructions of {}", set.name())),
            _ => self.plain(d),
        }
    }

    fn structured(&mut self, d: &'a InstData) {
        let mut new = InstData::new(d.op, [], d.span);
        for o in &d.operands {
            new.operands.push(match *o {
                Operand::Id(v) => Operand::Id(self.value(v)),
                other => other,
            });
        }
        let mut blocks = Vec::new();
        for r in &d.regions {
            let (region, block) = self.f.make_region();
            new.regions.push(region);
            for arg in &self.old.blocks[self.old.block_of(*r)].args {
                let v = self.f.add_arg(block, self.ty(*arg));
                self.values.insert(*arg, v);
            }
            blocks.push((self.old.block_of(*r), block));
        }
        let types: Vec<Type> = d.results.iter().map(|v| self.ty(*v)).collect();
        if types.iter().any(|t| self.l.old.ctx.types.pointee(*t).is_some()) {
            self.refuse("an address that is chosen at run time");
        }
        let inst = self.b().append(new, &types);
        for (from, to) in blocks {
            self.copy_block(from, to);
        }
        for (i, old) in d.results.iter().enumerate() {
            let v = self.f.insts[inst].results[i];
            self.values.insert(*old, v);
        }
    }

    /// An instruction that stays what it is, but for scopes and semantics.
    fn plain(&mut self, d: &InstData) {
        let kinds = match d.op {
            Opcode::Op(op) => op_table::op(op).map_or(&[][..], |r| r.operands()),
            _ => &[],
        };
        let mut new = InstData::new(d.op, [], d.span);
        for (i, o) in d.operands.iter().enumerate() {
            let kind = kinds.get(i).map(|k| k.kind);
            new.operands.push(match *o {
                Operand::Id(v) if matches!(kind, Some(Kind::IdScope | Kind::IdMemorySemantics)) => {
                    let bits =
                        self.old.as_const(v).and_then(|c| self.l.old.ctx.consts.bits(c)).unwrap_or(0) as u32;
                    let bits = if kind == Some(Kind::IdScope) { bits.max(1) } else { semantics(bits) };
                    Operand::Id(self.b().u32(bits))
                }
                Operand::Id(v) => Operand::Id(self.value(v)),
                other => other,
            });
        }
        let result = d.result().map(|v| self.ty(v));
        let inst = self.b().append(new, result.as_slice());
        if let (Some(old), Some(new)) = (d.result(), self.f.insts[inst].result()) {
            self.values.insert(old, new);
        }
    }

    /// The size in bytes of an object as kernels lay it out.
    fn natural_size(&self, ty: Type) -> Option<u64> {
        match self.l.old.ctx.types.kind(ty) {
            TypeKind::Int { width, .. } | TypeKind::Float { width } => Some(u64::from(*width) / 8),
            TypeKind::Vector { elem, len } => {
                Some(self.natural_size(*elem)? * u64::from(if *len == 3 { 4 } else { *len }))
            }
            TypeKind::Array { elem, len, .. } => self.natural_size(*elem)?.checked_mul(u64::from(*len)),
            TypeKind::Struct(s) => {
                let (mut end, mut align) = (0u64, 1);
                for m in &s.members {
                    let a = self.natural_align(m.ty)?;
                    end = end.next_multiple_of(a) + self.natural_size(m.ty)?;
                    align = align.max(a);
                }
                (!self.l.old.packed.contains(&ty)).then(|| end.next_multiple_of(align))
            }
            _ => None,
        }
    }

    fn natural_align(&self, ty: Type) -> Option<u64> {
        match self.l.old.ctx.types.kind(ty) {
            TypeKind::Array { elem, .. } => self.natural_align(*elem),
            TypeKind::Struct(s) => {
                s.members.iter().map(|m| self.natural_align(m.ty)).try_fold(1, |a, b| Some(a.max(b?)))
            }
            _ => self.natural_size(ty),
        }
    }

    fn on_place(&mut self, op: Op, mut place: Place, d: &InstData) {
        match op {
            Op::Bitcast | Op::CopyObject if d.result().is_some_and(|r| self.pointee(r).is_some()) => {
                if let Some(r) = d.result() {
                    self.places.insert(r, place);
                }
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let Some((mut object, _)) = d.id(0).and_then(|v| self.pointee(v)) else { return };
                for (n, index) in d.ids().skip(1).enumerate() {
                    let known = self.old.as_const(index).and_then(|c| self.l.old.ctx.consts.bits(c));
                    if n > 0 {
                        if let (TypeKind::Struct(s), Some(k)) = (self.l.old.ctx.types.kind(object), known) {
                            let mut at = 0u64;
                            for (i, m) in s.members.iter().enumerate() {
                                let Some((a, size)) = self.natural_align(m.ty).zip(self.natural_size(m.ty))
                                else {
                                    self.refuse("a struct with members of this type");
                                    return;
                                };
                                at = at.next_multiple_of(a);
                                if i as u64 == k {
                                    break;
                                }
                                at += size;
                            }
                            place.constant = place.constant.wrapping_add(at);
                            object = s.members.get(k as usize).map_or(object, |m| m.ty);
                            continue;
                        }
                        match self.l.old.ctx.types.element(object, 0) {
                            Some(t) => object = t,
                            None => return self.refuse("an address computation"),
                        }
                    }
                    let Some(size) = self.natural_size(object) else {
                        return self.refuse("an address computation");
                    };
                    let width = self.l.old.ctx.types.width_of(self.ty(index)).unwrap_or(64);
                    match known {
                        Some(k) => {
                            let shift = 64 - u32::from(width);
                            let k = ((k << shift) as i64 >> shift) as u64;
                            place.constant = place.constant.wrapping_add(k.wrapping_mul(size));
                        }
                        None => {
                            let index = self.narrow(index);
                            place.terms.push((index, size));
                        }
                    }
                }
                if let Some(r) = d.result() {
                    self.places.insert(r, place);
                }
            }
            Op::Load => {
                let Some(result) = d.result() else { return };
                let v = self.load(&place, self.ty(result));
                if let Some(v) = v {
                    self.values.insert(result, v);
                }
            }
            Op::Store => {
                let Some(old) = d.id(1) else { return };
                self.buffers[place.buffer].written = true;
                let v = self.value(old);
                let ty = self.ty(old);
                self.store(&place, ty, v);
            }
            _ if op_table::op(op).is_some_and(|r| r.class() == "Atomic") => {
                self.buffers[place.buffer].written = true;
                let Some((object, _)) = d.id(0).and_then(|v| self.pointee(v)) else { return };
                if object != self.buffers[place.buffer].elem {
                    return self.refuse("an atomic operation on memory that is used for other types, too");
                }
                let Some(p) = self.element(&place, 0) else { return };
                // The address is known by another name while the instruction is copied.
                let old = d.operands[0];
                if let Operand::Id(v) = old {
                    self.places.remove(&v);
                    self.values.insert(v, p);
                    self.plain(d);
                    self.values.remove(&v);
                    self.places.insert(v, place);
                }
            }
            _ => self.refuse(format!("Op{op:?} on an address of global memory")),
        }
    }

    /// An index in 32 bits: buffers are no larger.
    fn narrow(&mut self, index: Value) -> Value {
        let v = self.value(index);
        let ty = self.f.values[v].ty;
        if self.l.new.ctx.types.width_of(ty) == Some(32) {
            return v;
        }
        if let Some(source) = self.widened(v) {
            return source;
        }
        let word = self.l.new.ctx.types.u32();
        // Narrower indices have signs in LLVM.
        let op = if self.l.new.ctx.types.width_of(ty) == Some(64) { Op::UConvert } else { Op::SConvert };
        self.b().op(op, word, &[v])
    }

    /// The 32-bit integer that a 64-bit one has the value of, if that is known.
    fn zero_extended(&mut self, v: Value) -> Option<Value> {
        if let Some(c) = self.f.as_const(v) {
            let wide =
                *self.l.new.ctx.types.kind(self.f.values[v].ty) == TypeKind::Int { width: 64, signed: false };
            let n = u32::try_from(self.l.new.ctx.consts.bits(c)?).ok()?;
            return wide.then(|| self.b().u32(n));
        }
        let unsigned = self.f.def_inst(v).is_some_and(|i| self.f.insts[i].op == Opcode::Op(Op::UConvert));
        let wide =
            self.l.new.ctx.types.kind(self.f.values[v].ty) == &TypeKind::Int { width: 64, signed: false };
        if unsigned && wide { self.widened(v) } else { None }
    }

    /// The 32-bit integer that a 64-bit one was made of.
    fn widened(&self, v: Value) -> Option<Value> {
        let d = &self.f.insts[self.f.def_inst(v)?];
        let source = d.id(0)?;
        let wide = matches!(d.op, Opcode::Op(Op::UConvert | Op::SConvert));
        (wide && self.l.new.ctx.types.width_of(self.f.values[source].ty) == Some(32)).then_some(source)
    }

    /// The pointer to the element so many elements behind a place.
    fn element(&mut self, place: &Place, more: u64) -> Option<Value> {
        let (address, elem, size) = {
            let b = &self.buffers[place.buffer];
            (b.address, b.elem, b.size)
        };
        if !place.constant.is_multiple_of(size) || place.terms.iter().any(|t| !t.1.is_multiple_of(size)) {
            self.refuse("memory that is used for types of different sizes");
            return None;
        }
        let word = self.l.new.ctx.types.u32();
        let constant = (place.constant / size).wrapping_add(more) as u32;
        // The number of elements is signed where the bytes were: division must keep the sign.
        let constant = if (place.constant as i64) < 0 {
            ((place.constant as i64 / size as i64) as u32).wrapping_add(more as u32)
        } else {
            constant
        };
        let mut index = None;
        for (v, stride) in place.terms.clone() {
            let mut term = v;
            if stride / size != 1 {
                let by = self.b().u32((stride / size) as u32);
                term = self.b().op(Op::IMul, word, &[v, by]);
            }
            index = Some(match index {
                None => term,
                Some(sum) => self.b().op(Op::IAdd, word, &[sum, term]),
            });
        }
        let constant_value = self.b().u32(constant);
        let index = match index {
            None => constant_value,
            Some(v) if constant == 0 => v,
            Some(v) => self.b().op(Op::IAdd, word, &[v, constant_value]),
        };
        if self.buffers[place.buffer].global.is_none() {
            return Some(self.b().access_chain(address, elem, &[index]));
        }
        let zero = self.b().u32(0);
        Some(self.b().access_chain(address, elem, &[zero, index]))
    }

    fn load(&mut self, place: &Place, ty: Type) -> Option<Value> {
        let elem = self.buffers[place.buffer].elem;
        let types = &self.l.new.ctx.types;
        let (scalar, len) = (types.scalar_of(ty), types.len_of(ty));
        if !types.is_plain(ty) || types.width_of(scalar) != types.width_of(elem) {
            self.refuse("memory that is used for types of different sizes");
            return None;
        }
        let mut parts = Vec::new();
        for n in 0..u64::from(len) {
            let p = self.element(place, n)?;
            let v = self.b().load(p);
            parts.push(if elem == scalar { v } else { self.b().op(Op::Bitcast, scalar, &[v]) });
        }
        Some(if len == 1 { parts[0] } else { self.b().op(Op::CompositeConstruct, ty, &parts) })
    }

    fn store(&mut self, place: &Place, ty: Type, v: Value) {
        let elem = self.buffers[place.buffer].elem;
        let types = &self.l.new.ctx.types;
        let (scalar, len) = (types.scalar_of(ty), types.len_of(ty));
        if !types.is_plain(ty) || types.width_of(scalar) != types.width_of(elem) {
            return self.refuse("memory that is used for types of different sizes");
        }
        for n in 0..u64::from(len) {
            let Some(p) = self.element(place, n) else { return };
            let part = if len == 1 { v } else { self.b().extract(v, scalar, &[n as u32]) };
            let part = if elem == scalar { part } else { self.b().op(Op::Bitcast, elem, &[part]) };
            self.b().store(p, part);
        }
    }

    fn op(&mut self, op: Op, d: &InstData) {
        let system = d.id(0).and_then(|v| match self.old.values[v].def {
            ValueDef::Global(g) => self.l.old.globals[g].builtin,
            _ => None,
        });
        match (op, system) {
            (Op::Load, Some(b)) => self.system_value(b, d),
            (Op::Load | Op::Store, None) => {
                let keep = if op == Op::Load { 1 } else { 2 };
                let mut new = d.clone();
                new.operands.truncate(keep);
                self.plain(&new);
            }
            (Op::UConvert | Op::SConvert, _) => {
                let (Some(v), Some(r)) = (d.id(0), d.result()) else { return };
                let new = self.value(v);
                match self.widened(new) {
                    Some(source) if self.f.values[source].ty == self.ty(r) => {
                        self.values.insert(r, source);
                    }
                    _ => self.plain(d),
                }
            }
            (Op::CompositeExtract, _) => {
                // A component of what was just put together is the component: this keeps indices narrow.
                let (Some(v), Some(r)) = (d.id(0), d.result()) else { return };
                let new = self.value(v);
                let made = self.f.def_inst(new).map(|i| &self.f.insts[i]);
                let part =
                    made.filter(|i| i.op == Opcode::Op(Op::CompositeConstruct) && d.operands.len() == 2);
                match part.and_then(|i| i.id(d.literal(1)? as usize)) {
                    Some(part) if self.f.values[part].ty == self.ty(r) => {
                        self.values.insert(r, part);
                    }
                    _ => self.plain(d),
                }
            }
            (Op::Variable, _) => {
                let Some((pointee, r)) = d.result().and_then(|r| Some((self.pointee(r)?.0, r))) else {
                    return;
                };
                let name = self.old.values[r].name.clone();
                if self.l.old.ctx.types.is_bool(pointee) {
                    let v = self.b().variable(pointee, name.as_deref());
                    self.values.insert(r, v);
                    return;
                }
                let Some((elem, size, array)) = self.array_of(r, pointee) else { return };
                let v = self.b().variable(array, name.as_deref());
                self.add_memory(r, v, elem, size);
            }
            (
                Op::IEqual
                | Op::INotEqual
                | Op::ULessThan
                | Op::ULessThanEqual
                | Op::UGreaterThan
                | Op::UGreaterThanEqual
                | Op::BitwiseAnd,
                _,
            ) => {
                // Sizes have 64 bits in kernels; what was 32 bits wide before is compared and masked as such.
                let (Some(a), Some(b), Some(r)) = (d.id(0), d.id(1), d.result()) else { return };
                let (a, b) = (self.value(a), self.value(b));
                let (Some(a), Some(b)) = (self.zero_extended(a), self.zero_extended(b)) else {
                    self.plain(d);
                    return;
                };
                let (ty, word) = (self.ty(r), self.l.new.ctx.types.u32());
                let v = if op == Op::BitwiseAnd {
                    let v = self.b().op(op, word, &[a, b]);
                    self.b().op(Op::UConvert, ty, &[v])
                } else {
                    self.b().op(op, ty, &[a, b])
                };
                self.values.insert(r, v);
            }
            (Op::Ordered | Op::Unordered, _) => {
                let (Some(a), Some(b), Some(r)) = (d.id(0), d.id(1), d.result()) else { return };
                let (a, b, ty) = (self.value(a), self.value(b), self.ty(r));
                let (a, b) = (self.b().op(Op::IsNan, ty, &[a]), self.b().op(Op::IsNan, ty, &[b]));
                let mut v = self.b().op(Op::LogicalOr, ty, &[a, b]);
                if op == Op::Ordered {
                    v = self.b().op(Op::LogicalNot, ty, &[v]);
                }
                self.values.insert(r, v);
            }
            _ => {
                let pointers = d.result().is_some_and(|r| self.pointee(r).is_some());
                let kernel = op_table::op(op).is_some_and(|r| {
                    let list: Vec<_> = r.capabilities().collect();
                    !list.is_empty()
                        && list
                            .iter()
                            .all(|c| matches!(c, spirv::Capability::Kernel | spirv::Capability::Addresses))
                });
                if pointers || kernel {
                    self.refuse(format!("Op{op:?}"));
                    return;
                }
                let mut new = d.clone();
                new.decorations.clear();
                self.plain(&new);
            }
        }
    }

    fn word_constant(&mut self, n: u32) -> Const {
        self.l.new.ctx.u32(n)
    }

    fn input(&mut self, b: BuiltIn) -> Value {
        let (word, found) =
            (self.l.new.ctx.types.u32(), self.l.new.globals.iter().find(|g| g.1.builtin == Some(b)));
        let found = found.map(|g| g.0);
        let ty = if b == BuiltIn::LocalInvocationIndex { word } else { self.l.new.ctx.types.vector(word, 3) };
        let storage = StorageClass::Input;
        let g = found.unwrap_or_else(|| {
            self.l.new.globals.push(GlobalData {
                name: format!("{b:?}"),
                ty,
                storage,
                init: None,
                builtin: Some(b),
                interface: None,
                span: Span::default(),
            })
        });
        let p = self.b().address_of(g, ty, storage);
        self.b().load(p)
    }

    fn system_value(&mut self, b: BuiltIn, d: &InstData) {
        use BuiltIn::*;
        let Some(r) = d.result() else { return };
        let word = self.l.new.ctx.types.u32();
        let three = self.l.new.ctx.types.vector(word, 3);
        let size = self.local_size.map(|n| self.word_constant(n)).to_vec();
        let size = self.l.new.ctx.constant(three, ConstKind::Composite(size));
        let v = match b {
            GlobalInvocationId | LocalInvocationId | WorkgroupId | NumWorkgroups | LocalInvocationIndex => {
                self.input(b)
            }
            WorkgroupSize | EnqueuedWorkgroupSize => self.b().constant(size),
            GlobalSize => {
                let (groups, size) = (self.input(NumWorkgroups), self.b().constant(size));
                self.b().op(Op::IMul, three, &[groups, size])
            }
            GlobalOffset => self.b().null(three),
            _ => {
                self.refuse(format!("the system value {b:?}"));
                return;
            }
        };
        // Components are extracted one by one, so that none has 64 bits for long.
        let ty = self.ty(r);
        let (narrow, wide) = (self.f.values[v].ty, self.l.new.ctx.types.scalar_of(ty));
        let v = if narrow == ty {
            v
        } else if self.l.new.ctx.types.len_of(ty) == 3 {
            let parts: Vec<Value> = (0..3)
                .map(|i| {
                    let part = self.b().extract(v, word, &[i]);
                    self.b().op(Op::UConvert, wide, &[part])
                })
                .collect();
            self.b().op(Op::CompositeConstruct, ty, &parts)
        } else {
            self.b().op(Op::UConvert, ty, &[v])
        };
        self.values.insert(r, v);
    }

    fn ext(&mut self, number: u32, d: &InstData) {
        let Some(r) = d.result() else { return };
        let ids: Vec<Value> = d.ids().map(|v| self.value(v)).collect();
        let (cl, ty) = (Cl::from_u32(number), self.ty(r));
        let row = cl.and_then(|cl| ROWS.iter().find(|r| r.0 == cl));
        let wide = self.l.new.ctx.types.width_of(ty);
        match row {
            Some((_, op)) if !(wide == Some(64) && self.l.new.ctx.types.is_float(ty)) => {
                let v = self.b().op(Opcode::glsl(*op), ty, &ids);
                self.values.insert(r, v);
            }
            _ => {
                let name = cl.map_or(number.to_string(), |c| format!("{c:?}"));
                self.refuse(format!("the function {name}"));
            }
        }
    }
}

/// Memory semantics of shaders.
fn semantics(bits: u32) -> u32 {
    let order = match bits & 0x1e {
        0 => 0,
        16 => 8,
        order => order,
    };
    let memory = bits & 0x900 | if bits & 0x200 != 0 { 0x40 } else { 0 };
    // An order without memory has no effect, and memory without an order is not allowed.
    if order == 0 || memory == 0 { 0 } else { order | memory }
}
