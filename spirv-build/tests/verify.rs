//! Each rule of the verifier, broken once: the message says which, and neither the printer nor the writer panics on it.

mod common;

#[path = "common/broken.rs"]
mod broken;

use broken::{bare, breaks, module};
use spirv_build::ir::entity::Entity;
use spirv_build::ir::{
    Block, Builder, Const, ConstKind, ConstOperand, Decoration, DecorationOperand, Func, Global, GlobalData,
    InstData, Member, Mode, Module, Op, Opcode, Operand, StorageClass, StructType, Type, TypeKind, TypeTable,
    Value, print, verify,
};
use spirv_build::source::Span;
use spirv_build::spv;
use spirv_build::target::TargetEnv;
use spirv_spec::{ExecutionMode, ExecutionModel};

#[track_caller]
fn holds(m: &Module) {
    let errors = verify::verify(m);
    assert!(errors.is_empty(), "{errors:#?}\n{}", print::print(m));
    let words = spv::write(m, &TargetEnv::default(), spv::WriteOptions::default()).unwrap();
    match common::validate(&words, "vulkan1.1", &[]) {
        Some(Err(said)) => panic!("{said}\n{}", spv::disassemble(&words).unwrap()),
        Some(Ok(())) => {}
        None => eprintln!("skipped: there is no spirv-val"),
    }
}

fn u32_type(b: &mut Builder<'_>) -> Type {
    b.ctx.types.u32()
}

/// A loop that runs until its argument, which counts, is 4; its result is that argument.
fn counting(b: &mut Builder<'_>, body: impl FnOnce(&mut Builder<'_>, Value)) {
    let (zero, uint, boolean) = (b.u32(0), u32_type(b), b.ctx.types.bool());
    let (inst, body_block, cont) = b.loop_op(&[zero], &[uint]);
    let after = b.block;
    let i = b.func.blocks[body_block].args[0];
    b.block = body_block;
    body(b, i);
    if !b.terminated() {
        b.terminate(Opcode::Continue, &[i]);
    }
    let passed = b.func.add_arg(cont, uint);
    b.block = cont;
    let one = b.u32(1);
    let next = b.op(Op::IAdd, uint, &[passed, one]);
    let four = b.u32(4);
    let go = b.op(Op::ULessThan, boolean, &[next, four]);
    b.terminate(Opcode::NextIf, &[go, next, next]);
    b.block = after;
    let _ = inst;
}

#[test]
fn queue_families_belong_to_the_vulkan_memory_model() {
    use spirv_spec::Scope;
    let barrier = |execution: Scope, memory: Scope| {
        module(|b| {
            let all = [execution.0, memory.0, 0x108].map(|n| Operand::Id(b.u32(n)));
            b.push(Op::ControlBarrier, &all);
        })
    };
    holds(&barrier(Scope::Workgroup, Scope::Device));
    breaks(&barrier(Scope::QueueFamily, Scope::Workgroup), "a barrier for a queue family");
    breaks(&barrier(Scope::Workgroup, Scope::QueueFamily), "a barrier for a queue family");
    let mut vulkan = barrier(Scope::Workgroup, Scope::QueueFamily);
    vulkan.memory = spirv_spec::MemoryModel::Vulkan;
    assert!(verify::verify(&vulkan).is_empty());
}

#[test]
fn sound_modules_verify() {
    holds(&module(|_| {}));
    holds(&module(|b| {
        let (cond, uint) = (b.bool(true), u32_type(b));
        let (inst, then, els) = b.selection(cond, &[uint]);
        let after = b.block;
        for (block, n) in [(then, 1), (els, 2)] {
            b.block = block;
            let v = b.u32(n);
            b.terminate(Opcode::Merge, &[v]);
        }
        b.block = after;
        let v = b.func.insts[inst].results[0];
        b.op(Op::IAdd, uint, &[v, v]);
    }));
    holds(&module(|b| counting(b, |_, _| {})));
    // Nothing continues, nothing leaves.
    holds(&bare(|b| {
        let (_, body, cont) = b.loop_op(&[], &[]);
        let after = b.block;
        b.block = body;
        b.push(Op::Return, &[]);
        b.block = cont;
        b.push(Opcode::Next, &[]);
        b.block = after;
        b.push(Op::Unreachable, &[]);
    }));
    // A break out of a selection in a switch in a loop leaves the switch only.
    holds(&module(|b| {
        counting(b, |b, i| {
            let (_, blocks) = b.switch(i, &[(3, 1), (9, 0)], 1, &[]);
            let after = b.block;
            for block in blocks {
                b.block = block;
                let cond = b.bool(false);
                let (_, then, els) = b.selection(cond, &[]);
                b.block = then;
                b.push(Opcode::Break, &[]);
                b.block = els;
                b.terminate(Opcode::Continue, &[i]);
                b.block = block;
                b.push(Op::Unreachable, &[]);
            }
            b.block = after;
        });
    }));
}

