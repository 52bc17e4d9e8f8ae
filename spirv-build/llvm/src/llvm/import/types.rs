//! Types.

use super::Import;
use super::raw::{Kind, Ty};
use crate::ir::{BuiltIn, Member, Op, OpaqueType, StorageClass, StructType, Type, TypeKind};

/// How deep types may be nested.
const MAX_DEPTH: usize = 64;

/// The storage class of an address space.
pub(super) fn storage(space: u32) -> Result<StorageClass, String> {
    Ok(match space {
        0 => StorageClass::Function,
        1 => StorageClass::CrossWorkgroup,
        2 => StorageClass::UniformConstant,
        3 => StorageClass::Workgroup,
        4 => StorageClass::Generic,
        5 => StorageClass::DeviceOnlyINTEL,
        6 => StorageClass::HostOnlyINTEL,
        7 => StorageClass::Input,
        _ => return Err(format!("the address space {space}")),
    })
}

/// A system value by its name in SPIR-V.
pub(super) fn builtin(name: &str) -> Option<BuiltIn> {
    name.parse().ok()
}

/// The integer that one of `width` bits lives in.
pub(super) fn container(width: u32) -> Option<u8> {
    match width {
        0 => None,
        1..=8 => Some(8),
        9..=16 => Some(16),
        17..=32 => Some(32),
        33..=64 => Some(64),
        _ => None,
    }
}

impl<'m> Import<'m, '_> {
    /// The type of a value.
    pub fn ty(&mut self, t: Ty<'m>) -> Result<Type, String> {
        self.ty_at(t, 0)
    }

    /// The type of an object in memory: a single bit takes a byte there.
    pub fn memory_type(&mut self, t: Ty<'m>) -> Result<Type, String> {
        let ty = self.ty(t)?;
        let types = &mut self.out.ctx.types;
        Ok(match *types.kind(ty) {
            TypeKind::Bool => types.int(8, false),
            TypeKind::Vector { elem, len } if types.is_bool(elem) => {
                types.int(if len > 8 { 16 } else { 8 }, false)
            }
            _ => ty,
        })
    }

    fn ty_at(&mut self, t: Ty<'m>, depth: usize) -> Result<Type, String> {
        if let Some(ty) = self.types.get(&t) {
            return Ok(*ty);
        }
        if depth > MAX_DEPTH {
            return Err("a type that is nested too deeply".into());
        }
        let ty = match t.kind() {
            Kind::Void => self.out.ctx.types.void(),
            Kind::Float(width) => self.out.ctx.types.float(width),
            Kind::Int(1) => self.out.ctx.types.bool(),
            Kind::Int(width) => match container(width) {
                Some(width) => self.out.ctx.types.int(width, false),
                None => return Err(format!("an integer of {width} bits")),
            },
            Kind::Pointer(space) => self.byte_pointer(storage(space)?),
            Kind::Vector(elem, n) => {
                let scalar = matches!(elem.kind(), Kind::Int(_) | Kind::Float(_));
                if !scalar || !matches!(n, 1 | 2 | 3 | 4 | 8 | 16) {
                    return Err(format!("the type {}", t.print()));
                }
                let elem = self.ty_at(elem, depth + 1)?;
                self.out.ctx.types.vector(elem, n as u8)
            }
            Kind::Array(elem, n) => {
                let elem = self.ty_at(elem, depth + 1)?;
                match u32::try_from(n) {
                    Ok(len @ 1..) => self.out.ctx.types.intern(TypeKind::Array { elem, len, stride: None }),
                    _ => return Err(format!("the type {}", t.print())),
                }
            }
            Kind::Struct { opaque: true, name, .. } => return Err(format!("the opaque type {name}")),
            Kind::Struct { members, packed, name, .. } => {
                let mut out = Vec::new();
                for m in members {
                    let ty = self.ty_at(m, depth + 1)?;
                    out.push(Member::new("", ty));
                }
                let mut s = StructType::new(name, out);
                if packed {
                    s.decorations.mark(spirv_spec::Decoration::CPacked);
                }
                self.out.ctx.types.intern(TypeKind::Struct(s))
            }
            Kind::Extension { name, types, ints } => self.extension(&name, &types, &ints)?,
            Kind::Other(text) => return Err(format!("the type {text}")),
        };
        self.types.insert(t, ty);
        Ok(ty)
    }

    /// A target extension type: an opaque type of SPIR-V.
    fn extension(&mut self, name: &str, types: &[Ty<'m>], ints: &[u32]) -> Result<Type, String> {
        let unknown = || format!("the type {name}");
        let short = name.strip_prefix("spirv.").ok_or_else(unknown)?;
        let op = match short {
            "Image" => Op::TypeImage,
            "SampledImage" => Op::TypeSampledImage,
            "Sampler" => return Ok(self.out.ctx.types.intern(TypeKind::Sampler)),
            "Event" => Op::TypeEvent,
            "DeviceEvent" => Op::TypeDeviceEvent,
            "Queue" => Op::TypeQueue,
            "ReserveId" => Op::TypeReserveId,
            "Pipe" => Op::TypePipe,
            "PipeStorage" => Op::TypePipeStorage,
            _ => return Err(unknown()),
        };
        let mut parts = Vec::new();
        if matches!(op, Op::TypeImage | Op::TypeSampledImage) {
            let sampled = match types {
                [t] => self.ty(*t)?,
                _ => self.out.ctx.types.void(),
            };
            if ints.len() < 6 {
                return Err(unknown());
            }
            let image = OpaqueType { op: Op::TypeImage, types: vec![sampled], words: ints.to_vec() };
            let image = self.out.ctx.types.intern(TypeKind::Opaque(image));
            if op == Op::TypeImage {
                return Ok(image);
            }
            parts.push(image);
        }
        let words = if parts.is_empty() { ints.to_vec() } else { Vec::new() };
        Ok(self.out.ctx.types.intern(TypeKind::Opaque(OpaqueType { op, types: parts, words })))
    }

    /// The pointer to bytes that stands for every pointer of an address space.
    pub fn byte_pointer(&mut self, storage: StorageClass) -> Type {
        let byte = self.out.ctx.types.int(8, false);
        self.out.ctx.types.pointer(byte, storage)
    }

    /// The integer of the width of an address.
    pub fn size_type(&mut self) -> Type {
        self.out.ctx.types.int(if self.wide { 64 } else { 32 }, false)
    }
}
