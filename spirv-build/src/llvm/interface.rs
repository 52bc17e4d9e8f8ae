//! What the host needs to know of kernels from LLVM IR.
//!
//! LLVM's integers have no signs, so their types are the unsigned ones.

use crate::abi::resource_order;
use crate::abi::shader::{Resource as Shader, ResourceKind as Kind};
use crate::ir::{BufferAccess, Module, ResourceClass, Type, TypeKind};
use spirv_interface::{
    Binding, EntryPoint, Interface, Member, Resource, ResourceKind, Scalar, Struct, Type as Host,
};

/// Describes shaders that `abi::vulkan` has bound. None if a type has no form on the host.
pub fn build(module: &Module, resources: &[Shader]) -> Option<Interface> {
    let mut out = Interface::default();
    let order = resource_order(module);
    for g in &order {
        let data = &module.globals[*g];
        let (interface, found) = (data.interface.as_ref()?, resources.iter().find(|r| r.global == *g)?);
        let (kind, size) = match &found.kind {
            Kind::Buffer(elem) => (
                ResourceKind::Buffer { elem: host(module, *elem)?, stride: module.ctx.types.size(*elem)? },
                0,
            ),
            Kind::Constants(members, size) => {
                let members = members.iter().map(|(name, ty, offset)| {
                    let ty = host(module, *ty)?;
                    let text = spelling(&ty);
                    Some(Member { name: identifier(name), offset: *offset, ty, line: 1, hlsl: text })
                });
                let members = members.collect::<Option<Vec<_>>>()?;
                let name = identifier(&data.name);
                out.structs.push(Struct { name, size: *size, align: 4, members });
                (ResourceKind::Constants(out.structs.len() as u32 - 1), *size)
            }
        };
        let binding = match (interface.class, interface.binding) {
            (ResourceClass::PushConstant, _) => Binding::PushConstant { offset: 0, size },
            (_, Some((set, binding))) => Binding::Descriptor { set, binding },
            _ => return None,
        };
        let writable = interface.access == BufferAccess::ReadWrite;
        let (name, hlsl) = (identifier(&data.name), interface.spelling.clone());
        let name = if matches!(kind, ResourceKind::Constants(_)) { name.to_lowercase() } else { name };
        out.resources.push(Resource { name, line: 1, writable, binding, kind, hlsl });
    }
    for e in &module.entry_points {
        let slots = order.iter().enumerate().filter(|(_, g)| e.interface.contains(g));
        out.entries.push(EntryPoint {
            name: e.name.clone(),
            local_size: e.local_size,
            resources: slots.map(|(i, _)| i as u32).collect(),
            cl_args: Vec::new(),
            cpu: None,
        });
    }
    Some(out)
}

/// A name of LLVM as Rust writes it.
fn identifier(name: &str) -> String {
    let mut out: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if out.is_empty() || out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

fn host(module: &Module, ty: Type) -> Option<Host> {
    let scalar = match module.ctx.types.kind(module.ctx.types.scalar_of(ty)) {
        TypeKind::Int { width: 8, .. } => Scalar::U8,
        TypeKind::Int { width: 16, .. } => Scalar::U16,
        TypeKind::Int { width: 32, .. } => Scalar::U32,
        TypeKind::Int { width: 64, .. } => Scalar::U64,
        TypeKind::Float { width: 16 } => Scalar::F16,
        TypeKind::Float { width: 32 } => Scalar::F32,
        TypeKind::Float { width: 64 } => Scalar::F64,
        _ => return None,
    };
    Some(match module.ctx.types.len_of(ty) {
        1 => Host::Scalar(scalar),
        n => Host::Vector(scalar, u32::from(n)),
    })
}

fn spelling(ty: &Host) -> String {
    match ty {
        Host::Scalar(s) => s.name().to_string(),
        Host::Vector(s, n) => format!("<{n} x {}>", s.name()),
        _ => String::new(),
    }
}
