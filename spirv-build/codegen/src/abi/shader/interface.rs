//! What the host needs to know of kernels from LLVM IR.
//!
//! LLVM's integers have no signs; where the source's types are known (`kernel_arg_type`) theirs count, otherwise integers are
//! unsigned.

use super::{Resource as Shader, ResourceKind as Kind};
use crate::ir::resource_order;
use crate::ir::{BufferAccess, Global, Module, ResourceClass, ScalarKind, Type, TypeKind};
use spirv_interface::{
    Binding, ClEntry, CpuEntry, EntryPoint, Interface, Member, Resource, ResourceKind, Scalar, Struct,
    Type as Host,
};

/// Describes shaders that `abi::vulkan` has bound. None if a type has no form on the host.
pub fn build(module: &Module, resources: &[Shader]) -> Option<Interface> {
    let mut out = Interface::default();
    let order = resource_order(module);
    let slot = |g: Global| order.iter().position(|o| *o == g).map(|n| n as u32);
    for g in &order {
        let data = &module.globals[*g];
        let (interface, found) = (data.interface.as_ref()?, resources.iter().find(|r| r.global == *g)?);
        let (kind, size) = match &found.kind {
            Kind::Buffer { elem, declared, .. } => {
                let (elem, stride) = element(module, *elem, *declared)?;
                (ResourceKind::Buffer { elem, stride }, 0)
            }
            Kind::Local { elem, declared, .. } => {
                let (elem, stride) = element(module, *elem, *declared)?;
                (ResourceKind::Local { elem, stride }, 0)
            }
            Kind::Constants(members, size) => {
                let members = members.iter().map(|(name, ty, offset, declared)| {
                    let ty = host(module, *ty, *declared)?;
                    let text = spelling(&ty);
                    Some(Member { name: identifier(name), offset: *offset, ty, line: 1, hlsl: text })
                });
                let members = members.collect::<Option<Vec<_>>>()?;
                let name = identifier(&data.name);
                out.structs.push(Struct { name, size: *size, align: 4, members });
                (ResourceKind::Constants(out.structs.len() as u32 - 1), *size)
            }
        };
        let binding = match (&found.kind, interface.class, interface.binding) {
            (Kind::Buffer { address: Some((block, offset)), .. }, ..) => {
                Binding::Address { block: slot(*block)?, offset: *offset }
            }
            (Kind::Local { elem, id, .. }, ..) => {
                Binding::Length { id: *id, unit: module.ctx.types.size(*elem)? }
            }
            (_, ResourceClass::PushConstant, _) => Binding::PushConstant { offset: 0, size },
            (_, _, Some((set, binding))) => Binding::Descriptor { set, binding },
            _ => return None,
        };
        let writable = interface.access == BufferAccess::ReadWrite;
        let (name, hlsl) = (identifier(&data.name), interface.spelling.clone());
        // Each kernel has one block of constants: its struct has a name of its own, its argument need not.
        let name = if matches!(kind, ResourceKind::Constants(_)) { "params".to_string() } else { name };
        out.resources.push(Resource { name, line: 1, writable, binding, kind, hlsl });
    }
    for (i, e) in module.entry_points.iter().enumerate() {
        // Parameters that nothing uses are arguments of the launch all the same.
        let own = |g: &Global| resources.iter().any(|r| r.global == *g && r.entry == i);
        let slots: Vec<u32> = (0..).zip(&order).filter(|(_, g)| own(g)).map(|(i, _)| i).collect();
        let reached = |r: u32| order.get(r as usize).is_some_and(|g| e.interface.contains(g));
        // An address is used if the block is that has it; local memory has a length either way.
        let unused =
            slots.iter().copied().filter(|r| match out.resources.get(*r as usize).map(|r| r.binding) {
                Some(Binding::Address { block, .. }) => !reached(block),
                Some(Binding::Length { .. }) => false,
                _ => !reached(*r),
            });
        out.entries.push(EntryPoint {
            name: e.name.clone(),
            local_size: e.local_size,
            unused: unused.collect(),
            optional: Vec::new(),
            resources: slots,
            cl: ClEntry::Absent,
            cl_memory: ClEntry::Absent,
            wave: None,
            samples: Vec::new(),
            cpu: CpuEntry::Absent,
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

/// The host's element of memory that a module uses in words: what the source declares, if it is known.
fn element(module: &Module, word: Type, declared: Option<ScalarKind>) -> Option<(Host, u32)> {
    let scalar = match declared.and_then(scalar_of) {
        Some(scalar) => scalar,
        None => match host(module, word, None)? {
            Host::Scalar(scalar) => scalar,
            _ => return None,
        },
    };
    Some((Host::Scalar(scalar), scalar.size()))
}

fn scalar_of(kind: ScalarKind) -> Option<Scalar> {
    Some(match kind {
        ScalarKind::Signed(8) => Scalar::I8,
        ScalarKind::Signed(16) => Scalar::I16,
        ScalarKind::Signed(32) => Scalar::I32,
        ScalarKind::Signed(64) => Scalar::I64,
        ScalarKind::Unsigned(8) => Scalar::U8,
        ScalarKind::Unsigned(16) => Scalar::U16,
        ScalarKind::Unsigned(32) => Scalar::U32,
        ScalarKind::Unsigned(64) => Scalar::U64,
        ScalarKind::Float(16) => Scalar::F16,
        ScalarKind::Float(32) => Scalar::F32,
        ScalarKind::Float(64) => Scalar::F64,
        _ => return None,
    })
}

fn host(module: &Module, ty: Type, declared: Option<ScalarKind>) -> Option<Host> {
    let own = match *module.ctx.types.kind(module.ctx.types.scalar_of(ty)) {
        TypeKind::Int { width, .. } => ScalarKind::Unsigned(width),
        TypeKind::Float { width } => ScalarKind::Float(width),
        _ => return None,
    };
    // What the source says counts if it is of the same kind and width: a `float` may be passed as an integer.
    let scalar = match (own, declared) {
        (ScalarKind::Unsigned(a), Some(ScalarKind::Signed(b))) if a == b => ScalarKind::Signed(a),
        _ => own,
    };
    let scalar = scalar_of(scalar)?;
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
