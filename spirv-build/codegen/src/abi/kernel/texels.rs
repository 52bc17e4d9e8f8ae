//! Images as memory, for devices that have none.
//!
//! An image is two parameters: the address of its texels, row by row without gaps, and a vector of four words: width,
//! height, depth (1), and the number of the format in SPIR-V. The host sees to it that there are less than 2^32 texels.
//!
//! What the source declares of the format is known here. Where it declares none, the kernel looks at the number: images of
//! formats that do not fit read as 0 and are not written. Each kind of access is a function of the module ([`Layout`]).

use super::Lower;
use super::body::Body;
use super::formats::{self, Format, Seen};
use crate::ir::{Func, Function, Global, ImageFormat, Op, Operand, StorageClass, Type, Value};
use spirv_spec::FunctionControl;

/// Component of the extent that is the format.
const FORMAT: u32 = 3;

/// What is known of the texels of an image when the kernel is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Layout {
    seen: Seen,
    /// Number of the format, if the source declares it.
    format: Option<u32>,
    /// Components of the formats that it may have otherwise; None: any number.
    components: Option<u8>,
}

/// An image in memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texels {
    /// The address of its first byte.
    pub pointer: Value,
    /// Its extent and format.
    pub extent: Value,
    pub layout: Layout,
}

impl Layout {
    /// The formats that it may have.
    fn formats(self) -> Vec<Format> {
        let fits = |f: &Format| match self.format {
            Some(code) => f.code == code,
            None => f.seen == self.seen && self.components.is_none_or(|n| n == f.components),
        };
        formats::all().filter(fits).collect()
    }

    /// For people.
    fn name(self) -> String {
        match (self.format, self.components) {
            (Some(code), _) => format!("{:?}", ImageFormat::from_u32(code).unwrap_or(ImageFormat::Unknown)),
            (None, Some(n)) => format!("{:?}{n}", self.seen),
            (None, None) => format!("{:?}", self.seen),
        }
    }
}

impl Lower<'_> {
    /// The type of the parameter that has the extent and the format.
    pub(super) fn extent_type(&mut self) -> Type {
        let word = self.new.ctx.types.u32();
        self.new.ctx.types.vector(word, 4)
    }

    /// What is known of an image's texels. An error says why there are none.
    pub(super) fn texel_layout(&mut self, g: Global, slot: u32) -> Result<Layout, &'static str> {
        let image = self.plain_image(g)?;
        let seen = match self.old.ctx.types.int_signed(image.sampled_type) {
            None => Seen::Float,
            Some(true) => Seen::Signed,
            Some(false) => Seen::Unsigned,
        };
        let format = Some(image.format).filter(|f| *f != ImageFormat::Unknown).map(|f| f.0);
        let components = if format.is_some() { None } else { self.slot(slot).components };
        let layout = Layout { seen, format, components };
        // A declared format whose components are not what the kernel sees would be taken for something else.
        match format {
            Some(_) if !layout.formats().iter().any(|f| f.seen == seen) => Err("images of this format"),
            _ => Ok(layout),
        }
    }
}

