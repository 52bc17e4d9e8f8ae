//! Places: what can be read and written.

use super::function::{Body, Local};
use super::globals::GlobalValue;
use super::types::{Form, MatrixForm, matrix_form, stored};
use crate::hlsl::hir::Type as Hlsl;
use crate::hlsl::hir::{BitRange, ExprKind, GlobalId, MatrixOrder, PlaceId, PlaceKind, Resource, TypeId};
use crate::hlsl::layout::{Layout, Rules};
use crate::ir::{Op, StorageClass, Value};
use crate::source::Span;

/// A place whose indices have been evaluated.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// Where a pointer points.
    Pointer {
        /// The pointer.
        ptr: Value,
        /// Type of the object.
        ty: TypeId,
        /// Its form there.
        form: Form,
    },
    /// A resource object or an array of them.
    Resource {
        /// Pointer to it.
        ptr: Value,
        /// Type.
        ty: TypeId,
        /// How matrices in its elements lie.
        order: MatrixOrder,
    },
    /// An array inside an array of arrays of resource objects, all of which lie in one.
    Resources {
        /// Pointer to the whole.
        ptr: Value,
        /// Type of the part.
        ty: TypeId,
        /// How matrices in its elements lie.
        order: MatrixOrder,
        /// Which of the parts of its size it is.
        index: Value,
    },
    /// A vector whose components lie apart.
    Gather {
        /// Pointers to the components, in the form of memory.
        parts: Vec<Value>,
        /// Type of the vector.
        ty: TypeId,
    },
    /// Components of a vector.
    Swizzle {
        /// The vector.
        base: Box<Place>,
        /// Positions.
        at: Vec<u8>,
        /// Type of the result.
        ty: TypeId,
    },
    /// One component of a vector that is no pointer.
    Component {
        /// The vector.
        base: Box<Place>,
        /// Which.
        index: Value,
        /// Type of the component.
        ty: TypeId,
    },
    /// Elements of a matrix.
    Elements {
        /// The matrix.
        base: Box<Place>,
        /// Row, column.
        at: Vec<(u8, u8)>,
        /// Type of the result.
        ty: TypeId,
    },
    /// A texel of a writable texture.
    Texel {
        /// Pointer to the image.
        image: Value,
        /// Coordinates.
        coord: Value,
        /// Sample.
        sample: Option<Value>,
        /// Type of the texel.
        ty: TypeId,
    },
    /// Bytes of a byte address buffer.
    Bytes {
        /// Pointer to the buffer.
        buffer: Value,
        /// Offset in bytes.
        offset: Value,
        /// Type of the object.
        ty: TypeId,
        /// How a matrix in it lies.
        order: MatrixOrder,
    },
    /// A value that never changes.
    Value {
        /// The value.
        value: Value,
        /// Type.
        ty: TypeId,
    },
    /// Bits of a number.
    Bits {
        /// The number.
        base: Box<Place>,
        /// Which.
        range: BitRange,
        /// Type of the number.
        ty: TypeId,
    },
    /// Nothing; an error was given.
    Nothing {
        /// Type that was wanted.
        ty: TypeId,
    },
}

impl Place {
    pub(super) fn ty(&self) -> TypeId {
        match self {
            Place::Pointer { ty, .. }
            | Place::Resource { ty, .. }
            | Place::Resources { ty, .. }
            | Place::Gather { ty, .. }
            | Place::Swizzle { ty, .. }
            | Place::Component { ty, .. }
            | Place::Elements { ty, .. }
            | Place::Texel { ty, .. }
            | Place::Bytes { ty, .. }
            | Place::Bits { ty, .. }
            | Place::Value { ty, .. }
            | Place::Nothing { ty } => *ty,
        }
    }
}

