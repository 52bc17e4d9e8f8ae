//! Modules to break: what tests of the verifier share.

use spirv_build::ir::entity::Entity;
use spirv_build::ir::{Builder, EntryPoint, Func, Function, Module, Op, print, verify};
use spirv_build::source::Span;
use spirv_spec::ExecutionModel;

/// A module with one entry point, whose body `build` fills and `Return` ends.
pub fn module(build: impl FnOnce(&mut Builder<'_>)) -> Module {
    let mut m = bare(build);
    let func = Func::new(0);
    let f = &mut m.functions[func];
    let entry = f.entry().unwrap();
    Builder::new(&mut m.ctx, f, entry).push(Op::Return, &[]);
    m
}

/// The same without `Return`.
pub fn bare(build: impl FnOnce(&mut Builder<'_>)) -> Module {
    let mut m = Module::default();
    let void = m.ctx.types.void();
    let mut f = Function::new("main", void, Span::default());
    let block = f.make_body(&[]);
    build(&mut Builder::new(&mut m.ctx, &mut f, block));
    let func = m.functions.push(f);
    m.entry_points.push(EntryPoint {
        func,
        name: "main".into(),
        model: ExecutionModel::GLCompute,
        local_size: [1, 1, 1],
        modes: Vec::new(),
        interface: Vec::new(),
        named: Vec::new(),
        wave: None,
    });
    m
}

/// The verifier tells the rule, and printing does not panic.
#[track_caller]
pub fn breaks(m: &Module, rule: &str) {
    let errors = verify::verify(m);
    assert!(errors.iter().any(|e| e.message.contains(rule)), "wanted `{rule}`, got {errors:#?}");
    print::print(m);
}
