//! Kernels: execution modes, and what metadata says of their parameters.

use super::Import;
use super::raw::Val;
use crate::ir::{EntryPoint, Func, KernelArg, Mode, ScalarKind};
use crate::llvm::mangle::opencl_type;
use spirv_spec::{ExecutionMode, ExecutionModel};

impl<'m> Import<'m, '_> {
    /// A kernel: its execution modes and parameters.
    pub(super) fn entry(&mut self, v: Val<'m>, func: Func) {
        let mut local_size = [0; 3];
        let mut modes = Vec::new();
        let numbers = |kind: &str| -> Vec<u64> {
            let node = self.m.metadata(v, kind);
            node.map_or(Vec::new(), |n| n.nodes().into_iter().flatten().filter_map(Val::int).collect())
        };
        if let [x, y, z] = numbers("reqd_work_group_size")[..] {
            local_size = [x, y, z].map(|n| n as u32);
        }
        if let [x, y, z] = numbers("work_group_size_hint")[..] {
            modes.push(Mode::words(ExecutionMode::LocalSizeHint, &[x as u32, y as u32, z as u32]));
        }
        for kind in ["intel_reqd_sub_group_size", "reqd_sub_group_size"] {
            if let [n] = numbers(kind)[..] {
                modes.push(Mode::words(ExecutionMode::SubgroupSize, &[n as u32]));
            }
        }
        if local_size.contains(&0) && local_size != [0; 3] {
            self.refuse("a work-group of no work-items", v);
            return;
        }
        for node in self.m.named(c"spirv.ExecutionMode") {
            let operands = node.nodes();
            let [Some(of), Some(mode), rest @ ..] = &operands[..] else { continue };
            if *of != v {
                continue;
            }
            let Some(mode) = mode.int() else { continue };
            let literals: Vec<u32> =
                rest.iter().flatten().filter_map(|n| n.int()).map(|n| n as u32).collect();
            match (ExecutionMode::from_u32(mode as u32), &literals[..]) {
                (Some(ExecutionMode::LocalSize), [x, y, z]) => local_size = [*x, *y, *z],
                (Some(mode), _) => modes.push(Mode::words(mode, &literals)),
                (None, _) => self.finding(format!("the execution mode {mode} is not known"), "leave it out"),
            }
        }
        self.parameters(v, func);
        // Contraction is on only where OpenCL's metadata allows it.
        self.out.entry_points.push(EntryPoint {
            func,
            name: v.name(),
            model: ExecutionModel::Kernel,
            local_size,
            modes,
            interface: Vec::new(),
            named: Vec::new(),
            wave: None,
        });
    }

    /// What `kernel_arg_*` says.
    fn parameters(&mut self, v: Val<'m>, func: Func) {
        let texts = |kind: &str| -> Vec<String> {
            let node = self.m.metadata(v, kind);
            node.map_or(Vec::new(), |n| {
                n.nodes().into_iter().map(|n| n.and_then(Val::metadata_text).unwrap_or_default()).collect()
            })
        };
        let (names, types, bases, qualifiers) = (
            texts("kernel_arg_name"),
            texts("kernel_arg_type"),
            texts("kernel_arg_base_type"),
            texts("kernel_arg_type_qual"),
        );
        let at = |list: &[String], i: usize| list.get(i).cloned().unwrap_or_default();
        let args = v.params().into_iter().enumerate().map(|(i, _)| {
            let base = at(&bases, i);
            let n = i as u32 + 1;
            KernelArg {
                name: at(&names, i),
                type_name: at(&types, i),
                readonly: at(&qualifiers, i).split(' ').any(|q| q == "const")
                    || v.has_attribute(n, "readonly")
                    || v.has_attribute(n, "readnone"),
                scalar: scalar(&base).or_else(|| scalar(&at(&types, i))),
            }
        });
        self.out.functions[func].args = args.collect();
    }
}

/// The scalar of a type as OpenCL C spells it: `uint`, `float4*`, `unsigned int`.
fn scalar(name: &str) -> Option<ScalarKind> {
    let name = name.trim_end_matches(['*', ' ']);
    let short = match name {
        "unsigned char" => "uchar",
        "unsigned short" => "ushort",
        "unsigned" | "unsigned int" => "uint",
        "unsigned long" | "size_t" => "ulong",
        "signed char" => "char",
        other => other,
    };
    let param = opencl_type(short)?;
    Some(match (param.is_float(), param.is_signed(), param.width()) {
        (_, _, 0 | 1) => return None,
        (true, _, width) => ScalarKind::Float(width),
        (_, true, width) => ScalarKind::Signed(width),
        (_, _, width) => ScalarKind::Unsigned(width),
    })
}