#[test]
fn blocks_and_terminators() {
    breaks(&bare(|_| {}), "a block is empty");
    breaks(
        &bare(|b| {
            let uint = u32_type(b);
            let one = b.u32(1);
            b.op(Op::IAdd, uint, &[one, one]);
        }),
        "does not end in a terminator",
    );
    breaks(
        &module(|b| {
            b.push(Op::Return, &[]);
        }),
        "a terminator is not at the end",
    );
    breaks(&bare(|b| b.terminate(Opcode::Merge, &[])), "`merge` outside");
    breaks(&bare(|b| b.terminate(Opcode::Break, &[])), "`break` outside");
    breaks(&bare(|b| b.terminate(Opcode::Continue, &[])), "`continue` outside");
    breaks(&bare(|b| b.terminate(Opcode::Next, &[])), "`next` outside");
    breaks(
        &bare(|b| {
            let one = b.u32(1);
            b.terminate(Op::ReturnValue, &[one]);
        }),
        "returns a value of another type",
    );
    breaks(
        &bare(|b| {
            b.push(Op::Branch, &[]);
        }),
        "a branch in structured control flow",
    );
}

/// A selection whose blocks `fill` fills.
fn selection(b: &mut Builder<'_>, results: &[Type], mut fill: impl FnMut(&mut Builder<'_>, usize)) {
    let cond = b.bool(true);
    let (_, then, els) = b.selection(cond, results);
    let after = b.block;
    for (i, block) in [then, els].into_iter().enumerate() {
        b.block = block;
        fill(b, i);
    }
    b.block = after;
}

#[test]
fn structured_operations() {
    breaks(
        &module(|b| {
            let uint = u32_type(b);
            selection(b, &[uint], |b, i| {
                let v = if i == 0 { b.u32(1) } else { b.f32(1.0) };
                b.terminate(Opcode::Merge, &[v]);
            });
        }),
        "passes values of other number or types",
    );
    breaks(
        &module(|b| {
            let one = b.u32(1);
            let (_, then, els) = b.selection(one, &[]);
            for block in [then, els] {
                let (after, _) = (b.block, b.block = block);
                b.terminate(Opcode::Merge, &[]);
                b.block = after;
            }
        }),
        "condition of a selection is not bool",
    );
    breaks(
        &module(|b| {
            counting(b, |b, _| {
                let wrong = b.f32(1.0);
                b.terminate(Opcode::Continue, &[wrong]);
            });
        }),
        "passes values of other number or types",
    );
    breaks(
        &module(|b| {
            let (_, body, cont) = b.loop_op(&[], &[]);
            let after = b.block;
            b.block = body;
            b.push(Opcode::Continue, &[]);
            b.block = cont;
            b.push(Op::Return, &[]);
            b.block = after;
        }),
        "a continuing region is left by another way",
    );
    breaks(
        &module(|b| {
            let one = b.u32(1);
            let (_, blocks) = b.switch(one, &[(3, 1), (3, 0)], 1, &[]);
            let after = b.block;
            for block in blocks {
                b.block = block;
                b.push(Opcode::Merge, &[]);
            }
            b.block = after;
        }),
        "two cases have the same value",
    );
}

