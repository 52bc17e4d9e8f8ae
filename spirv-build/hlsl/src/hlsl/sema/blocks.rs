//! `cbuffer` and `tbuffer`: their members, and where those lie.
use super::Sema;
use super::modifiers::Declares;
use super::scope::Entity;
use super::vk_places::At;
use crate::diag::Code;
use crate::hlsl::ast;
use crate::hlsl::hir::{BitRange, BlockLayout, Global, GlobalId, GlobalKind, Resource, StructId, Type};
use crate::hlsl::layout::{GLOBALS_NAME, Layout, ROW};
use crate::source::Span;

/// Bytes that a constant buffer may have on every device of Direct3D.
const MAX_BLOCK_BYTES: u64 = 65536;

impl<'a> Sema<'a> {
    /// `cbuffer`
    pub(super) fn buffer_block(&mut self, b: &'a ast::BufferBlock, attrs: &'a [ast::Attribute]) {
        let span = b.name.span;
        self.check_vk_places(attrs, At::Block);
        let name = match self.text(b.name.text) {
            "" => String::from("<cbuffer>"),
            _ => self.qualified(b.name.text),
        };
        let s = self.new_struct(name.clone(), span);
        for item in &b.members {
            match &item.kind {
                ast::ItemKind::Vars(decl) => self.buffer_members(decl, s, &item.attrs),
                ast::ItemKind::Typedef(decl) => self.typedef(decl, &item.attrs),
                ast::ItemKind::Empty | ast::ItemKind::Function(_) => {}
                _ => {
                    self.report(
                        Code::BadDeclaration,
                        item.span,
                        "a cbuffer holds variables and functions only",
                    );
                }
            }
        }
        self.structs[s.index()].complete = true;
        if !self.types.structure(s).fields.is_empty() {
            self.bind_block(b, s, name, attrs);
        }
        // Functions belong to the scope around, and may use members that are declared behind them.
        for item in &b.members {
            if let ast::ItemKind::Function(f) = &item.kind {
                self.function_item(f, &item.attrs, None);
            }
        }
    }

    /// Variables in a buffer: members of it, but resources are what they are outside.
    fn buffer_members(&mut self, decl: &'a ast::VarDecl, s: StructId, attrs: &'a [ast::Attribute]) {
        let ast::VarDecl { ty, declarators, .. } = decl;
        if declarators.is_empty() {
            self.resolve(ty);
            return;
        }
        let base = self.resolve(ty);
        if !self.types.contains_resource(base) {
            self.check_vk_places(attrs, At::BlockMember);
            let first = self.types.structure(s).fields.len();
            self.fields_of(base, decl, s, Declares::GLOBAL);
            self.ext_requests(attrs);
            self.decorate_members(attrs, s, first);
            return;
        }
        self.resources_of_block(decl, base, attrs);
    }

    /// Declares a buffer and its members, which are complete.
    fn bind_block(
        &mut self,
        b: &'a ast::BufferBlock,
        s: StructId,
        name: String,
        attrs: &'a [ast::Attribute],
    ) {
        let span = b.name.span;
        let elem = self.types.intern(Type::Struct(s));
        let registers = self.registers(&b.annotations);
        self.no_profiles(&registers);
        let mut binding = self.binding(&registers, &b.annotations, attrs);
        let (word, class) = if b.texture { ("tbuffer", 't') } else { ("cbuffer", 'b') };
        if let Some(r) = binding.register
            && r.class != class
        {
            self.report(
                Code::BadRegister,
                span,
                format!("a {word} is bound to a `{class}` register, not `{}`", r.class),
            );
        }
        if !b.texture {
            binding.block = self.block_layout(s, span);
        }
        let push = self.vk_flag(attrs, "push_constant");
        if push {
            self.report(Code::BadVkAttribute, span, format!("a {word} cannot be push constants"))
                .help("declare a structure and a variable: `[[vk::push_constant]] S name;`");
        }
        let ty = match b.texture {
            true => Resource::TextureBuffer { elem },
            false => Resource::Constant { elem },
        };
        let ty = self.types.intern(Type::Resource(ty));
        let id = GlobalId(self.globals.len() as u32);
        self.globals.push(Global::new(name, GlobalKind::Resource(Box::new(binding)), ty, span));
        self.declare_members(id, s);
        self.decorate_globals(id.index(), self.loose(), attrs);
    }

