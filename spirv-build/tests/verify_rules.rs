//! The rules of the verifier that need no more than one instruction or entry of a table out of order; `verify.rs` has the others. The
//! last test looks for rules that neither breaks.

#[path = "common/broken.rs"]
mod broken;

use broken::{bare, breaks, module};
use spirv_build::ir::entity::Entity;
use spirv_build::ir::{
    Block, BufferAccess, Builder, ConstKind, Counter, Dim, ExtSet, Func, Function, Global, GlobalData,
    HlslResource, ImageFormat, ImageType, Inst, InstData, Interface, Module, Op, OpaqueType, Opcode, Operand,
    Region, ResourceClass, StorageClass, Successor, Type, TypeKind, Value, ValueDef,
};
use spirv_build::source::Span;

/// What a body has, and the rule that it breaks.
type Case = (fn(&mut Builder<'_>), &'static str);

fn uint(b: &mut Builder<'_>) -> Type {
    b.ctx.types.u32()
}

fn float4(b: &mut Builder<'_>) -> Type {
    let float = b.ctx.types.float(32);
    b.ctx.types.vector(float, 4)
}

/// A variable of `uint`.
fn variable(b: &mut Builder<'_>) -> Value {
    let uint = uint(b);
    b.variable(uint, None)
}

/// Some image of floats: 1 for one that is sampled, 2 for one that is stored to.
fn image(b: &mut Builder<'_>, sampled: u8) -> Value {
    let sampled_type = b.ctx.types.float(32);
    let image = ImageType {
        sampled_type,
        dim: Dim::Dim1D,
        depth: 0,
        arrayed: false,
        multisampled: false,
        sampled,
        format: ImageFormat::Unknown,
    };
    let ty = b.ctx.types.intern(TypeKind::Image(image));
    b.undef(ty)
}

#[test]
fn memory_images_and_atomics() {
    let cases: &[Case] = &[
        (
            |b| {
                let (p, zero, uint) = (variable(b), b.u32(0), uint(b));
                let ptr = b.ctx.types.pointer(uint, StorageClass::Image);
                b.op(Op::ImageTexelPointer, ptr, &[p, zero, zero]);
            },
            "a texel pointer into what is no image",
        ),
        (
            |b| {
                let (one, uint) = (b.u32(1), uint(b));
                b.op(Op::ImageQuerySize, uint, &[one]);
            },
            "a query of what is no image",
        ),
        (
            |b| {
                let (one, uint) = (b.u32(1), uint(b));
                let ptr = b.ctx.types.pointer(uint, StorageClass::Function);
                b.op(Op::AccessChain, ptr, &[one, one]);
            },
            "an access chain starts at what is no pointer",
        ),
        (
            |b| {
                let (float4, half, float) = (float4(b), b.f32(0.5), b.ctx.types.float(32));
                let p = b.variable(float4, None);
                b.access_chain(p, float, &[half]);
            },
            "an index of an access chain is no integer",
        ),
        (
            |b| {
                let (one, void) = (b.u32(1), b.ctx.types.void());
                b.value(Op::FunctionCall, void, &[Operand::Id(one)]);
            },
            "a call names no function",
        ),
        (
            |b| {
                let (one, void) = (b.u32(1), b.ctx.types.void());
                b.call(Func::new(0), void, &[one]);
            },
            "a call passes other types than its function takes",
        ),
        (
            |b| {
                let uint = uint(b);
                b.call(Func::new(0), uint, &[]);
            },
            "a call is not of the type that its function returns",
        ),
        (
            |b| {
                let (float4, float, one) = (float4(b), b.ctx.types.float(32), b.u32(1));
                let (p, void) = (b.variable(float4, None), b.ctx.types.void());
                let part = b.access_chain(p, float, &[one]);
                b.call(Func::new(0), void, &[part]);
            },
            "a call passes a pointer that is no variable",
        ),
        (
            |b| {
                let (p, uint) = (variable(b), uint(b));
                b.value(Op::ArrayLength, uint, &[Operand::Id(p), Operand::Literal(0)]);
            },
            "the length of what is no runtime array",
        ),
        (
            |b| {
                let void = b.ctx.types.void();
                let only_read =
                    OpaqueType { op: Op::TypeImage, types: vec![void], words: vec![1, 0, 0, 0, 0, 0, 0] };
                let ty = b.ctx.types.intern(TypeKind::Opaque(only_read));
                let (image, one, float4) = (b.undef(ty), b.i32(1), float4(b));
                let texel = b.undef(float4);
                b.push(Op::ImageWrite, &[image, one, texel].map(Operand::Id));
            },
            "an image's access qualifier forbids the instruction",
        ),
        (
            |b| {
                let one = Operand::Id(b.u32(1));
                b.push(Op::ImageWrite, &[one, one, one]);
            },
            "an image instruction on what is no image",
        ),
        (
            |b| {
                let (image, one, float4) = (image(b, 1), b.u32(1), float4(b));
                b.op(Op::ImageRead, float4, &[image, one]);
            },
            "an image is not of the kind that the instruction needs",
        ),
        (
            |b| {
                let (image, one, uint) = (image(b, 2), b.u32(1), uint(b));
                let uint4 = b.ctx.types.vector(uint, 4);
                b.op(Op::ImageRead, uint4, &[image, one]);
            },
            "a texel is not of the image's type",
        ),
        (
            |b| {
                let (image, half, float4) = (image(b, 2), b.f32(0.5), float4(b));
                b.op(Op::ImageRead, float4, &[image, half]);
            },
            "coordinates of a texel are no integers",
        ),
        (
            |b| {
                let (one, uint) = (b.u32(1), uint(b));
                b.op(Op::AtomicIAdd, uint, &[one; 4]);
            },
            "an atomic operation on what is no pointer",
        ),
        (
            |b| {
                let (one, truth) = (b.u32(1), b.ctx.types.bool());
                let p = b.variable(truth, None);
                b.op(Op::AtomicIAdd, truth, &[p, one, one, one]);
            },
            "an atomic operation on what is no number",
        ),
        (
            |b| {
                let (one, p, int) = (b.u32(1), variable(b), b.ctx.types.i32());
                b.op(Op::AtomicIAdd, int, &[p, one, one, one]);
            },
            "the result of an atomic operation is not of its memory's type",
        ),
        (
            |b| {
                let (one, p, uint, half) = (b.u32(1), variable(b), uint(b), b.f32(0.5));
                b.op(Op::AtomicIAdd, uint, &[p, one, one, half]);
            },
            "an operand of an atomic operation is not of its memory's type",
        ),
        (
            |b| {
                let half = Operand::Id(b.f32(0.5));
                b.push(Op::ControlBarrier, &[half; 3]);
            },
            "scope or semantics of a barrier is no 32-bit constant",
        ),
        (
            |b| {
                let (half, uint) = (b.f32(0.5), uint(b));
                let ptr = b.ctx.types.pointer(uint, StorageClass::Function);
                b.value(Op::Variable, ptr, &[Operand::Literal(StorageClass::Function.0), Operand::Id(half)]);
            },
            "a variable is initialised with another type, or with no constant",
        ),
    ];
    for (build, rule) in cases {
        breaks(&module(build), rule);
    }
    let mut m = module(|b| {
        let (uint, one) = (uint(b), b.u32(1));
        let p = b.address_of(Global::new(0), uint, StorageClass::Uniform);
        b.store(p, one);
    });
    let uint = m.ctx.types.u32();
    m.globals.push(GlobalData::new("g", uint, StorageClass::Uniform, Span::default()));
    breaks(&m, "a store to memory that is only read");
}

/// The instruction that adds two numbers.
fn sum(b: &mut Builder<'_>) -> Inst {
    let (one, uint) = (b.u32(1), uint(b));
    let v = b.op(Op::IAdd, uint, &[one, one]);
    b.func.def_inst(v).unwrap()
}

#[test]
fn operands_results_and_edges() {
    let cases: &[Case] = &[
        (
            |b| {
                let (inst, block) = (sum(b), b.block);
                b.func.insts[inst].successors.push(Successor { block, args: Default::default() });
            },
            "an instruction that is no branch has successors",
        ),
        (
            |b| {
                let uint = uint(b);
                let print = InstData::bare(Opcode::Ext(ExtSet::DebugPrintf, 1), Span::default());
                b.append(print, &[uint, uint]);
            },
            "an instruction has several results",
        ),
        (
            |b| {
                let void = b.ctx.types.void();
                b.value(Opcode::Ext(ExtSet::DebugPrintf, 1), void, &[Operand::Literal(7)]);
            },
            "a format is none of the module's strings",
        ),
        (
            |b| {
                let void = b.ctx.types.void();
                b.value(Opcode::Ext(ExtSet(9999), 1), void, &[]);
            },
            "an instruction is of an unknown set",
        ),
        (
            |b| {
                let one = Operand::Id(b.u32(1));
                b.push(Op::IAdd, &[one, one]);
            },
            "an instruction has not the results that the specification gives it",
        ),
        (
            |b| {
                let inst = sum(b);
                let (region, _) = b.func.make_region();
                b.func.insts[inst].regions.push(region);
            },
            "an instruction that is not structured has regions",
        ),
        (
            |b| {
                let inst = sum(b);
                let v = b.func.insts[inst].results[0];
                b.func.values[v].def = ValueDef::Result(inst, 5);
            },
            "a value is not what its definition says",
        ),
        (
            |b| {
                let (float, uint) = (b.ctx.types.float(32), uint(b));
                let one = b.ctx.u32(1);
                let v = b.func.const_value(one, float);
                b.op(Op::IAdd, uint, &[v, v]);
            },
            "a constant does not have the type of its value",
        ),
        (
            |b| {
                let block = b.block;
                b.func.blocks[block].insts.push(Inst::new(99));
            },
            "an unknown instruction",
        ),
    ];
    for (build, rule) in cases {
        breaks(&module(build), rule);
    }
    breaks(
        &bare(|b| {
            let uint = uint(b);
            b.append(InstData::bare(Op::Return.into(), Span::default()), &[uint]);
        }),
        "a terminator has a result",
    );
    let mut m = module(|b| {
        let (uint, float) = (uint(b), b.ctx.types.float(32));
        let p = b.address_of(Global::new(0), float, StorageClass::Private);
        b.load(p);
        let _ = uint;
    });
    let uint = m.ctx.types.u32();
    m.globals.push(GlobalData::new("g", uint, StorageClass::Private, Span::default()));
    breaks(&m, "an address does not have the type of its global");
}

/// A selection, a switch and a loop, in this order, each sound.
fn structured(b: &mut Builder<'_>) {
    let (condition, one) = (b.bool(true), b.u32(1));
    let after = b.block;
    let (_, then, otherwise) = b.selection(condition, &[]);
    let (_, cases) = b.switch(one, &[(3, 1)], 1, &[]);
    let (_, body, continuing) = b.loop_op(&[], &[]);
    for block in [then, otherwise].into_iter().chain(cases) {
        b.block = block;
        b.terminate(Opcode::Merge, &[]);
    }
    b.block = body;
    b.terminate(Opcode::Continue, &[]);
    b.block = continuing;
    b.terminate(Opcode::NextIf, &[condition]);
    b.block = after;
}

#[test]
fn regions_of_structured_operations() {
    /// What is done to the selection, the switch and the loop.
    type Change = fn(&mut Function, [Inst; 3]);
    let cases: &[(Change, &str)] = &[
        (
            |f, _| {
                let body = f.body.unwrap();
                f.regions[body].blocks.clear();
            },
            "a function body has no blocks",
        ),
        (|f, [selection, ..]| f.insts[selection].regions[0] = Region::new(99), "an unknown region"),
        (
            |f, [selection, ..]| {
                let then = f.insts[selection].regions[0];
                f.regions[then].blocks[0] = Block::new(99);
            },
            "an unknown block",
        ),
        (
            |f, [selection, ..]| {
                let (then, ty) = (f.block_of(f.insts[selection].regions[0]), f.result);
                f.add_arg(then, ty);
            },
            "a region has arguments that nothing passes",
        ),
        (
            |f, [.., looped]| {
                let (body, ty) = (f.block_of(f.insts[looped].regions[0]), f.result);
                f.add_arg(body, ty);
            },
            "the initial values of a loop are not of the types of its arguments",
        ),
        (
            |f, [.., looped]| {
                let body = f.block_of(f.insts[looped].regions[0]);
                f.blocks[body].args.push(Value::new(1000));
            },
            "an unknown value is an argument",
        ),
        (
            |f, _| {
                let (entry, ty) = (f.entry().unwrap(), f.result);
                f.add_arg(entry, ty);
            },
            "the parameters are not the arguments of the entry block",
        ),
        (
            |f, [selection, ..]| {
                let [then, otherwise] = f.insts[selection].regions[..] else { unreachable!() };
                f.regions[otherwise].blocks = f.regions[then].blocks.clone();
            },
            "a block is in two places",
        ),
        (
            |f, [selection, ..]| {
                let then = f.insts[selection].regions[0];
                f.regions[then].blocks.clear();
            },
            "a region of a structured operation has not one block",
        ),
        (
            |f, [selection, ..]| f.insts[selection].regions.truncate(1),
            "a selection has not one condition and two regions",
        ),
        (|f, [_, switch, _]| f.insts[switch].operands.clear(), "a switch has no selector"),
        (
            |f, [selection, switch, _]| {
                f.insts[switch].operands[0] = f.insts[selection].operands[0];
            },
            "the selector of a switch is no integer",
        ),
        (|f, [_, switch, _]| f.insts[switch].regions.clear(), "a switch has no default"),
        (
            |f, [_, switch, _]| f.insts[switch].operands.push(Operand::Literal(3)),
            "a case has not a value and a region",
        ),
        (|f, [_, switch, _]| f.insts[switch].operands[2] = Operand::Literal(9), "a case names no region"),
        (|f, [.., looped]| f.insts[looped].regions.truncate(1), "a loop has not two regions"),
        (
            |f, [.., looped]| f.insts[looped].operands.push(Operand::Literal(3)),
            "a loop has operands that are no values",
        ),
        (
            |f, [.., looped]| {
                let body = f.insts[looped].regions[0];
                f.regions[body].blocks.clear();
            },
            "a region has no block",
        ),
        (
            |f, [_, switch, looped]| {
                let continuing = f.block_of(f.insts[looped].regions[1]);
                let next = f.blocks[continuing].insts[0];
                f.insts[next].operands[0] = f.insts[switch].operands[0];
            },
            "the condition of `next_if` is not bool",
        ),
    ];
    assert!(spirv_build::ir::verify::verify(&module(structured)).is_empty());
    for (change, rule) in cases {
        let mut m = module(structured);
        let f = &mut m.functions[Func::new(0)];
        let entry = f.entry().unwrap();
        let [selection, switch, looped, _] = f.blocks[entry].insts[..] else { unreachable!() };
        change(f, [selection, switch, looped]);
        breaks(&m, rule);
    }
}

#[test]
fn plain_graphs() {
    /// Two blocks; the first ends in `op` with these successors, by position. There is a third block, elsewhere.
    fn graph(op: Op, successors: &[usize]) -> Module {
        let mut m = bare(|_| {});
        let f = &mut m.functions[Func::new(0)];
        let (first, (_, second), (_, elsewhere)) = (f.entry().unwrap(), f.make_region(), f.make_region());
        let body = f.body.unwrap();
        f.regions[body].blocks.push(second);
        let mut b = Builder::new(&mut m.ctx, f, first);
        let inst = b.push(op, &[]);
        for &to in successors {
            let block = [first, second, elsewhere][to];
            b.func.insts[inst].successors.push(Successor { block, args: Default::default() });
        }
        b.block = second;
        b.push(Op::Return, &[]);
        m
    }
    assert!(spirv_build::ir::verify::verify(&graph(Op::Branch, &[1])).is_empty());
    breaks(&graph(Op::BranchConditional, &[1, 1]), "a branch does not have the operands that it needs");
    breaks(&graph(Op::Branch, &[1, 1]), "a branch does not have the successors that it needs");
    breaks(&graph(Op::Branch, &[0]), "a branch to the entry block");
    breaks(&graph(Op::Branch, &[2]), "a branch leaves its region");
}

#[test]
fn globals_and_entry_points() {
    let global = |storage: StorageClass, change: fn(&mut Module, &mut GlobalData)| {
        let mut m = module(|_| {});
        let uint = m.ctx.types.u32();
        let mut data = GlobalData::new("g", uint, storage, Span::default());
        change(&mut m, &mut data);
        m.globals.push(data);
        m
    };
    let other = global(StorageClass::Private, |m, g| g.init = Some(m.ctx.f32(0.5)));
    breaks(&other, "a global is initialised with another type");
    let later = global(StorageClass::Private, |m, g| {
        g.ty = m.ctx.types.pointer(g.ty, StorageClass::Private);
        g.init = Some(m.ctx.constant(g.ty, ConstKind::Address(Global::new(1))));
    });
    breaks(&later, "a global is initialised with the address of one that is declared after it");
    let shared = global(StorageClass::Workgroup, |m, g| g.init = Some(m.ctx.u32(1)));
    breaks(&shared, "a global that is neither Private nor Output is initialised");
    let resource = || Interface::new(ResourceClass::StructuredBuffer, BufferAccess::Read);
    let mut m = global(StorageClass::StorageBuffer, |_, _| {});
    m.globals[Global::new(0)].interface = Some(Interface { view_of: Some(Global::new(5)), ..resource() });
    breaks(&m, "a view is not of a buffer that is declared before it");
    let counter = Some(Counter { var: Global::new(9), binding: None });
    let hlsl = Some(Box::new(HlslResource { counter, ..HlslResource::default() }));
    m.globals[Global::new(0)].interface = Some(Interface { hlsl, ..resource() });
    breaks(&m, "the counter of a buffer is no global");
    let mut m = module(|_| {});
    m.functions[Func::new(0)].body = None;
    breaks(&m, "an entry point has no body");
    m.entry_points.clear();
    m.functions[Func::new(0)].params.push(Value::new(1000));
    breaks(&m, "an unknown value is a parameter");
    let unknown = global(StorageClass::Private, |_, g| g.ty = Type::new(99));
    breaks(&unknown, "` has an unknown type");
    let private = global(StorageClass::Private, |_, g| {
        g.interface = Some(Interface::new(ResourceClass::StructuredBuffer, BufferAccess::Read));
    });
    breaks(&private, "a resource is in a storage class that the host does not reach");
    let mut m = module(|_| {});
    m.functions[Func::new(0)].result = m.ctx.types.u32();
    breaks(&m, "an entry point returns a value");
    m.entry_points.clear();
    breaks(&m, "a function that returns a value returns none");
    m.functions[Func::new(0)].result = Type::new(99);
    breaks(&m, "a function returns an unknown type");
    let mut m = module(|_| {});
    let (f, uint) = (&mut m.functions[Func::new(0)], m.ctx.types.u32());
    let param = f.add_arg(f.entry().unwrap(), uint);
    f.params.push(param);
    breaks(&m, "an entry point takes parameters");
    m.functions[Func::new(0)].values[param].ty = Type::new(99);
    breaks(&m, "a value has an unknown type");
    m.entry_points[0].named.push(Global::new(4));
    breaks(&m, "an entry point lists an unknown global");
}

/// Texts between quotation marks in a source.
fn texts(source: &str) -> Vec<&str> {
    source.split('"').skip(1).step_by(2).collect()
}

#[test]
fn every_rule_has_a_case() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
    let tests = [read("tests/verify.rs"), read("tests/verify_rules.rs")];
    let wanted: Vec<&str> = tests.iter().flat_map(|t| texts(t)).filter(|t| t.len() > 8).collect();
    let mut missing = Vec::new();
    for entry in std::fs::read_dir(root.join("ir/src/ir/verify")).unwrap() {
        let source = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for rule in texts(&source).into_iter().filter(|t| t.contains(' ')) {
            // What stands around the parts that differ.
            let mut parts = rule.split(['{', '}']).step_by(2).filter(|p| p.len() > 8).peekable();
            let fits = |part: &str| wanted.iter().any(|w| part.contains(w) || w.contains(part));
            if parts.peek().is_some() && !parts.any(fits) {
                missing.push(rule.to_string());
            }
        }
    }
    assert!(missing.is_empty(), "no test breaks {missing:#?}");
}