#[test]
fn visibility() {
    breaks(
        &module(|b| {
            let uint = u32_type(b);
            let mut inner = None;
            selection(b, &[], |b, i| {
                let one = b.u32(1);
                let v = b.op(Op::IAdd, uint, &[one, one]);
                if i == 0 {
                    inner = Some(v);
                }
                b.terminate(Opcode::Merge, &[]);
            });
            let v = inner.unwrap();
            b.op(Op::IAdd, uint, &[v, v]);
        }),
        "used where it is not visible",
    );
    breaks(
        &module(|b| {
            let uint = u32_type(b);
            let one = b.u32(1);
            let v = b.op(Op::IAdd, uint, &[one, one]);
            let inst = b.func.def_inst(v).unwrap();
            b.func.insts[inst].operands[0] = Operand::Id(v);
        }),
        "used where it is not visible",
    );
    breaks(
        &module(|b| {
            let uint = u32_type(b);
            let one = b.u32(1);
            b.op(Op::IAdd, uint, &[one, Value::new(1000)]);
        }),
        "an unknown value is used",
    );
    breaks(
        &module(|b| {
            let uint = u32_type(b);
            let p = b.variable(uint, None);
            b.load(p);
            let inst = b.func.def_inst(p).unwrap();
            let entry = b.func.entry().unwrap();
            b.func.blocks[entry].insts.retain(|i| *i != inst);
            let load = b.func.blocks[entry].insts[0];
            b.func.blocks[entry].insts = vec![load, inst];
        }),
        "a variable is not at the start",
    );
}

