//! Memory that is set or moved, where the number of bytes is known at run time only.
//!
//! SPIR-V copies such memory (`OpCopyMemorySized`), but neither sets it nor moves it where source and target may overlap.
//! These intrinsic functions become calls of functions with a loop over the bytes. They are written as LLVM IR and linked into
//! the module, so that they are imported as any other.

use super::raw::{Bb, Kind, Mod, Val};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use std::collections::BTreeMap;

/// Bytes that are set by one store.
pub(super) const MAX_SET: u64 = 65536;
/// Bytes that are set by one store to a value that is not constant.
pub(super) const MAX_SET_TO: u64 = 256;

/// The name of the function that does what `call` does, if it takes one.
///
/// It is made of the intrinsic function's own name, which tells address spaces and widths: no two that differ share one.
pub(super) fn function(call: Val<'_>) -> Option<String> {
    let (callee, args) = call.call()?;
    let name = callee.name();
    let rest = name.strip_prefix("llvm.")?;
    let known = args.get(2)?.int();
    let needed = match rest.split('.').next()? {
        "memmove" => known.is_none(),
        "memset" => match (args.get(1).and_then(|v| v.int()), known) {
            (_, None) => true,
            (Some(_), Some(n)) => n > MAX_SET,
            (None, Some(n)) => n > MAX_SET_TO,
        },
        _ => false,
    };
    let volatile = if args.get(3).and_then(|v| v.int()) == Some(1) { ".volatile" } else { "" };
    needed.then(|| format!("spirv.{rest}{volatile}"))
}

/// Adds the functions that the module's calls take.
pub(super) fn link(module: &Module<'_>) -> Result<(), String> {
    let raw = Mod::new(module);
    let mut texts = BTreeMap::new();
    for call in raw.functions().into_iter().flat_map(Val::blocks).flat_map(Bb::insts) {
        if let Some(name) = function(call)
            && let Some((_, args)) = call.call()
        {
            texts.entry(name).or_insert_with_key(|name| text(name, &args));
        }
    }
    for (name, text) in texts {
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "loops");
        let added = module.get_context().create_module_from_ir(buffer).map_err(|e| e.to_string())?;
        added.set_triple(&module.get_triple());
        added.set_data_layout(&module.get_data_layout());
        module.link_in_module(added).map_err(|e| e.to_string())?;
        // What is internal from the start is not linked.
        if let Some(function) = module.get_function(&name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

/// The function `name` on arguments as these.
fn text(name: &str, args: &[Val<'_>]) -> String {
    let space = |n: usize| match args[n].ty().kind() {
        Kind::Pointer(space) => space,
        _ => 0,
    };
    let word = args[2].ty().print();
    let volatile = if name.ends_with(".volatile") { "volatile " } else { "" };
    let to = space(0);
    if name.starts_with("spirv.memset") {
        let store = format!(
            "  %p = getelementptr i8, ptr addrspace({to}) %to, {word} %i\n\
             \x20 store {volatile}i8 %byte, ptr addrspace({to}) %p, align 1\n"
        );
        let up = up("up", "entry", &word, &store);
        return format!(
            "define spir_func void @{name}(ptr addrspace({to}) %to, i8 %byte, {word} %n) {{\n\
             entry:\n  %any = icmp ne {word} %n, 0\n  br i1 %any, label %up, label %done\n{up}\
             done:\n  ret void\n}}\n"
        );
    }
    let from = space(1);
    let copy = |i: &str| {
        format!(
            "  %from.{i} = getelementptr i8, ptr addrspace({from}) %from, {word} %{i}\n\
             \x20 %byte.{i} = load {volatile}i8, ptr addrspace({from}) %from.{i}, align 1\n\
             \x20 %to.{i} = getelementptr i8, ptr addrspace({to}) %to, {word} %{i}\n\
             \x20 store {volatile}i8 %byte.{i}, ptr addrspace({to}) %to.{i}, align 1\n"
        )
    };
    // Upwards overwrites what is still to be read where the target lies behind the source.
    format!(
        "define spir_func void @{name}(ptr addrspace({to}) %to, ptr addrspace({from}) %from, {word} %n) {{\n\
         entry:\n  %any = icmp ne {word} %n, 0\n  br i1 %any, label %which, label %done\n\
         which:\n  %a = ptrtoint ptr addrspace({to}) %to to i64\n\
         \x20 %b = ptrtoint ptr addrspace({from}) %from to i64\n\
         \x20 %behind = icmp ugt i64 %a, %b\n  br i1 %behind, label %down, label %up\n{}\
         down:\n  %left = phi {word} [ %n, %which ], [ %j, %down ]\n  %j = sub {word} %left, 1\n{}\
         \x20 %rest = icmp ne {word} %j, 0\n  br i1 %rest, label %down, label %done\n\
         done:\n  ret void\n}}\n",
        up("up", "which", &word, &copy("i")),
        copy("j"),
    )
}

/// A block `name` that does `what` for `%i` from 0 to `%n`.
fn up(name: &str, before: &str, word: &str, what: &str) -> String {
    format!(
        "{name}:\n  %i = phi {word} [ 0, %{before} ], [ %next, %{name} ]\n{what}\
         \x20 %next = add {word} %i, 1\n  %more = icmp ult {word} %next, %n\n\
         \x20 br i1 %more, label %{name}, label %done\n"
    )
}