impl<'a> Body<'_, 'a> {
    /// Width and height.
    pub fn texel_extent(&mut self, texels: Texels) -> Value {
        let word = self.l.new.ctx.types.u32();
        let size = self.l.new.ctx.types.vector(word, 2);
        let operands = [Operand::Id(texels.extent), Operand::Id(texels.extent)];
        let parts = [0, 1].map(Operand::Literal);
        self.b().value(Op::VectorShuffle, size, &[operands, parts].concat())
    }

    /// The texel at the coordinates; zeros outside.
    pub fn load_texel(&mut self, texels: Texels, coord: Value) -> Value {
        let (func, result) = (self.accessor(texels.layout, false), self.four(texels.layout));
        self.b().call(func, result, &[texels.pointer, texels.extent, coord])
    }

    /// Replaces the texel at the coordinates; does nothing outside.
    pub fn store_texel(&mut self, texels: Texels, coord: Value, texel: Value) {
        let (func, void) = (self.accessor(texels.layout, true), self.l.new.ctx.types.void());
        self.b().call(func, void, &[texels.pointer, texels.extent, coord, texel]);
    }

    /// A texel as kernels see it.
    fn four(&mut self, layout: Layout) -> Type {
        let scalar = self.texel_scalar(layout.seen);
        self.l.new.ctx.types.vector(scalar, 4)
    }

    /// The function for an access, which is made when it is first needed.
    fn accessor(&mut self, layout: Layout, store: bool) -> Func {
        if let Some(found) = self.l.accessors.get(&(layout, store)) {
            return *found;
        }
        let (texel, extent) = (self.four(layout), self.l.extent_type());
        let types = &mut self.l.new.ctx.types;
        let (byte, word, void) = (types.int(8, false), types.u32(), types.void());
        let pointer = types.pointer(byte, StorageClass::CrossWorkgroup);
        let coord = types.vector(word, 2);
        let verb = if store { "store" } else { "load" };
        let mut f =
            Function::new(format!("{verb}{}", layout.name()), if store { void } else { texel }, self.span);
        f.control = FunctionControl::INLINE.bits();
        let mut parameters = vec![pointer, extent, coord];
        parameters.extend(store.then_some(texel));
        let block = f.make_body(&parameters);
        let (old, span) = (self.old, self.span);
        let mut inner = Body::new(self.l, old, f, block);
        inner.span = span;
        inner.access(layout, (!store).then_some(texel));
        let f = inner.f;
        let func = self.l.new.functions.push(f);
        self.l.accessors.insert((layout, store), func);
        func
    }

    /// The body of a function for an access: a load if it has a result, otherwise a store.
    fn access(&mut self, layout: Layout, result: Option<Type>) {
        let (pointer, extent, coord) = (self.f.params[0], self.f.params[1], self.f.params[2]);
        let size = self.texel_extent(Texels { pointer, extent, layout });
        let value = self.inside(size, coord, result, |s| {
            let formats = layout.formats();
            match (&formats[..], layout.format) {
                ([format], Some(_)) => s.access_as(*format, result),
                _ => s.access_by_format(&formats, result),
            }
        });
        match value {
            Some(v) => self.b().terminate(Op::ReturnValue, &[v]),
            None => self.b().terminate(Op::Return, &[]),
        }
    }

    /// Accesses a texel of the format that the image says it has.
    fn access_by_format(&mut self, formats: &[Format], result: Option<Type>) -> Option<Value> {
        let (extent, word) = (self.f.params[1], self.l.new.ctx.types.u32());
        let format = self.b().extract(extent, word, &[FORMAT]);
        let labels: Vec<(u64, u32)> =
            (1..).zip(formats).map(|(region, f)| (u64::from(f.code), region)).collect();
        let (inst, blocks) = self.b().switch(format, &labels, formats.len(), result.as_slice());
        let cases = [None].into_iter().chain(formats.iter().copied().map(Some));
        for (block, format) in blocks.into_iter().zip(cases) {
            self.within(block, |s| {
                let value = match format {
                    Some(format) => s.access_as(format, result),
                    None => result.map(|ty| s.b().null(ty)),
                };
                s.b().terminate(crate::ir::Opcode::Merge, value.as_slice());
            });
        }
        self.f.insts[inst].result()
    }

    /// Accesses a texel of this format.
    fn access_as(&mut self, format: Format, result: Option<Type>) -> Option<Value> {
        let memory = self.memory_type(format);
        let place = self.texel_pointer(memory);
        // Rows have no gaps, and allocations are aligned to more than a texel.
        let aligned = [Operand::Literal(2), Operand::Literal(format.bytes())];
        if result.is_some() {
            let raw = self.b().value(Op::Load, memory, &[&[Operand::Id(place)][..], &aligned].concat());
            return Some(self.decode(format, raw));
        }
        let texel = self.f.params[3];
        let raw = self.encode(format, texel);
        self.b().push(Op::Store, &[&[Operand::Id(place), Operand::Id(raw)][..], &aligned].concat());
        None
    }

    /// The address of the texel: x + y * width texels behind the first.
    fn texel_pointer(&mut self, memory: Type) -> Value {
        let (base, extent, coord) = (self.f.params[0], self.f.params[1], self.f.params[2]);
        let (word, long) = (self.l.new.ctx.types.u32(), self.l.u64());
        let [x, y] = [0, 1].map(|i| self.b().extract(coord, word, &[i]));
        let width = self.b().extract(extent, word, &[0]);
        let row = self.b().op(Op::IMul, word, &[y, width]);
        let index = self.b().op(Op::IAdd, word, &[row, x]);
        let index = self.b().op(Op::UConvert, long, &[index]);
        let raw = self.f.values[base].ty;
        let pointer = self.l.new.ctx.types.pointer(memory, StorageClass::CrossWorkgroup);
        let first = if pointer == raw { base } else { self.b().op(Op::Bitcast, pointer, &[base]) };
        self.b().op(Op::InBoundsPtrAccessChain, pointer, &[first, index])
    }
}
