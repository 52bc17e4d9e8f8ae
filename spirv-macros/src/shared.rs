//! Structs that kernels share: those of all kernels that build.rs compiled with the same module for their types.
//!
//! A struct has one Rust type where its name and its layout agree. Where it lies in constants as it does in no buffer it has
//! `InConstants` behind its name, as within one kernel. `cbuffer`s stay with their kernels: each file has its `Params`.

use crate::artifacts::{self, Message};
use crate::names;
use crate::structs::Structs;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use spirv_interface::{Compiled, Interface, Member, ResourceKind, Type};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Behind the names of structs that lie in two ways, within one kernel and here.
const SUFFIXES: [&str; 2] = ["InConstants", "InBuffer"];

/// A kernel of a group.
pub struct Kernel {
    /// What build.rs compiled.
    pub compiled: Compiled,
    /// Its interface.
    pub interface: Interface,
}

/// A struct of a group: number of the kernel, and of the struct there.
type Id = (usize, u32);

/// Kernels that share their structs.
pub struct Group {
    /// The kernels.
    pub kernels: Vec<Kernel>,
    names: HashMap<Id, String>,
    /// The struct that each name is made of.
    definitions: Vec<(Id, String)>,
    /// Why two structs cannot be one.
    conflict: Option<Message>,
}

impl Group {
    /// The kernels that share the structs of this module, as far as build.rs could compile them.
    pub fn load(dir: &Path, compiled: &[Compiled], module: &str) -> Group {
        let of_group = compiled.iter().filter(|k| k.types.as_deref() == Some(module));
        let kernels = of_group.filter_map(|k| {
            let interface = artifacts::structs_of(dir, k)?;
            Some(Kernel { compiled: k.clone(), interface })
        });
        Group::of(kernels.collect())
    }

    fn of(kernels: Vec<Kernel>) -> Group {
        let (names, definitions) = (HashMap::new(), Vec::new());
        let mut group = Group { kernels, names, definitions, conflict: None };
        // Those of buffers first: they have the plain names.
        for in_buffers in [true, false] {
            for kernel in 0..group.kernels.len() {
                let (buffers, constants) = reached(&group.kernels[kernel]);
                let mut list: Vec<u32> = match in_buffers {
                    true => buffers.into_iter().collect(),
                    false => constants.difference(&buffers).copied().collect(),
                };
                list.sort_unstable();
                list.into_iter().for_each(|s| group.enter((kernel, s), in_buffers));
            }
        }
        group
    }

    /// Gives a struct its name.
    fn enter(&mut self, id: Id, in_buffers: bool) {
        let interface = &self.kernels[id.0].interface;
        let plain = names::camel(base(interface, id.1));
        let named = |name: &str| self.definitions.iter().find(|d| d.1 == name).map(|d| d.0);
        let mut name = plain.clone();
        if !in_buffers && named(&plain).is_some_and(|first| self.difference(first, id).is_some()) {
            name += SUFFIXES[0];
        }
        match named(&name) {
            Some(first) => {
                let difference = self.difference(first, id);
                self.conflict = self.conflict.take().or(difference);
            }
            None => self.definitions.push((id, name.clone())),
        }
        self.names.insert(id, name);
    }

    /// What tells two structs apart, if something does.
    fn difference(&self, a: Id, b: Id) -> Option<Message> {
        let [(x, s), (y, t)] = [a, b].map(|id| {
            let interface = &self.kernels[id.0].interface;
            (interface, &interface.structs[id.1 as usize])
        });
        let different = |m: &Member, n: &Member| {
            m.name != n.name || m.offset != n.offset || !same_type((x, &m.ty), (y, &n.ty))
        };
        let most = s.members.len().max(t.members.len());
        let first = (0..most).find(|&i| match (s.members.get(i), t.members.get(i)) {
            (Some(m), Some(n)) => different(m, n),
            _ => true,
        });
        let place = |interface: &Interface, member: Option<&Member>, size: u32| match member {
            Some(m) => {
                format!("{}:{}: `{} {}`, at byte {}", interface.source, m.line, m.hlsl, m.name, m.offset)
            }
            None => format!("{}: no more members; {size} bytes", interface.source),
        };
        let (m, n) = match first {
            Some(i) => (s.members.get(i), t.members.get(i)),
            None if s.size != t.size => (None, None),
            None => return None,
        };
        Some(format!(
            "the struct `{}` is not the same in two kernels that share their types\n  {}\n  {}\n\
             help: include one definition in both and compile both with the same layout, or give the other a name or \
             `.types(...)` of its own",
            s.name,
            place(x, m, s.size),
            place(y, n, t.size),
        ))
    }

