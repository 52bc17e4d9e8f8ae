//! All passes by name, as `--passes` and the tests' files write them: `inline,localize,robust-access(cpu)`.

use super::bind_resources::BindResources;
use super::expand::{Expand, Target};
use super::flatten::{Flatten, FlattenArrays};
use super::precise::{Precise, What};
use super::robust_access::{Device, RobustAccess};
use super::{
    Pass, addresses, dce, inline, legalize_resources, list_interfaces, localize, mem2reg, memory_model,
    merge_returns, nonuniform, offsets, push_constants, sccp, simplify_cfg, sroa, structurize, unroll,
    unsigned_indices,
};

/// A row of the registry.
pub struct Row {
    /// Name: what is written for the pass, and the folder of its tests.
    pub name: &'static str,
    /// What may stand in parentheses behind the name, the default first. Empty: nothing.
    pub options: &'static [&'static str],
    /// What it does, in a few words.
    pub about: &'static str,
    /// Makes the pass, with one of [`Row::options`].
    make: fn(&str) -> Box<dyn Pass>,
}

/// The registry: one row a pass.
pub const REGISTRY: &[Row] = &[
    Row {
        name: "structurize",
        options: &[],
        about: "plain control-flow graphs become structured operations",
        make: |_| Box::new(structurize::Structurize),
    },
    Row {
        name: "inline",
        options: &["all", "entries"],
        about: "calls become the bodies of what they call; with `entries` what is not called any more keeps only its name",
        make: |option| Box::new(inline::Inline { only_entries: option == "entries", keeps_calls: false }),
    },
    Row {
        name: "merge-returns",
        options: &[],
        about: "functions return where their bodies end",
        make: |_| Box::new(merge_returns::MergeReturns),
    },
    Row {
        name: "localize",
        options: &[],
        about: "module-scope variables that entry points write become local ones",
        make: |_| Box::new(localize::Localize),
    },
    Row {
        name: "mem2reg",
        options: &[],
        about: "local variables become values",
        make: |_| Box::new(mem2reg::Mem2Reg),
    },
    Row {
        name: "split-handles",
        options: &[],
        about: "local variables with resources inside become one for each part",
        make: |_| Box::new(legalize_resources::SplitHandles),
    },
    Row {
        name: "sroa",
        options: &[],
        about: "local variables of structs, arrays and matrices become variables of their parts",
        make: |_| Box::new(sroa::Sroa),
    },
    Row {
        name: "simplify-cfg",
        options: &[],
        about: "branches that choose nothing, or only between values, and loops that run once go",
        make: |_| Box::new(simplify_cfg::SimplifyCfg),
    },
    Row {
        name: "legalize-resources",
        options: &["elements", "variables"],
        about: "resources that are values become known; with `variables` they are chosen from several at run time",
        make: |option| Box::new(legalize_resources::LegalizeResources { select: option == "variables" }),
    },
    Row {
        name: "unroll",
        options: &["needed", "all"],
        about: "loops that are to be unrolled become their rounds: those that something must be known in, or all",
        make: |option| Box::new(unroll::Unroll { all: option == "all" }),
    },
    Row {
        name: "sccp",
        options: &[],
        about: "what is always the same constant or value becomes that; branches that go one way go",
        make: |_| Box::new(sccp::Sccp),
    },
    Row { name: "dce", options: &[], about: "removes what has no effect", make: |_| Box::new(dce::Dce) },
    Row {
        name: "expand",
        options: &["kernels", "cpu", "host"],
        about: "instructions that a target lacks become ones that it has",
        make: |option| {
            Box::new(Expand(match option {
                "cpu" => Target::Cpu,
                "host" => Target::Host,
                _ => Target::Kernels,
            }))
        },
    },
    Row {
        name: "precise",
        options: &["marked", "all", "instructions"],
        about: "floating-point operations whose result is precise are not contracted; with `all` no others either, with \
                `instructions` what is one stays one",
        make: |option| {
            Box::new(Precise(match option {
                "all" => What::All,
                "instructions" => What::Instructions,
                _ => What::Marked,
            }))
        },
    },
    Row {
        name: "robust-access",
        options: &["vulkan", "kernels", "cpu"],
        about: "indices out of range do the same on every device",
        make: |option| {
            Box::new(RobustAccess(match option {
                "kernels" => Device::KERNELS,
                "cpu" => Device::CPU,
                _ => Device::VULKAN,
            }))
        },
    },
    Row {
        name: "guard-addresses",
        options: &[],
        about: "accesses by address are checked against the buffers of the launch",
        make: |_| Box::new(addresses::GuardAddresses),
    },
    Row {
        name: "offsets",
        options: &[],
        about: "offsets of samples that are computed of constants become constants",
        make: |_| Box::new(offsets::Offsets),
    },
    Row {
        name: "push-constants",
        options: &["any", "unbound"],
        about: "a small block of constants becomes the push constants; with `unbound` one without a register",
        make: |option| Box::new(push_constants::PushConstants { keep_registers: option == "unbound" }),
    },
    Row {
        name: "bind-resources",
        options: &["dense", "registers"],
        about: "resources get a descriptor set and binding, numbered one after the other or by register as dxc does",
        make: |option| {
            let dxc_numbers = option == "registers";
            Box::new(BindResources { dxc_numbers, ..BindResources::default() })
        },
    },
    Row {
        name: "flatten",
        options: &["all", "members"],
        about: "arrays of textures and samplers become single resources; with `members` those in structures",
        make: |option| {
            Box::new(FlattenArrays(if option == "members" { Flatten::Members } else { Flatten::All }))
        },
    },
    Row {
        name: "unsigned-indices",
        options: &[],
        about: "negative constant indices become unsigned ones",
        make: |_| Box::new(unsigned_indices::UnsignedIndices),
    },
    Row {
        name: "nonuniform",
        options: &[],
        about: "what is reached through indices that are marked `NonUniform` is marked, too",
        make: |_| Box::new(nonuniform::NonUniform),
    },
    Row {
        name: "memory-model",
        options: &[],
        about: "accesses say what the Vulkan memory model asks for",
        make: |_| Box::new(memory_model::MemoryModel),
    },
    Row {
        name: "list-interfaces",
        options: &[],
        about: "entry points list the globals that they reach",
        make: |_| Box::new(list_interfaces::ListInterfaces),
    },
];