    /// Makes the members of a buffer visible outside it.
    fn declare_members(&mut self, id: GlobalId, s: StructId) {
        let mut names: Vec<(String, Span, u32, Option<BitRange>)> = Vec::new();
        for (i, f) in (0..).zip(&self.types.structure(s).fields) {
            if f.bits.is_empty() {
                names.push((f.name.clone(), f.span, i, None));
            }
            let named = f.bits.iter().filter(|b| !b.name.is_empty());
            names.extend(named.map(|b| (b.name.clone(), f.span, i, Some(b.range))));
        }
        for (name, span, i, bits) in names {
            let text = self.names.intern(&name);
            self.declare(ast::Name { text, span }, Entity::BlockMember(id, i, bits));
        }
    }

    /// Offsets of a block's members; checks pack offsets and size.
    pub(super) fn block_layout(&mut self, s: StructId, span: Span) -> Option<BlockLayout> {
        let layout = Layout::new(&self.types, self.options.layout.constant);
        let (offsets, extent) = layout.members(s);
        let fields = &self.types.structure(s).fields;
        let mut ranges: Vec<(u64, u64, usize)> = Vec::new();
        for (i, (f, &offset)) in fields.iter().zip(&offsets).enumerate() {
            let e = layout.extent(f.ty, f.order);
            ranges.push((offset, offset.saturating_add(e.size), i));
        }
        let mut problems: Vec<(Span, Result<Span, Option<u64>>)> = Vec::new();
        for (f, &(from, to, _)) in fields.iter().zip(&ranges) {
            let crosses = to - from <= ROW && from / ROW != to.saturating_sub(1).max(from) / ROW;
            // A vector need only be aligned to its component.
            let align = layout
                .component_of_vector(f.ty, f.order)
                .unwrap_or_else(|| layout.extent(f.ty, f.order).align);
            if f.packoffset.is_some() && (crosses || from % align != 0) {
                problems.push((f.span, Err(if crosses { None } else { Some(align) })));
            }
        }
        ranges.sort_unstable();
        for w in ranges.windows(2) {
            if w[0].1 > w[1].0 && w[0].0 != w[0].1 {
                problems.push((fields[w[1].2].span, Ok(fields[w[0].2].span)));
            }
        }
        let some = fields.iter().find(|f| f.packoffset.is_some()).map(|f| f.span);
        let none = fields.iter().find(|f| f.packoffset.is_none()).map(|f| f.span);
        for &(at, problem) in &problems {
            match problem {
                Ok(other) => self
                    .report(Code::BadPackoffset, at, "members of the buffer overlap")
                    .secondary(other, "with this one")
                    .help("place the members one behind the other"),
                Err(None) => self
                    .report(Code::BadPackoffset, at, "the member crosses a 16-byte row")
                    .label("starts within a row and ends behind it")
                    .help("structures, arrays and matrices start a row: `packoffset(c1)`"),
                Err(Some(align)) => self
                    .report(
                        Code::BadPackoffset,
                        at,
                        format!("the member lies at no multiple of {align} bytes"),
                    )
                    .label("not aligned")
                    .help("structures, arrays and matrices start a row: `packoffset(c1)`"),
            };
        }
        if !problems.is_empty() {
            return None;
        }
        let loose = self.types.structure(s).name == GLOBALS_NAME;
        if let (Some(some), Some(none), false) = (some, none, loose) {
            self.report(Code::PackoffsetMix, none, "this member has no packoffset")
                .label("lies behind the member before it")
                .secondary(some, "but this one has")
                .help("place all members, or none");
        }
        if extent.size > crate::hlsl::layout::MAX_SIZE / 4 {
            self.report(Code::TypeTooLarge, span, "the constant buffer is too large");
            return None;
        }
        if extent.size > MAX_BLOCK_BYTES {
            let size = extent.size;
            self.report(
                Code::BlockTooLarge,
                span,
                format!("the constant buffer has {size} bytes, more than {MAX_BLOCK_BYTES}"),
            )
            .help("few devices take larger ones: use a `StructuredBuffer` for large data");
        }
        let size = extent.size.div_ceil(ROW) * ROW;
        Some(BlockLayout { offsets: offsets.iter().map(|&o| o as u32).collect(), size: size as u32 })
    }
}