    /// The name of a struct, if it is one of those that are shared.
    pub fn name(&self, kernel: usize, index: u32) -> Option<&str> {
        self.names.get(&(kernel, index)).map(String::as_str)
    }

    /// The definitions of all structs, or why there are none.
    pub fn define(&self) -> Result<TokenStream, Message> {
        if let Some(conflict) = &self.conflict {
            return Err(conflict.clone());
        }
        let mut out = TokenStream::new();
        for (kernel, of) in self.kernels.iter().enumerate() {
            let names = (0..).zip(&of.interface.structs).map(|(i, _)| self.name(kernel, i).map(String::from));
            let structs = Structs::of_group(&of.interface, names.collect(), &of.compiled.rust_types);
            for ((_, index), _) in self.definitions.iter().filter(|d| d.0.0 == kernel) {
                out.extend(structs.define_exact(*index)?);
            }
        }
        Ok(out)
    }

    /// The names that [`define`](Group::define) gives.
    pub fn defined(&self) -> impl Iterator<Item = &str> {
        self.definitions.iter().map(|d| d.1.as_str())
    }
}

/// The name in the source.
fn base(interface: &Interface, index: u32) -> &str {
    let name = &interface.structs[index as usize].name;
    let plain = SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
    plain.filter(|plain| interface.structs.iter().any(|s| s.name == *plain)).unwrap_or(name)
}

fn same_type(a: (&Interface, &Type), b: (&Interface, &Type)) -> bool {
    match (a.1, b.1) {
        // What they have inside is compared by itself.
        (Type::Struct(s), Type::Struct(t)) => base(a.0, *s) == base(b.0, *t),
        (Type::Array { elem: x, len: n, stride: s }, Type::Array { elem: y, len: m, stride: t }) => {
            (n, s) == (m, t) && same_type((a.0, x), (b.0, y))
        }
        (x, y) => x == y,
    }
}

/// The structs that are in buffers, and those that are in constants, without the `cbuffer`s and what has a type of the user's.
fn reached(kernel: &Kernel) -> (HashSet<u32>, HashSet<u32>) {
    let (interface, mut out) = (&kernel.interface, [HashSet::new(), HashSet::new()]);
    for r in &interface.resources {
        let (ty, which) = match &r.kind {
            ResourceKind::Buffer { elem, .. } => (elem.clone(), 0),
            ResourceKind::Constants(i) => (Type::Struct(*i), 1),
            _ => continue,
        };
        let mut todo = vec![ty];
        let mut block = is_block(interface, &r.kind, &r.hlsl);
        while let Some(ty) = todo.pop() {
            match ty {
                Type::Array { elem, .. } => todo.push(*elem),
                Type::Struct(i) => {
                    let of = &interface.structs[i as usize];
                    let given = kernel.compiled.rust_types.iter().any(|(name, _)| *name == of.name);
                    if !given && (std::mem::take(&mut block) || out[which].insert(i)) {
                        todo.extend(of.members.iter().map(|m| m.ty.clone()));
                    }
                }
                _ => {}
            }
        }
    }
    let [buffers, constants] = out;
    (buffers, constants)
}

/// Whether these constants are a block of their own, and not a struct that the source declares.
pub fn is_block(interface: &Interface, kind: &ResourceKind, hlsl: &str) -> bool {
    match kind {
        ResourceKind::Constants(i) => {
            let name = base(interface, *i);
            !hlsl.split(['<', '>', ' ']).any(|word| word == name || word.ends_with(&format!("::{name}")))
        }
        _ => false,
    }
}

/// Where the structs of one kernel are.
#[derive(Default)]
pub struct Types {
    module: Option<String>,
    names: Vec<Option<String>>,
    given: Vec<(String, String)>,
}

impl Types {
    /// Those of a kernel with this interface, as build.rs asks.
    pub fn of(dir: &Path, all: &[Compiled], kernel: &Compiled, interface: &Interface) -> Types {
        let names = kernel.types.as_deref().map(|module| {
            let group = Group::load(dir, all, module);
            let place = group.kernels.iter().position(|k| k.compiled == *kernel);
            let name = |i: u32| place.and_then(|k| group.name(k, i)).map(String::from);
            (0..).zip(&interface.structs).map(|(i, _)| name(i)).collect()
        });
        let (module, given) = (kernel.types.clone(), kernel.rust_types.clone());
        Types { module, names: names.unwrap_or_default(), given }
    }

    /// The user's type for one of the kernel's.
    pub fn given(&self, hlsl: &str) -> Result<Option<TokenStream>, Message> {
        self.given.iter().find(|(kernel, _)| kernel == hlsl).map(|(_, rust)| path(rust)).transpose()
    }

