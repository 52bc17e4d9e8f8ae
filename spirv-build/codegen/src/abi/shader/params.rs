//! What the host passes: parameters of kernels as resources of shaders.

use super::Argument;
use super::body::Body;
use super::classes::Form;
use super::memory::Access;
use super::place::Place;
use crate::ir::{
    BufferAccess, ConstKind, Declared, Extent, GlobalData, Interface, KernelArg, Member as StructMember,
    ResourceClass, ScalarKind, StorageClass, StructType, Type, TypeKind, Value,
};
use std::sync::Arc;

/// Number of the first specialization constant that is the length of local memory.
const FIRST_LENGTH: u32 = 100;

/// Numbers of a struct that is passed by value.
const MAX_LEAVES: usize = 256;

/// A member of the block of constants.
struct Constant {
    param: usize,
    name: String,
    ty: Type,
    offset: u32,
    kind: Member,
}

/// What a member of that block is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    /// A parameter.
    Value,
    /// The address of a buffer.
    Address,
    /// The bytes of that buffer.
    Size,
    /// A number of a struct, so many bytes behind its start.
    Part(u64),
}

/// A member without matrix.
fn member(name: &str, ty: Type, offset: u32) -> StructMember {
    StructMember { offset: Some(offset), ..StructMember::new(name, ty) }
}

/// A declaration of which the source spells the type.
fn spelled(spelling: &str) -> Declared {
    Declared { spelling: spelling.to_string(), ..Declared::default() }
}

impl Body<'_, '_> {
    fn interface(class: ResourceClass, writable: bool, declared: Declared) -> Option<Interface> {
        let access = if writable { BufferAccess::ReadWrite } else { BufferAccess::Read };
        let declared = Some(Arc::new(declared));
        Some(Interface { parameter: true, declared, ..Interface::new(class, access) })
    }

    /// Makes the resources of all parameters.
    pub fn parameters(&mut self, several: bool) {
        let args = &self.old.args;
        let (mut constants, mut end) = (Vec::new(), 0u32);
        let mut list = vec![None; self.old.params.len()];
        for (n, &p) in self.old.params.iter().enumerate() {
            let data = &self.old.values[p];
            let arg = args.get(n).cloned().unwrap_or_default();
            let name = Some(arg.name.clone()).filter(|n| !n.is_empty());
            let name = name
                .or_else(|| data.name.as_deref().map(String::from))
                .filter(|n| !n.is_empty())
                .unwrap_or_else(|| format!("arg{n}"));
            match self.l.old.ctx.types.pointee(data.ty) {
                Some((_, StorageClass::CrossWorkgroup | StorageClass::UniformConstant)) => {
                    list[n] = self.buffer(p, n, name, &arg, &mut constants, &mut end);
                }
                Some((_, StorageClass::Workgroup)) => list[n] = self.local(p, name, &arg),
                // A struct by value.
                Some((object, StorageClass::Function)) => {
                    self.struct_members(n, &name, object, &mut constants, &mut end);
                }
                Some(_) => self.refuse(format!("the parameter `{name}`, a pointer to this kind of memory")),
                None => self.constant_member(n, name, data.ty, &mut constants, &mut end),
            }
        }
        self.block_of_constants(several, constants, end, &mut list);
        self.l.arguments.push(list.into_iter().flatten().collect());
    }

    fn constant_member(
        &mut self,
        param: usize,
        name: String,
        ty: Type,
        out: &mut Vec<Constant>,
        end: &mut u32,
    ) {
        let m = self.l.old;
        let known = super::layout::size(m, ty).zip(super::layout::align(m, ty));
        let plain = m.ctx.types.is_plain(ty) && !m.ctx.types.is_bool(ty);
        let (Some((size, align)), true) = (known, plain && !self.is_long(ty)) else {
            return self.refuse(format!("the parameter `{name}`, which is no number"));
        };
        let (size, align) = (size as u32, align as u32);
        let offset = end.next_multiple_of(align);
        *end = offset + size;
        out.push(Constant { param, name, ty, offset, kind: Member::Value });
    }