/// The passes of a list, with commas between them.
///
/// # Errors
/// What is wrong with it, in one line.
pub fn parse(list: &str) -> Result<Vec<Box<dyn Pass>>, String> {
    list.split(',').map(str::trim).filter(|item| !item.is_empty()).map(one).collect()
}

fn one(item: &str) -> Result<Box<dyn Pass>, String> {
    let (name, option) = match item.split_once('(') {
        Some((name, rest)) => {
            let option = rest.strip_suffix(')').ok_or_else(|| format!("`{item}` lacks its `)`"))?;
            (name, Some(option))
        }
        None => (item, None),
    };
    let Some(row) = REGISTRY.iter().find(|row| row.name == name) else {
        let names: Vec<&str> = REGISTRY.iter().map(|row| row.name).collect();
        return Err(match crate::diag::suggest::closest(name, names.iter().copied()) {
            Some(like) => format!("there is no pass `{name}`; did you mean `{like}`?"),
            None => format!("there is no pass `{name}`; there are {}", names.join(", ")),
        });
    };
    match option {
        Some(option) if row.options.contains(&option) => Ok((row.make)(option)),
        Some(option) if row.options.is_empty() => Err(format!("`{name}` takes no option `{option}`")),
        Some(option) => Err(format!("`{name}({option})`: there are {}", row.options.join(", "))),
        None => Ok((row.make)(row.options.first().copied().unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_make_what_they_are_named_for() {
        for row in REGISTRY {
            for option in row.options.iter().chain([&""]).take(row.options.len().max(1)) {
                assert_eq!((row.make)(option).name(), row.name);
            }
            assert_eq!(REGISTRY.iter().filter(|other| other.name == row.name).count(), 1);
        }
    }

    #[test]
    fn lists_are_read() {
        let names = |list: &str| parse(list).map(|l| l.iter().map(|p| p.name()).collect::<Vec<_>>());
        assert_eq!(names("inline(entries), mem2reg,dce"), Ok(vec!["inline", "mem2reg", "dce"]));
        assert_eq!(names(""), Ok(Vec::new()));
        for (list, part) in [
            ("dec", "did you mean `dce`"),
            ("frobnicate", "there are structurize, "),
            ("dce(x)", "takes no option `x`"),
            ("robust-access(gpu)", "there are vulkan, kernels, cpu"),
            ("inline(all", "lacks its `)`"),
        ] {
            let error = names(list).unwrap_err();
            assert!(error.contains(part), "{list}: {error}");
        }
    }
}
