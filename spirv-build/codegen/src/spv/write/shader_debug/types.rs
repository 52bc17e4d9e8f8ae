//! Types of the source, as debug information has them.

use super::{DebugSet, IS_PUBLIC, ShaderDebug, Writer, number};
use crate::ir::debug::{DebugType, Encoding, Program, Variable};
use crate::source::Span;

/// Tag of structures.
const STRUCTURE: u32 = 1;
/// Tag of classes.
const CLASS: u32 = 0;
/// Most members of a type that are told of; an instruction has at most 65535 words.
const MAX_MEMBERS: usize = 60_000;

impl Writer<'_> {
    /// Id and size in bits of a type.
    pub(super) fn debug_type(&mut self, s: &mut ShaderDebug<'_>, ty: usize) -> (u32, u32) {
        let program = s.program;
        let made = &program.types[ty];
        let size = size(program, ty);
        if s.types[ty] != 0 {
            return (s.types[ty], size);
        }
        let id = match made {
            // As an operand of function types, nothing is the type itself.
            DebugType::Void => s.void,
            DebugType::Basic { name, bits, encoding } => {
                let name = self.debug_text(s, name);
                let encoding = match encoding {
                    Encoding::Boolean => 2,
                    Encoding::Float => 3,
                    Encoding::Signed => 4,
                    Encoding::Unsigned => 6,
                };
                let mut operands = vec![name, self.number_id(*bits), self.debug_number(s, encoding)];
                if s.kind == DebugSet::Shader {
                    // Flags, of which there are none.
                    operands.push(self.number_id(0));
                }
                self.debug_inst(s, number::TYPE_BASIC, &operands)
            }
            DebugType::Vector(of, n) => {
                let of = self.debug_type(s, *of).0;
                let n = self.debug_number(s, *n);
                self.debug_inst(s, number::TYPE_VECTOR, &[of, n])
            }
            DebugType::Matrix(of, n) | DebugType::Array(of, n) => {
                let of = self.debug_type(s, *of).0;
                let n = self.number_id(*n);
                self.debug_inst(s, number::TYPE_ARRAY, &[of, n])
            }
            DebugType::Struct { name, span, members } => self.debug_structure(s, ty, (name, *span), members),
            DebugType::Opaque(name) => {
                let (id, none) = (self.id(), self.debug_none(s));
                self.composite(s, id, (name, CLASS), Span::default(), none, &[]);
                id
            }
        };
        s.types[ty] = id;
        (id, size)
    }

    /// A structure and its members. In the older set they name each other: the structure comes first, as is allowed.
    fn debug_structure(
        &mut self,
        s: &mut ShaderDebug<'_>,
        ty: usize,
        (name, span): (&str, Span),
        members: &[Variable],
    ) -> u32 {
        let (id, parents) = (self.id(), s.kind == DebugSet::OpenCl);
        let types: Vec<(u32, u32)> = members.iter().map(|m| self.debug_type(s, m.ty)).collect();
        let ids: Vec<u32> = members.iter().map(|_| self.id()).collect();
        let bits = self.number_id(size(s.program, ty));
        if parents {
            self.composite(s, id, (name, STRUCTURE), span, bits, &ids);
        }
        let mut offset = 0u32;
        for ((m, (ty, size)), member) in members.iter().zip(types).zip(&ids) {
            let name = self.debug_text(s, &m.name);
            let mut operands = vec![name, ty];
            operands.extend(self.debug_position(s, m.span));
            operands.extend(parents.then_some(id));
            operands.extend([self.number_id(offset), self.number_id(size), self.debug_number(s, IS_PUBLIC)]);
            self.debug_inst_as(s, *member, number::TYPE_MEMBER, &operands);
            offset = offset.saturating_add(size);
        }
        if !parents {
            self.composite(s, id, (name, STRUCTURE), span, bits, &ids);
        }
        id
    }

    fn composite(
        &mut self,
        s: &mut ShaderDebug<'_>,
        id: u32,
        (name, tag): (&str, u32),
        span: Span,
        size: u32,
        members: &[u32],
    ) {
        let [source, line, column] = self.debug_position(s, span);
        // Names of links begin with this where a type has no inside.
        let link = if tag == CLASS { format!("@{name}") } else { name.to_string() };
        let (name, link) = (self.debug_text(s, name), self.debug_text(s, &link));
        let (tag, public) = (self.debug_number(s, tag), self.debug_number(s, IS_PUBLIC));
        let unit = if s.unit == 0 { self.debug_none(s) } else { s.unit };
        let mut operands = vec![name, tag, source, line, column, unit, link, size, public];
        operands.extend(members.iter().take(MAX_MEMBERS));
        self.debug_inst_as(s, id, number::TYPE_COMPOSITE, &operands);
    }
}

/// Size of a type in bits, without gaps.
fn size(program: &Program, ty: usize) -> u32 {
    match &program.types[ty] {
        DebugType::Void | DebugType::Opaque(_) => 0,
        DebugType::Basic { bits, .. } => *bits,
        DebugType::Vector(of, n) | DebugType::Matrix(of, n) | DebugType::Array(of, n) => {
            size(program, *of).saturating_mul(*n)
        }
        DebugType::Struct { members, .. } => {
            members.iter().fold(0, |all, m| all.saturating_add(size(program, m.ty)))
        }
    }
}
