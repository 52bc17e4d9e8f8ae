use super::{Analysis, Cause, Input, Shape, analyze};
use crate::ir::{Module, Value, parse};

const TEXT: &str = r#"
!Words = !spirv.struct<(!spirv.rtarray<i32, stride=4> [0]), Block>
spirv.module Logical GLSL450 {
  spirv.GlobalVariable @o {class = StructuredBuffer, writable} : !spirv.ptr<!Words, StorageBuffer>
  spirv.GlobalVariable @global built_in("GlobalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.GlobalVariable @local built_in("LocalInvocationId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.GlobalVariable @group built_in("WorkgroupId") : !spirv.ptr<vector<3xi32>, Input>
  spirv.func @main() "None" {
    %o = spirv.mlir.addressof @o : !spirv.ptr<!Words, StorageBuffer>
    %global = spirv.mlir.addressof @global : !spirv.ptr<vector<3xi32>, Input>
    %local = spirv.mlir.addressof @local : !spirv.ptr<vector<3xi32>, Input>
    %group = spirv.mlir.addressof @group : !spirv.ptr<vector<3xi32>, Input>
    %0 = spirv.Constant 0 : i32
    %4 = spirv.Constant 4 : i32
    %64 = spirv.Constant 64 : i32
    %ids = spirv.Load %global : vector<3xi32>
    %x = spirv.CompositeExtract %ids, 0 : i32
    %y = spirv.CompositeExtract %ids, 1 : i32
    %locals = spirv.Load %local : vector<3xi32>
    %l = spirv.CompositeExtract %locals, 0 : i32
    %groups = spirv.Load %group : vector<3xi32>
    %g = spirv.CompositeExtract %groups, 0 : i32
    %next = spirv.IAdd %x, %g : i32
    %scaled = spirv.IMul %x, %4 : i32
    %first = spirv.ISub %x, %l : i32
    %row = spirv.UDiv %x, %64 : i32
    %p = spirv.AccessChain %o, %0, %g : !spirv.ptr<i32, StorageBuffer>
    %read = spirv.Load %p : i32
    %q = spirv.AccessChain %o, %0, %x : !spirv.ptr<i32, StorageBuffer>
    %own = spirv.Load %q : i32
    %odd = spirv.IEqual %l, %4 : i1
    %same = spirv.mlir.selection %odd -> i32 {
      spirv.mlir.merge %g
    } else {
      spirv.mlir.merge %g
    }
    %either = spirv.mlir.selection %odd -> i32 {
      spirv.mlir.merge %g
    } else {
      spirv.mlir.merge %0
    }
    %asked = spirv.IEqual %read, %4 : i1
    %maybe = spirv.mlir.selection %asked -> i32 {
      spirv.mlir.merge %g
    } else {
      spirv.mlir.merge %0
    }
    spirv.Return
  }
  spirv.EntryPoint "GLCompute" @main "main"
  spirv.ExecutionMode @main "LocalSize", 64, 1, 1
}
"#;

fn analyzed(module: &Module) -> Analysis {
    let f = &module.functions[module.entry_points[0].func];
    analyze(Input { ctx: &module.ctx, globals: &module.globals, f, local_size: [64, 1, 1] })
}

#[test]
fn values_are_as_uniform_as_what_they_come_from() {
    let module = parse::parse(TEXT).unwrap();
    let a = analyzed(&module);
    let f = &module.functions[module.entry_points[0].func];
    let of = |name: &str| {
        let named = |v: &Value| f.values[*v].name.as_deref() == Some(name);
        let v = f.values.keys().find(named).unwrap_or_else(|| panic!("{name}"));
        (a.shape(v, 0), a.cause(v, 0))
    };
    for (name, shape, cause) in [
        ("x", Shape::Contiguous, Cause::Invocation),
        ("y", Shape::Group, Cause::None),
        ("g", Shape::Group, Cause::None),
        ("next", Shape::Contiguous, Cause::Invocation),
        ("scaled", Shape::Varying, Cause::Invocation),
        // The first of the group, and the group's own number.
        ("first", Shape::Varying, Cause::None),
        ("row", Shape::Varying, Cause::None),
        // Others may write there between two reads.
        ("read", Shape::Wave, Cause::None),
        ("own", Shape::Varying, Cause::Unknown),
        // The condition decides nothing.
        ("same", Shape::Varying, Cause::None),
        ("either", Shape::Varying, Cause::Invocation),
        ("maybe", Shape::Wave, Cause::None),
    ] {
        assert_eq!(of(name), (shape, cause), "{name}");
    }
}