#[test]
fn operands_and_types() {
    let with = |f: &dyn Fn(&mut Builder<'_>)| module(|b| f(b));
    type Case<'a> = (&'a dyn Fn(&mut Builder<'_>), &'a str);
    let cases: &[Case<'_>] = &[
        (
            &|b| {
                let (uint, one) = (u32_type(b), b.u32(1));
                b.op(Op::IAdd, uint, &[one]);
            },
            "OpIAdd has too few operands",
        ),
        (
            &|b| {
                let (uint, one) = (u32_type(b), b.u32(1));
                b.op(Op::IAdd, uint, &[one, one, one]);
            },
            "OpIAdd has too many operands",
        ),
        (
            &|b| {
                let uint = u32_type(b);
                b.value(Op::IAdd, uint, &[Operand::Literal(1), Operand::Literal(2)]);
            },
            "is not of the kind IdRef",
        ),
        (
            &|b| {
                let (one, half, uint) = (b.u32(1), b.f32(0.5), u32_type(b));
                b.op(Op::IAdd, uint, &[one, half]);
            },
            "of OpIAdd do not agree in type",
        ),
        (
            &|b| {
                let (one, uint) = (b.u32(1), u32_type(b));
                b.op(Op::ULessThan, uint, &[one, one]);
            },
            "of OpULessThan do not agree in type",
        ),
        (
            &|b| {
                let (one, boolean) = (b.u32(1), b.ctx.types.bool());
                b.op(Op::ConvertUToF, boolean, &[one]);
            },
            "of OpConvertUToF do not agree in type",
        ),
        (
            &|b| {
                let (one, uint) = (b.u32(1), u32_type(b));
                b.extract(one, uint, &[0]);
            },
            "of OpCompositeExtract do not agree in type",
        ),
        (
            &|b| {
                let (one, half, uint) = (b.u32(1), b.f32(0.5), u32_type(b));
                let p = b.variable(uint, None);
                b.store(p, half);
                b.store(one, one);
            },
            "a load or store is not of the type",
        ),
        (
            &|b| {
                let uint = u32_type(b);
                b.push(Op::TypeVoid, &[]);
                let _ = uint;
            },
            "does not belong in a function body",
        ),
        (
            &|b| {
                let (x, float) = (b.f32(1.0), b.ctx.types.float(32));
                b.op(Opcode::Ext(spirv_build::ir::ExtSet::Glsl, 9999), float, &[x]);
            },
            "GLSL.std.450 has no instruction 9999",
        ),
        (
            &|b| {
                let (x, float) = (b.f32(1.0), b.ctx.types.float(32));
                b.op(Opcode::Ext(spirv_build::ir::ExtSet::OpenCl, 26), float, &[x, x]);
            },
            "Opfma has too few operands",
        ),
        (
            &|b| {
                let uint = u32_type(b);
                let p = b.variable(uint, None);
                let (scope, x) = (b.load(p), b.u32(1));
                b.op(Op::AtomicIAdd, uint, &[p, scope, scope, x]);
            },
            "scope or semantics of an atomic operation",
        ),
    ];
    for (build, rule) in cases {
        breaks(&with(*build), rule);
    }
}

#[test]
fn access_chains() {
    let chain = |index_is_constant: bool, member: u32| {
        module(|b| {
            let (uint, float) = (u32_type(b), b.ctx.types.float(32));
            let members = [uint, float].map(|ty| Member::new("", ty));
            let s = b.ctx.types.intern(TypeKind::Struct(StructType::new("S", members.into())));
            let p = b.variable(s, None);
            let n = b.variable(uint, None);
            let index = if index_is_constant { b.u32(member) } else { b.load(n) };
            b.access_chain(p, float, &[index]);
        })
    };
    holds(&chain(true, 1));
    breaks(&chain(true, 0), "not of the type that it leads to");
    breaks(&chain(true, 2), "has no such part");
    breaks(&chain(false, 1), "an index into a struct is no constant");
}

#[test]
fn tables_and_entry_points() {
    let mut m = module(|_| {});
    m.entry_points[0].local_size[1] = 0;
    breaks(&m, "has no work-items");
    let mut m = module(|_| {});
    m.entry_points[0].func = Func::new(7);
    breaks(&m, "has no function");
    let mut m = module(|_| {});
    let again = m.entry_points[0].clone();
    m.entry_points.push(again);
    breaks(&m, "same name");
    let mut m = module(|_| {});
    let float = m.ctx.types.float(32);
    m.ctx.constant(float, ConstKind::Bool(true));
    breaks(&m, "does not have the form of its type");
    let mut m = module(|_| {});
    m.ctx.types.intern(TypeKind::Vector { elem: Type::new(9), len: 2 });
    breaks(&m, "does not stand before it");
    let mut m = module(|_| {});
    let ty = m.ctx.types.u32();
    m.globals.push(GlobalData::new("g", ty, StorageClass::Function, Span::default()));
    breaks(&m, "storage class Function");
}

#[test]
fn constants_that_are_specialised() {
    let with = |op: Op, list: fn(&mut Module) -> Vec<ConstOperand>| {
        let mut m = module(|_| {});
        let (list, uint) = (list(&mut m), m.ctx.types.u32());
        m.ctx.constant(uint, ConstKind::Computed(op, list));
        m
    };
    let spec = |m: &mut Module| {
        let uint = m.ctx.types.u32();
        ConstOperand::Const(m.ctx.constant(uint, ConstKind::spec(1, 2)))
    };
    holds(&with(Op::Not, |m| vec![ConstOperand::Const(m.ctx.u32(1))]));
    let form = "does not have the form of its type";
    breaks(&with(Op::Not, |_| vec![ConstOperand::Literal(1)]), form);
    breaks(&with(Op::IAdd, |m| vec![ConstOperand::Const(m.ctx.u32(1))]), form);
    breaks(&with(Op::Load, |m| vec![ConstOperand::Const(m.ctx.u32(1))]), form);
    breaks(&with(Op::Not, |_| vec![ConstOperand::Const(Const::new(9))]), form);
    let mut m = module(|_| {});
    let ConstOperand::Const(len) = spec(&mut m) else { return };
    let float = m.ctx.types.float(32);
    let array = m.ctx.types.intern(TypeKind::SpecArray { elem: float, len, stride: None });
    m.globals.push(GlobalData::new("g", array, StorageClass::Workgroup, Span::default()));
    holds(&m);
    let half = m.ctx.f32(0.5);
    m.ctx.types.intern(TypeKind::SpecArray { elem: float, len: half, stride: None });
    breaks(&m, "cannot be made of these parts");
    let mut m = module(|_| {});
    let float = m.ctx.types.float(32);
    m.ctx.types.intern(TypeKind::SpecArray { elem: float, len: Const::new(0), stride: None });
    breaks(&m, "cannot be made of these parts");
}

#[test]
fn decorations_are_of_what_there_is() {
    let with = |operand: DecorationOperand| Decoration {
        kind: spirv_spec::Decoration::UserSemantic,
        operands: [operand].into_iter().collect(),
    };
    let mut m = module(|_| {});
    let uint = m.ctx.types.u32();
    let g = m.globals.push(GlobalData::new("g", uint, StorageClass::Private, Span::default()));
    m.globals[g].decorations.add(Decoration::words(spirv_spec::Decoration(90000), &[1]));
    holds(&m);
    m.globals[g].decorations.add(with(DecorationOperand::Const(Const::new(1000))));
    breaks(&m, "a decoration names an unknown constant or global");
    let mut m = module(|_| {});
    m.functions[Func::new(0)].decorations.add(with(DecorationOperand::Global(Global::new(3))));
    breaks(&m, "a decoration names an unknown constant or global");
    let mut m = module(|b| {
        let (uint, one) = (u32_type(b), b.u32(1));
        let v = b.op(Op::IAdd, uint, &[one, one]);
        b.func.decorate(v, with(DecorationOperand::Global(Global::new(3))));
    });
    breaks(&m, "a decoration names an unknown constant or global");
    let one = m.ctx.u32(1);
    let mixed = [DecorationOperand::Const(one), DecorationOperand::Literal(2)].into_iter().collect();
    let mixed = Decoration { kind: spirv_spec::Decoration::UniformId, operands: mixed };
    m.functions[Func::new(0)].decorations.add(mixed);
    breaks(&m, "a decoration has ids beside other operands");
    let mut m = module(|_| {});
    let mut member = Member::new("a", m.ctx.types.u32());
    member.decorations.add(with(DecorationOperand::Const(one)));
    m.ctx.types.intern(TypeKind::Struct(StructType::new("S", vec![member])));
    breaks(&m, "a member of type ty2 is decorated with an id");
}

/// A module of an entry point of a model that lists one variable.
fn stage(
    model: ExecutionModel,
    storage: StorageClass,
    ty: fn(&mut TypeTable) -> Type,
    said: &[Decoration],
) -> Module {
    let mut m = module(|_| {});
    let ty = ty(&mut m.ctx.types);
    let mut g = GlobalData::new("g", ty, storage, Span::default());
    g.decorations.extend(said.iter().cloned());
    let g = m.globals.push(g);
    let e = &mut m.entry_points[0];
    (e.model, e.interface) = (model, vec![g]);
    if model != ExecutionModel::GLCompute {
        e.local_size = [0; 3];
    }
    if model == ExecutionModel::Fragment {
        e.modes.push(Mode::words(ExecutionMode::OriginUpperLeft, &[]));
    }
    m
}

#[test]
fn variables_between_stages() {
    use ExecutionModel as M;
    use StorageClass as S;
    use spirv_spec::decoration as d;
    let (plain, words) = (Decoration::plain, Decoration::words);
    let (float, uint) = (|t: &mut TypeTable| t.float(32), TypeTable::u32);
    let at = || words(d::Location, &[0]);
    let position = || words(d::BuiltIn, &[spirv_spec::BuiltIn::Position.0]);
    for (model, storage, said) in [
        (M::Vertex, S::Input, vec![at()]),
        (M::Vertex, S::Output, vec![at(), plain(d::Flat)]),
        (M::Fragment, S::Input, vec![at(), plain(d::Centroid), words(d::Component, &[1])]),
        (M::Fragment, S::Output, vec![at(), words(d::Index, &[0])]),
    ] {
        holds(&stage(model, storage, float, &said));
    }
    holds(&stage(M::Fragment, S::Input, uint, &[at(), plain(d::Flat)]));
    let cases = [
        (M::Vertex, S::Private, vec![position()], "neither Input nor Output is a system value"),
        (M::Vertex, S::Private, vec![plain(d::Flat)], "neither Input nor Output is decorated as one"),
        (M::Vertex, S::Output, vec![position(), at()], "a system value has a location"),
        (M::Vertex, S::Output, vec![words(d::Component, &[1])], "a component without location"),
        (M::Vertex, S::Input, vec![at(), plain(d::Flat)], "an input of a vertex entry point is interpolated"),
        (
            M::Fragment,
            S::Output,
            vec![at(), plain(d::Sample)],
            "an output of a fragment entry point is interpolated",
        ),
        (M::Fragment, S::Input, vec![at(), words(d::Index, &[0])], "an index on what is no output"),
        (
            M::Vertex,
            S::Output,
            vec![at(), plain(d::PerVertexKHR)],
            "a value of each vertex on what is no input",
        ),
        (M::Fragment, S::Input, vec![at(), plain(d::Patch)], "a patch outside tessellation"),
        (M::GLCompute, S::Output, vec![at()], "a compute entry point has an output"),
        (M::GLCompute, S::Input, vec![at()], "an input of a compute entry point is no system value"),
    ];
    for (model, storage, said, rule) in cases {
        breaks(&stage(model, storage, float, &said), rule);
    }
    breaks(&stage(M::Fragment, S::Input, uint, &[at()]), "cannot be interpolated and is not Flat");
    let mixed = |t: &mut TypeTable| {
        let mut members = [t.float(32), t.float(32)].map(|ty| Member::new("", ty));
        members[0].decorations.add(Decoration::words(d::BuiltIn, &[spirv_spec::BuiltIn::PointSize.0]));
        t.intern(TypeKind::Struct(StructType::block("B", members.into())))
    };
    breaks(&stage(M::Vertex, S::Output, mixed, &[]), "a block has system values beside other members");
    let mut m = stage(M::Fragment, S::Input, float, &[at()]);
    m.entry_points[0].interface.push(Global::new(0));
    breaks(&m, "an entry point lists a global twice");
    m.entry_points[0].interface.pop();
    m.entry_points[0].modes.clear();
    breaks(&m, "does not say where its origin is");
    m.entry_points[0].modes.push(Mode::consts(ExecutionMode::OriginUpperLeft, &[Const::new(99)]));
    breaks(&m, "an execution mode names an unknown constant");
    m.entry_points[0].local_size = [1; 3];
    breaks(&m, "an entry point without work-group has the size of one");
}

#[test]
fn recursion_is_found() {
    let mut m = module(|b| {
        let void = b.ctx.types.void();
        b.call(Func::new(0), void, &[]);
    });
    breaks(&m, "calls itself");
    let entry: Block = m.functions[Func::new(0)].entry().unwrap();
    let call = m.functions[Func::new(0)].blocks[entry].insts[0];
    m.functions[Func::new(0)].insts[call].operands[0] = Operand::Func(Func::new(5));
    breaks(&m, "an operand is of no table");
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| {
        module(|b| {
            let entry = b.block;
            for _ in 0..depth {
                let cond = b.bool(true);
                let (_, then, els) = b.selection(cond, &[]);
                let here = b.block;
                b.block = els;
                b.push(Opcode::Merge, &[]);
                b.block = here;
                if here != entry {
                    b.push(Opcode::Merge, &[]);
                }
                b.block = then;
            }
            if depth > 0 {
                b.push(Opcode::Merge, &[]);
            }
            b.block = entry;
        })
    };
    std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || {
            holds(&nested(verify::MAX_NESTING));
            breaks(&nested(verify::MAX_NESTING + 2), "nesting is more than");
            breaks(&nested(100_000), "deep");
            assert!(
                spv::write(&nested(100_000), &TargetEnv::default(), spv::WriteOptions::default()).is_err()
            );
        })
        .unwrap()
        .join()
        .unwrap();
}

#[test]
fn regions_and_instructions_have_one_place() {
    let mut m = module(|b| {
        selection(b, &[], |b, _| b.terminate(Opcode::Merge, &[]));
    });
    let f = &mut m.functions[Func::new(0)];
    let inst = f.blocks[f.entry().unwrap()].insts[0];
    f.insts[inst].regions[1] = f.insts[inst].regions[0];
    breaks(&m, "a region is in two places");
    let f = &mut m.functions[Func::new(0)];
    // A region that contains itself.
    let own = f.body.unwrap();
    f.insts[inst].regions[1] = own;
    breaks(&m, "a region is in two places");
    let data = InstData::new(Op::Return, [], Span::default());
    let f = &mut m.functions[Func::new(0)];
    let ret = f.make_inst(data, &[]);
    let entry = f.entry().unwrap();
    f.blocks[entry].insts = vec![ret, ret];
    breaks(&m, "an instruction is in two places");
}