    /// A member for each number of a struct that is passed by value.
    fn struct_members(&mut self, param: usize, name: &str, ty: Type, out: &mut Vec<Constant>, end: &mut u32) {
        let m = self.l.old;
        let known = super::layout::size(m, ty).zip(super::layout::align(m, ty));
        let mut leaves = Vec::new();
        let fits = super::layout::leaves(m, ty, 0, MAX_LEAVES, &mut leaves).is_some();
        let (Some((size, align)), true) = (known, fits) else {
            return self.refuse(format!("the parameter `{name}`, a struct of more than numbers"));
        };
        let base = end.next_multiple_of(align as u32);
        *end = base + size as u32;
        for (i, (at, ty)) in leaves.into_iter().enumerate() {
            let (name, offset) = (format!("{name}_{i}"), base + at as u32);
            out.push(Constant { param, name, ty, offset, kind: Member::Part(at) });
        }
    }

    /// The block that all numbers, and the addresses of buffers, lie in.
    fn block_of_constants(
        &mut self,
        several: bool,
        constants: Vec<Constant>,
        end: u32,
        list: &mut [Option<Argument>],
    ) {
        if constants.is_empty() {
            return;
        }
        let size = end.next_multiple_of(4);
        let name = if several { format!("{}Params", self.l.e.name) } else { "Params".to_string() };
        let members = constants.iter().map(|c| StructMember {
            declared: self.sign(c).map(|scalar| {
                Arc::new(Declared { scalar: Some(scalar), span: self.old.span, ..Declared::default() })
            }),
            ..member(&c.name, c.ty, c.offset)
        });
        let s = StructType::block(name, members.collect());
        let ty = self.l.new.ctx.types.intern(TypeKind::Struct(s));
        let storage = StorageClass::Uniform;
        let declared = Declared { extent: Some(Extent { size, align: 4 }), ..spelled("parameters") };
        let global = self.l.new.globals.push(GlobalData {
            interface: Self::interface(ResourceClass::ConstantBuffer, false, declared),
            ..GlobalData::new("params", ty, storage, self.old.span)
        });
        let address = self.b().address_of(global, ty, storage);
        for (i, c) in constants.iter().enumerate().filter(|(_, c)| c.kind != Member::Size) {
            let index = self.b().u32(i as u32);
            let at = self.b().access_chain(address, c.ty, &[index]);
            let v = self.b().load(at);
            let p = self.old.params[c.param];
            if c.kind == Member::Address {
                if let Some(class) = self.classes.of(p) {
                    self.places.insert(p, Place { base: Some(v), ..Place::start(class) });
                }
                if let Some(Argument::Buffer { global: buffer }) = &list[c.param]
                    && let Some(i) = &mut self.l.new.globals[global].interface
                {
                    i.addresses.push((*buffer, c.offset));
                }
            } else if let Member::Part(at) = c.kind {
                let Some(class) = self.classes.of(p) else { continue };
                if let Some(place) = self.variable_place(p, class, None) {
                    self.store_value(&place, at, c.ty, v, Access::default());
                }
            } else {
                self.values.insert(p, v);
                let size = self.l.new.ctx.types.size(c.ty).unwrap_or(4);
                list[c.param] = Some(Argument::Part { global, offset: c.offset, size });
            }
        }
    }

    /// What the source says of a number that is passed, if it is of the same kind and width: a `float` may be passed as an integer.
    fn sign(&self, c: &Constant) -> Option<ScalarKind> {
        let declared = self.old.args.get(c.param).filter(|_| c.kind == Member::Value)?.scalar;
        let types = &self.l.old.ctx.types;
        let own = matches!(*types.kind(types.scalar_of(c.ty)), TypeKind::Int { width, .. }
            if declared == Some(ScalarKind::Signed(width)));
        declared.filter(|_| own)
    }