impl<'h> Body<'_, 'h> {
    /// Evaluates the indices of a place.
    pub(super) fn place(&mut self, id: PlaceId) -> Place {
        let place = self.slot(id);
        self.resource_in(place)
    }

    /// As [`Self::place`], but of a variable that holds a resource the variable itself.
    pub(super) fn slot(&mut self, id: PlaceId) -> Place {
        let data = self.f.place(id);
        if !self.l.enter(data.span) {
            self.l.leave();
            return Place::Nothing { ty: data.ty };
        }
        let place = self.make_place(id);
        self.l.leave();
        place
    }

    #[inline(never)]
    fn make_place(&mut self, id: PlaceId) -> Place {
        let f = self.f;
        let data = f.place(id);
        let span = data.span;
        match &data.kind {
            PlaceKind::Local(l) => match self.locals[l.index()].clone() {
                Local::Array(ptr, ty) => Place::Pointer { ptr, ty, form: Form::Value },
                Local::Variable(ptr) => Place::Pointer { ptr, ty: data.ty, form: Form::Value },
                Local::Value(value) => Place::Value { value, ty: data.ty },
                Local::Path(path) => self.path_place(&path, span),
                Local::None => {
                    // A variable of a switch that jumps over its declaration.
                    let ptr = self.local_variable(data.ty, &f.local(*l).name);
                    self.locals[l.index()] = Local::Variable(ptr);
                    Place::Pointer { ptr, ty: data.ty, form: Form::Value }
                }
            },
            PlaceKind::Global(g) => self.global_place(*g, span),
            PlaceKind::Block(p) => {
                let base = self.place(*p);
                self.block_contents(base, span)
            }
            PlaceKind::Field(p, n) => {
                let base = self.place(*p);
                self.field(base, *n)
            }
            PlaceKind::Index(p, e) => {
                let base = self.place(*p);
                let known = self.known_index(*e);
                // Not computed, so that resources stay known.
                let computed = !matches!(f.expr(*e).kind, ExprKind::Const(_));
                let index = match known.filter(|_| computed && self.l.types().contains_resource(data.ty)) {
                    Some(n) => self.b().u32(n),
                    None => self.expr(*e),
                };
                self.index(base, index, known, span)
            }
            PlaceKind::Swizzle(p, at) => {
                let base = self.place(*p);
                self.swizzle(base, at.positions(), data.ty)
            }
            PlaceKind::MatrixSwizzle(p, at) => {
                let base = Box::new(self.place(*p));
                Place::Elements { base, at: at.clone(), ty: data.ty }
            }
            PlaceKind::Deref(e) => self.deref(*e, data.ty),
            PlaceKind::BufferElement { resource, index } => {
                let base = self.place(*resource);
                let index = self.expr(*index);
                self.element(base, index, span)
            }
            PlaceKind::ByteElement { resource, offset } => {
                let base = self.place(*resource);
                let offset = self.expr(*offset);
                let offset = self.as_uint(offset);
                match base {
                    Place::Resource { ptr, order, .. } => {
                        Place::Bytes { buffer: ptr, offset, ty: data.ty, order }
                    }
                    _ => self.no_place(span, data.ty),
                }
            }
            PlaceKind::Texel { resource, coord, sample } => {
                let base = self.place(*resource);
                let coord = self.expr(*coord);
                let sample = sample.map(|e| self.expr(e));
                match base {
                    Place::Resource { ptr, .. } => Place::Texel { image: ptr, coord, sample, ty: data.ty },
                    _ => self.no_place(span, data.ty),
                }
            }
            PlaceKind::Bits(p, range) => {
                let base = Box::new(self.place(*p));
                Place::Bits { base, range: *range, ty: data.ty }
            }
            PlaceKind::After(e, p) => {
                self.effect(*e);
                self.place(*p)
            }
            PlaceKind::Temp(e) => {
                let value = self.expr(*e);
                let ptr = self.variable(data.ty, "");
                self.b().store(ptr, value);
                Place::Pointer { ptr, ty: data.ty, form: Form::Value }
            }
        }
    }

    fn no_place(&mut self, span: Span, ty: TypeId) -> Place {
        // Without an earlier error the HIR broke its promises.
        if self.l.errors.is_empty() {
            self.l.internal(span, "this place cannot be addressed");
        }
        Place::Nothing { ty }
    }

    pub(super) fn global_place(&mut self, g: GlobalId, span: Span) -> Place {
        let data = self.l.hir.global(g);
        match self.l.globals.get(g.index()).copied() {
            Some(GlobalValue::Variable(global, form)) => {
                let (ty, storage) = (self.l.out.globals[global].ty, self.l.out.globals[global].storage);
                let ptr = self.b().address_of(global, ty, storage);
                Place::Pointer { ptr, ty: data.ty, form }
            }
            Some(GlobalValue::Resource(global)) => {
                let (ty, storage) = (self.l.out.globals[global].ty, self.l.out.globals[global].storage);
                let ptr = self.b().address_of(global, ty, storage);
                Place::Resource { ptr, ty: data.ty, order: data.order }
            }
            Some(GlobalValue::Spec(c)) => {
                let value = self.b().constant(c);
                let ptr = self.variable(data.ty, &data.name);
                self.b().store(ptr, value);
                Place::Pointer { ptr, ty: data.ty, form: Form::Value }
            }
            _ => self.no_place(span, data.ty),
        }
    }

    /// A pointer to an object inside the one that `ptr` points to.
    fn chain(&mut self, ptr: Value, ty: TypeId, form: Form, indices: &[Value]) -> Value {
        let ty = self.l.type_in(ty, form);
        self.b().access_chain(ptr, ty, indices)
    }

    pub(super) fn field(&mut self, base: Place, n: u32) -> Place {
        let Hlsl::Struct(s) = self.l.hlsl(base.ty()) else { return self.no_place(self.span, base.ty()) };
        let hir = self.l.hir;
        let Some(field) = hir.types.structure(s).fields.get(n as usize) else {
            return self.no_place(self.span, base.ty());
        };
        match base {
            Place::Pointer { ptr, form, .. } => {
                let form = match form {
                    Form::Value => Form::Value,
                    Form::Memory(_, rules) => Form::Memory(field.order, rules),
                };
                let index = self.b().i32(n as i32);
                let ptr = self.chain(ptr, field.ty, form, &[index]);
                if field.precise {
                    self.func
                        .decorate(ptr, crate::ir::Decoration::plain(spirv_spec::Decoration::NoContraction));
                }
                Place::Pointer { ptr, ty: field.ty, form }
            }
            Place::Bytes { buffer, offset, .. } => {
                let by = Layout::new(hir.types, Rules::Bytes).members(s).0[n as usize] as u32;
                let offset = self.add_bytes(offset, by);
                Place::Bytes { buffer, offset, ty: field.ty, order: field.order }
            }
            _ => Place::Nothing { ty: field.ty },
        }
    }

    /// An element of an array, component of a vector or row of a matrix.
    #[inline(never)]
    pub(super) fn index(&mut self, base: Place, index: Value, known: Option<u32>, span: Span) -> Place {
        match self.l.hlsl(base.ty()) {
            Hlsl::Array(elem, _) | Hlsl::UnsizedArray(elem) => match base {
                Place::Pointer { ptr, form, .. } => {
                    let ptr = self.chain(ptr, elem, form, &[index]);
                    Place::Pointer { ptr, ty: elem, form }
                }
                Place::Resource { ptr, order, .. } if self.is_array(elem) => {
                    let index = self.as_uint(index);
                    Place::Resources { ptr, ty: elem, order, index }
                }
                Place::Resources { ptr, order, index: outer, ty } => {
                    let n = match self.l.hlsl(ty) {
                        Hlsl::Array(_, n) => n,
                        _ => 1,
                    };
                    let inner = self.as_uint(index);
                    let index = self.flat_index(outer, n, inner);
                    if self.is_array(elem) {
                        return Place::Resources { ptr, ty: elem, order, index };
                    }
                    let array = self.l.pointee(self.ty(ptr));
                    let Some(object) = self.l.out.ctx.types.element(array, 0) else {
                        return self.no_place(span, elem);
                    };
                    let ptr = self.b().access_chain(ptr, object, &[index]);
                    Place::Resource { ptr, ty: elem, order }
                }
                Place::Resource { ptr, order, .. } => {
                    let array = self.l.pointee(self.ty(ptr));
                    let Some(inner) = self.l.out.ctx.types.element(array, 0) else {
                        return self.no_place(span, elem);
                    };
                    let ptr = self.b().access_chain(ptr, inner, &[index]);
                    Place::Resource { ptr, ty: elem, order }
                }
                Place::Bytes { buffer, offset, order, .. } => {
                    let hir = self.l.hir;
                    let stride = Layout::new(hir.types, Rules::Bytes).array_stride(elem, order) as u32;
                    let offset = self.add_scaled(offset, index, stride);
                    Place::Bytes { buffer, offset, ty: elem, order }
                }
                _ => self.no_place(span, elem),
            },
            Hlsl::Vector(s, _) => {
                let ty = self.l.find_scalar(s);
                self.component_of(base, index, known, ty)
            }
            Hlsl::Matrix(..) => self.row(base, index, known, span),
            _ => {
                let ty = base.ty();
                self.no_place(span, ty)
            }
        }
    }

    fn is_array(&self, ty: TypeId) -> bool {
        matches!(self.l.hlsl(ty), Hlsl::Array(..) | Hlsl::UnsizedArray(_))
    }

    /// `outer * n + inner`
    pub(super) fn flat_index(&mut self, outer: Value, n: u32, inner: Value) -> Value {
        let scaled = self.word_op(Op::IMul, outer, n);
        match (self.known(scaled), self.known(inner)) {
            (Some(0), None) => inner,
            (_, Some(inner)) => self.word_op(Op::IAdd, scaled, inner),
            _ => {
                let uint = self.l.out.ctx.types.u32();
                self.op(Op::IAdd, uint, &[scaled, inner])
            }
        }
    }

    fn component_of(&mut self, base: Place, index: Value, known: Option<u32>, ty: TypeId) -> Place {
        match (base, known) {
            (Place::Pointer { ptr, form, .. }, _) => {
                let ptr = self.chain(ptr, ty, form, &[index]);
                Place::Pointer { ptr, ty, form }
            }
            (Place::Gather { parts, .. }, Some(n)) if (n as usize) < parts.len() => Place::Pointer {
                ptr: parts[n as usize],
                ty,
                form: Form::Memory(MatrixOrder::default(), Rules::Bytes),
            },
            (Place::Bytes { buffer, offset, order, .. }, _) => {
                let size = self.l.component(ty).map_or(4, |s| s.bits() / 8);
                let offset = self.add_scaled(offset, index, size);
                Place::Bytes { buffer, offset, ty, order }
            }
            (Place::Swizzle { base, at, .. }, Some(n)) if (n as usize) < at.len() => {
                self.swizzle(*base, &[at[n as usize]], ty)
            }
            (base, _) => Place::Component { base: Box::new(base), index, ty },
        }
    }

    /// A row of a matrix.
    pub(super) fn row(&mut self, base: Place, index: Value, known: Option<u32>, span: Span) -> Place {
        let Hlsl::Matrix(s, r, c) = self.l.hlsl(base.ty()) else { return base };
        let row = self.l.find_vector(s, c);
        let form = matrix_form(s, r, c);
        match base {
            Place::Pointer { ptr, form: at @ Form::Memory(order, rules), .. }
                if r == 1 && Layout::new(self.l.hir.types, rules).is_scattered(r, c, order) =>
            {
                let elem = self.l.find_scalar(s);
                let parts = self.scattered(ptr, elem, c, at);
                Place::Gather { parts, ty: row }
            }
            Place::Pointer { ptr, form: at, .. }
                if form == MatrixForm::Scalar || (form == MatrixForm::Vector && r == 1) =>
            {
                Place::Pointer { ptr, ty: row, form: at }
            }
            Place::Pointer { ptr, form: at, .. } if at == Form::Value || form == MatrixForm::Vector => {
                let ptr = self.chain(ptr, row, at, &[index]);
                Place::Pointer { ptr, ty: row, form: at }
            }
            Place::Pointer { ptr, form: at @ Form::Memory(order, _), .. } => {
                if form == MatrixForm::Native || order == MatrixOrder::RowMajor {
                    let ptr = self.chain(ptr, row, at, &[index]);
                    return Place::Pointer { ptr, ty: row, form: at };
                }
                let scalar = self.l.find_scalar(s);
                let (vectors, len) = stored(r, c, order);
                let parts = (0..vectors).map(|j| {
                    let column = self.b().i32(i32::from(j));
                    let indices = [column, index];
                    self.chain(ptr, scalar, at, if len == 1 { &indices[..1] } else { &indices })
                });
                let parts: Vec<Value> = parts.collect();
                if let [ptr] = parts[..] {
                    return Place::Pointer { ptr, ty: row, form: at };
                }
                Place::Gather { parts, ty: row }
            }
            Place::Bytes { buffer, offset, order, ty } => {
                let hir = self.l.hir;
                let stride = Layout::new(hir.types, Rules::Bytes).matrix_stride(ty, order) as u32;
                if order == MatrixOrder::RowMajor || c == 1 {
                    let stride = if order == MatrixOrder::RowMajor { stride } else { s.bits() / 8 };
                    let offset = self.add_scaled(offset, index, stride);
                    return Place::Bytes { buffer, offset, ty: row, order };
                }
                let base = Box::new(Place::Bytes { buffer, offset, order, ty });
                match known {
                    Some(n) => Place::Elements { base, at: (0..c).map(|j| (n as u8, j)).collect(), ty: row },
                    None => {
                        let help = "read the whole matrix into a variable first";
                        self.l.unsupported(
                            span,
                            "a row, known at run time, of a matrix in a byte buffer",
                            help,
                        );
                        Place::Nothing { ty: row }
                    }
                }
            }
            _ => Place::Nothing { ty: row },
        }
    }

    pub(super) fn swizzle(&mut self, base: Place, at: &[u8], ty: TypeId) -> Place {
        match (base, at) {
            // A scalar taken as a vector of one.
            (base, [0]) if matches!(self.l.hlsl(base.ty()), Hlsl::Scalar(_) | Hlsl::Enum(_)) => base,
            (base @ (Place::Pointer { .. } | Place::Gather { .. } | Place::Bytes { .. }), [n])
                if matches!(self.l.hlsl(base.ty()), Hlsl::Vector(..)) =>
            {
                let index = self.b().i32(i32::from(*n));
                self.component_of(base, index, Some(u32::from(*n)), ty)
            }
            (Place::Swizzle { base, at: outer, .. }, _) => {
                let at = at.iter().map(|i| outer.get(usize::from(*i)).copied().unwrap_or(0)).collect();
                Place::Swizzle { base, at, ty }
            }
            (base, _) => Place::Swizzle { base: Box::new(base), at: at.to_vec(), ty },
        }
    }

    /// The contents of a constant buffer.
    pub(super) fn block_contents(&mut self, base: Place, span: Span) -> Place {
        if let Place::Resource { ptr, ty, order } = base
            && let Some(r @ (Resource::Constant { elem } | Resource::TextureBuffer { elem })) =
                self.l.types().resource(ty)
        {
            let layout = self.l.hir.module.layout;
            let rules = if matches!(r, Resource::Constant { .. }) { layout.constant } else { layout.storage };
            return Place::Pointer { ptr, ty: elem, form: Form::Memory(order, rules) };
        }
        let ty = base.ty();
        self.no_place(span, ty)
    }

    /// An element of a structured buffer.
    pub(super) fn element(&mut self, base: Place, index: Value, span: Span) -> Place {
        if let Place::Resource { ptr, ty, order } = base
            && let Some(Resource::Structured { elem, .. } | Resource::Queue { elem, .. }) =
                self.l.types().resource(ty)
        {
            let form = self.l.element_form(order);
            let zero = self.b().i32(0);
            let ptr = self.chain(ptr, elem, form, &[zero, index]);
            return Place::Pointer { ptr, ty: elem, form };
        }
        let ty = base.ty();
        self.no_place(span, ty)
    }

    /// The pointer to a resource object.
    pub(super) fn resource(&mut self, id: PlaceId) -> Option<(Value, TypeId)> {
        match self.place(id) {
            Place::Resource { ptr, ty, .. } => Some((ptr, ty)),
            _ => {
                self.no_place(self.f.place(id).span, self.f.place(id).ty);
                None
            }
        }
    }

    /// The storage class of what a pointer points to.
    pub(super) fn storage(&self, ptr: Value) -> StorageClass {
        self.l.out.ctx.types.pointee(self.ty(ptr)).map_or(StorageClass::Function, |p| p.1)
    }
}
