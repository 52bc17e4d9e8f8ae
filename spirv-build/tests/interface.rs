//! The interface of a module follows from the module alone, wherever that comes from.

mod common;

use common::cases;
use spirv_build::diag::Diagnostics;
use spirv_build::hlsl::{self, FileIncludes, layout::LayoutRules, lower};
use spirv_build::ir::{Module, parse, print};
use spirv_build::source::SourceMap;
use spirv_build::stack::on_large_stack;
use spirv_build::{abi, interface, pipeline};
use spirv_interface::{Interface, ResourceKind};

/// A program as our runtime's Vulkan module has it, and its interface.
fn bound(
    name: &str,
    text: &str,
    options: &hlsl::Options,
) -> Option<(Module, Result<Interface, Vec<String>>)> {
    on_large_stack(|| {
        let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
        let d = &mut diagnostics;
        let hir = hlsl::compile_to_hir(name, text, options, &FileIncludes, &mut sources, d)?;
        let lowering = lower::Options { all_counters: true, named: true, ..Default::default() };
        let module = pipeline::lower_hir(&hir, &lowering, d)?;
        let mut module = pipeline::Passes::default().optimize(true, module, d)?;
        abi::vulkan::run(&mut module, &pipeline::HOSTED);
        let made = interface::build(&module, &sources, false);
        let made = made.map_err(|errors| errors.into_iter().map(|e| e.text).collect());
        Some((module, made))
    })
}

/// Without what only a source tells.
fn without_lines(mut interface: Interface) -> Interface {
    interface.structs.iter_mut().flat_map(|s| &mut s.members).for_each(|m| m.line = 1);
    interface.resources.iter_mut().for_each(|r| r.line = 1);
    interface.constants.iter_mut().for_each(|c| c.line = 1);
    interface
}

fn of_text(text: &str) -> Result<Interface, Vec<String>> {
    let module = parse::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let made = interface::build(&module, &SourceMap::new(), false);
    made.map_err(|errors| errors.into_iter().map(|e| e.text).collect())
}

#[test]
fn the_text_of_a_module_has_the_same_interface() {
    let (mut made, mut refused) = (0, 0);
    for path in cases::all() {
        let text = std::fs::read_to_string(&path).unwrap();
        let Some((module, wanted)) = bound(&path.to_string_lossy(), &text, &cases::options(&path, &text))
        else {
            continue;
        };
        *if wanted.is_ok() { &mut made } else { &mut refused } += 1;
        let found = of_text(&print::print(&module));
        assert_eq!(found, wanted.map(without_lines), "{}", path.display());
    }
    assert!(made > 100 && refused > 0, "{made} interfaces, {refused} refused");
}

/// The lines of an interface's text that begin with one of these words.
fn lines(interface: &Interface, words: &[&str]) -> Vec<String> {
    let text = without_lines(interface.clone()).to_text();
    let wanted = |line: &&str| words.iter().any(|w| line.split(' ').next() == Some(w));
    text.lines().filter(wanted).map(|l| l.replace(" line 1", "")).collect()
}

const TYPES: &str = "namespace N { struct Inner { float a; bool b; }; }\n\
struct S { bool2x2 b; row_major float2x3 f; int3x2 m[2]; float1x3 v; N::Inner i; min16float4 h; };\n\
ConstantBuffer<S> c;\nStructuredBuffer<S> s;\nStructuredBuffer<bool3> bits;\nStructuredBuffer<int2x3> rows;\n\
Texture2D<float2> tables[4][2];\n[[vk::image_format(\"rgba8\")]] Buffer<float4> texels;\n\
RWStructuredBuffer<float> o;\n[[vk::constant_id(3)]] const uint taps = 5;\n\
[numthreads(8, 1, 1)] void main(uint i : SV_DispatchThreadID) {\n\
  o[i] = c.v[0][0] + s[i].f[0][0] + bits[i].x + rows[i][0][0] + texels[i].x + taps + tables[i & 3][1].Load(0).x;\n}\n";