    fn buffer(
        &mut self,
        p: Value,
        param: usize,
        name: String,
        arg: &KernelArg,
        constants: &mut Vec<Constant>,
        end: &mut u32,
    ) -> Option<Argument> {
        let class = self.classes.of(p)?;
        let elem = self.word_of(class);
        let Some(size) = self.l.new.ctx.types.size(elem) else {
            self.refuse(format!("the parameter `{name}`, a pointer to what has no layout"));
            return None;
        };
        let c = &self.classes.list[class];
        let (written, physical) = (c.written && !arg.readonly, c.form == Form::Physical);
        let constant = matches!(self.pointee(p), Some((_, StorageClass::UniformConstant)));
        // Of several buffers that an address may be of, those are written that are not said to be constant.
        let written = written && !constant;
        let types = &mut self.l.new.ctx.types;
        let array = types.intern(TypeKind::RuntimeArray { elem, stride: Some(size) });
        let space = if constant { "constant" } else { "global" };
        let type_name = if arg.type_name.is_empty() { String::new() } else { format!("{} ", arg.type_name) };
        let declared = Declared { scalar: arg.scalar, ..spelled(format!("{space} {type_name}").trim_end()) };
        let elements = StructMember {
            declared: arg.scalar.map(|_| Arc::new(declared.clone())),
            ..member("elements", array, 0)
        };
        let s = StructType::block(format!("{name}_buffer"), vec![elements]);
        let ty = types.intern(TypeKind::Struct(s));
        let (storage, kind) = if physical {
            (StorageClass::PhysicalStorageBuffer, ResourceClass::Address)
        } else {
            (StorageClass::StorageBuffer, ResourceClass::StructuredBuffer)
        };
        let global = self.l.new.globals.push(GlobalData {
            interface: Self::interface(kind, written, declared),
            ..GlobalData::new(&name, ty, storage, self.old.span)
        });
        if physical {
            let word = self.l.new.ctx.types.int(64, false);
            let offset = end.next_multiple_of(8);
            *end = offset + 16;
            let size = format!("{name}_bytes");
            constants.push(Constant { param, name, ty: word, offset, kind: Member::Address });
            constants.push(Constant { param, name: size, ty: word, offset: offset + 8, kind: Member::Size });
        } else {
            let address = self.b().address_of(global, ty, storage);
            self.memories.insert(class, address);
            self.places.insert(p, Place::start(class));
        }
        Some(Argument::Buffer { global })
    }

    /// Memory of the work-group whose size the host chooses.
    fn local(&mut self, p: Value, name: String, arg: &KernelArg) -> Option<Argument> {
        let class = self.classes.of(p)?;
        if self.classes.list[class].roots.len() > 1 {
            self.refuse(format!("the parameter `{name}`, local memory that other addresses may be of, too"));
            return None;
        }
        let elem = self.word_of(class);
        let taken = self
            .l
            .new
            .globals
            .iter()
            .filter(|(_, g)| g.interface.as_ref().is_some_and(|i| i.class == ResourceClass::LocalMemory));
        let id = FIRST_LENGTH + taken.count() as u32;
        let ctx = &mut self.l.new.ctx;
        let word = ctx.types.u32();
        let len = ctx.constant(word, ConstKind::spec(id, 1));
        let ty = ctx.types.intern(TypeKind::SpecArray { elem, len, stride: None });
        let storage = StorageClass::Workgroup;
        let declared = Declared { scalar: arg.scalar, ..spelled(&format!("local {}", arg.type_name)) };
        let global = self.l.new.globals.push(GlobalData {
            interface: Self::interface(ResourceClass::LocalMemory, true, declared),
            ..GlobalData::new(name, ty, storage, self.old.span)
        });
        let address = self.b().address_of(global, ty, storage);
        self.memories.insert(class, address);
        self.places.insert(p, Place::start(class));
        Some(Argument::Local { global })
    }
}