    /// The type of a struct that is not in the kernel's module.
    pub fn of_struct(&self, interface: &Interface, index: usize) -> Result<Option<TokenStream>, Message> {
        let s = &interface.structs[index];
        let plain = base(interface, index as u32);
        // One that lies in constants as it does in buffers is the same to Rust.
        let same =
            interface.structs.iter().any(|o| o.name == plain && (&o.members, o.size) == (&s.members, s.size));
        if same && let Some(given) = self.given(plain)? {
            return Ok(Some(given));
        }
        let (Some(module), Some(Some(name))) = (&self.module, self.names.get(index)) else { return Ok(None) };
        let (module, name) = (path(module)?, names::ident(name, Span::call_site()));
        Ok(Some(quote!(#module::#name)))
    }
}

/// A path that build.rs gave.
fn path(text: &str) -> Result<TokenStream, Message> {
    match syn::parse_str::<syn::TypePath>(text) {
        Ok(path) => Ok(quote!(#path)),
        Err(_) => Err(format!("`{text}`, which build.rs names, is no path of a type or module")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(source: &str, text: &str) -> Kernel {
        let text =
            format!("spirv-interface {}\nkernel k\nsource {source}\n{text}", spirv_interface::FORMAT_VERSION);
        Kernel { compiled: Compiled::default(), interface: Interface::from_text(&text).unwrap() }
    }

    const P: &str = "struct P size 16 align 16\nmember at offset 0 line 3 type vector 3 f32 hlsl float3\n\
        member m offset 12 line 4 type f32 hlsl float\n";
    const BUFFER: &str =
        "resource b line 9 write descriptor 0 0 buffer stride 16 type struct 0 hlsl RWStructuredBuffer<P>\n";

    #[test]
    fn equal_structs_are_one_and_cbuffers_are_none() {
        let params = "struct Params size 8 align 4\nmember n offset 0 line 2 type u32 hlsl uint\n";
        let block = "resource params line 1 read push 0 8 constants type struct 1 hlsl cbuffer\n";
        let first = kernel("a.hlsl", &format!("{P}{params}{BUFFER}{block}"));
        let second = kernel("b.hlsl", &format!("{P}{}{BUFFER}{block}", params.replace(" n ", " m ")));
        let group = Group::of(vec![first, second]);
        assert_eq!(group.defined().collect::<Vec<_>>(), ["P"]);
        assert_eq!([group.name(0, 0), group.name(1, 0), group.name(1, 1)], [Some("P"), Some("P"), None]);
        assert!(group.define().is_ok());
    }

    #[test]
    fn the_first_difference_is_named_with_both_files() {
        for (other, part) in [
            (P.replace("member m", "member mass"), "b.hlsl:4: `float mass`, at byte 12"),
            (P.replace("type f32 hlsl float", "type u32 hlsl uint"), "b.hlsl:4: `uint m`, at byte 12"),
            (P.replace("size 16", "size 32"), "b.hlsl: no more members; 32 bytes"),
            (format!("{P}member z offset 16 line 5 type f32 hlsl float\n"), "a.hlsl: no more members"),
        ] {
            let group = Group::of(vec![
                kernel("a.hlsl", &format!("{P}{BUFFER}")),
                kernel("b.hlsl", &format!("{other}{BUFFER}")),
            ]);
            let message = group.define().unwrap_err();
            assert!(message.contains("`P` is not the same") && message.contains(part), "{message}");
        }
    }

    #[test]
    fn structs_that_rust_aligns_otherwise_are_packed() {
        let odd = "struct Q size 12 align 4\nmember a offset 0 line 3 type f32 hlsl float\n\
            member b offset 4 line 4 type f64 hlsl double\n";
        let buffer = BUFFER.replace("16", "12");
        let text = Group::of(vec![kernel("a.hlsl", &format!("{odd}{buffer}"))]).define().unwrap().to_string();
        assert!(text.contains("repr (C , packed (4))"), "{text}");
        let text = Group::of(vec![kernel("a.hlsl", &format!("{P}{BUFFER}"))]).define().unwrap().to_string();
        assert!(text.contains("# [repr (C)]"), "{text}");
    }

    #[test]
    fn what_lies_otherwise_in_constants_has_a_name_of_its_own() {
        let constants = "resource c line 9 read push 0 32 constants type struct 0 hlsl ConstantBuffer<P>\n";
        let group = Group::of(vec![
            kernel("a.hlsl", &format!("{}{constants}", P.replace("size 16", "size 32"))),
            kernel("b.hlsl", &format!("{P}{BUFFER}")),
            kernel("c.hlsl", &format!("{P}{constants}")),
        ]);
        assert_eq!(
            [group.name(0, 0), group.name(1, 0), group.name(2, 0)],
            [Some("PInConstants"), Some("P"), Some("P")]
        );
        assert!(group.define().is_ok());
    }
}