#[test]
fn types_are_those_of_the_source() {
    let options = hlsl::Options { profile: "cs_6_6".into(), ..Default::default() };
    let (_, made) = bound("k.hlsl", TYPES, &options).unwrap();
    let made = made.unwrap();
    assert_eq!(
        lines(&made, &["struct", "member", "constant"]),
        [
            "struct N_Inner size 16 align 16",
            "member a offset 0 type f32 hlsl float",
            "member b offset 4 type bool hlsl bool",
            "struct S size 176 align 16",
            "member b offset 0 type matrix columns 2 2 16 bool hlsl bool2x2",
            "member f offset 32 type matrix rows 2 3 16 f32 hlsl float2x3",
            "member m offset 64 type array 2 32 matrix columns 2 3 16 i32 hlsl int3x2[2]",
            "member v offset 128 type vector 3 f32 hlsl float1x3",
            "member i offset 144 type struct 0 hlsl N::Inner",
            "member h offset 160 type vector 4 f32 hlsl min16float4",
            "struct N_InnerInBuffer size 8 align 4",
            "member a offset 0 type f32 hlsl float",
            "member b offset 4 type bool hlsl bool",
            "struct SInBuffer size 160 align 16",
            "member b offset 0 type matrix columns 2 2 8 bool hlsl bool2x2",
            "member f offset 16 type matrix rows 2 3 16 f32 hlsl float2x3",
            "member m offset 48 type array 2 32 matrix columns 2 3 16 i32 hlsl int3x2[2]",
            "member v offset 112 type vector 3 f32 hlsl float1x3",
            "member i offset 124 type struct 2 hlsl N::Inner",
            "member h offset 144 type vector 4 f32 hlsl min16float4",
            "constant taps id 3 type u32 default 5 hlsl uint",
        ]
    );
    let kind = |name: &str| made.resources.iter().find(|r| r.name == name).unwrap().kind.to_string();
    assert_eq!(kind("bits"), "buffer stride 16 type vector 3 bool");
    assert_eq!(kind("rows"), "buffer stride 24 type matrix columns 3 2 8 i32");
    // Arrays of arrays are one of all.
    assert_eq!(kind("tables"), "images 8 2d single sampled any 2 f32");
    assert_eq!(kind("texels"), "texels sampled Rgba8 4 f32");
}

/// A matrix of one row that lies column by column has each element in a row of its own.
#[test]
fn scattered_matrices_are_arrays() {
    let options = hlsl::Options { profile: "cs_6_6".into(), layout: LayoutRules::DX, ..Default::default() };
    let (_, made) = bound("k.hlsl", TYPES, &options).unwrap();
    let members = lines(&made.unwrap(), &["member"]);
    assert!(
        members.iter().any(|m| m.starts_with("member v ") && m.contains(" type array 3 16 f32 ")),
        "{members:?}"
    );
}

/// A module that no attribute says anything of.
const BARE: &str = "!Block = !spirv.struct<(n: i32 [0], v: vector<3xf32> [16], !spirv.matrix<2 x vector<3xf32>> [32, ColMajor, MatrixStride=16]), Block>
!Buffer = !spirv.struct<(!spirv.rtarray<si32, stride=4> [0]), Block>
spirv.module Logical GLSL450 {
  spirv.SpecConstant @taps spec_id(7) = 42 : si32
  spirv.GlobalVariable @\"a b\" bind(0, 0) {class = StructuredBuffer} : !spirv.ptr<!Buffer, StorageBuffer>
  spirv.GlobalVariable @spare bind(0, 1) {class = StructuredBuffer, writable} : !spirv.ptr<!Buffer, StorageBuffer>
  spirv.GlobalVariable @block bind(1, 0) {class = ConstantBuffer} : !spirv.ptr<!Block, Uniform>
  spirv.func @main() \"None\" {
    spirv.Return
  }
  spirv.EntryPoint \"GLCompute\" @main \"main\", @\"a b\"
  spirv.ExecutionMode @main \"LocalSize\", 8, 1, 1
}
";

#[test]
fn modules_without_attributes_have_an_interface() {
    let made = of_text(BARE).unwrap();
    assert_eq!(
        lines(&made, &["struct", "member", "resource", "constant", "entry", "unused", "optional"]),
        [
            "struct Block size 60 align 4",
            "member n offset 0 type u32 hlsl u32",
            "member v offset 16 type vector 3 f32 hlsl <3 x f32>",
            "member member2 offset 32 type matrix columns 2 3 16 f32 hlsl ",
            "resource a_b read descriptor 0 0 buffer stride 4 type i32 hlsl ",
            "resource spare write descriptor 0 1 buffer stride 4 type i32 hlsl ",
            "resource block read descriptor 1 0 constants type struct 0 hlsl ",
            "constant taps id 7 type i32 default 42 hlsl i32",
            "entry main size 8 1 1 resources 0",
            "optional 1 2",
        ]
    );
    assert!(matches!(made.resources[2].kind, ResourceKind::Constants(0)));
    assert_eq!(Interface::from_text(&made.to_text()).unwrap(), made);
}

/// Addresses of devices are nothing that a host can hand out, and of what has no layout nothing is known.
#[test]
fn what_hosts_cannot_have_is_refused() {
    let source = "struct L { vk::BufferPointer<int> next; };\nStructuredBuffer<L> l;\nRWStructuredBuffer<uint> o;\n\
        [numthreads(1, 1, 1)] void main() { o[0] = (uint)(uint64_t)l[0].next; }\n";
    let options = hlsl::Options { profile: "cs_6_6".into(), ..Default::default() };
    let (_, made) = bound("k.hlsl", source, &options).unwrap();
    let errors = made.unwrap_err();
    assert!(errors.iter().any(|e| e.ends_with("in memory that the host sees")), "{errors:?}");
    let errors = of_text(&BARE.replace("n: i32 [0]", "n: i32")).unwrap_err();
    assert_eq!(errors, ["a type without layout in memory that the host sees"]);
}
