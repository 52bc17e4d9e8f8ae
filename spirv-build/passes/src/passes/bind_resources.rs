//! Descriptor sets and bindings of resources.

use super::flatten::{self, Flatten};
use super::{Changed, Pass};
use crate::analysis::{Analyses, Preserved};
use crate::diag::{Code, Finding, Findings};
use crate::ir::entity::Entity;
use crate::ir::walk;
use crate::ir::{BufferAccess, Counter, Global, GlobalData, Heap, Module, ResourceClass};
use crate::source::Span;
use rustc_hash::FxHashSet;

/// Gives every resource a descriptor set and binding.
#[derive(Debug, Clone, Default)]
pub struct BindResources {
    /// Numbers as dxc does: `register(t3, space1)` is binding 3 of set 1 whatever its class, and each writable structured
    /// buffer that is a variable of its own takes a number more, for its counter. Otherwise registers mean nothing and numbers are dense.
    pub dxc_numbers: bool,
    /// With [`BindResources::dxc_numbers`]: what is added to the numbers of registers of a class in a space (None: in all).
    pub shifts: Vec<Shift>,
    /// Shifts go for resources without a register, too.
    pub auto_shift: bool,
    /// Which arrays of textures and samplers become single resources afterwards and need as many numbers.
    pub flatten: Flatten,
    /// Where descriptor heaps are bound (set, binding), by [`Heap`]. Those without a place get a number like other resources.
    pub heaps: [Option<(u32, u32)>; 3],
}

impl Pass for BindResources {
    fn name(&self) -> &'static str {
        "bind-resources"
    }

    fn run(&self, module: &mut Module, _: &mut Analyses, findings: &mut Findings) -> Changed {
        let collisions = number(module, self);
        findings.extend(report(collisions, self.dxc_numbers));
        Changed::Yes
    }

    fn preserves(&self) -> Preserved {
        Preserved::ALL
    }
}

/// `-fvk-t-shift 16 0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shift {
    /// `b`, `t`, `u` or `s`.
    pub class: char,
    /// What is added.
    pub by: u32,
    /// In which space; None: in all.
    pub space: Option<u32>,
}

/// Two resources in one place, which Vulkan allows only if they are of the same kind.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Collision {
    /// Name of the earlier one.
    first: String,
    /// Where it is declared.
    first_span: Span,
    /// Name of the later one.
    second: String,
    /// Where it is declared.
    second_span: Span,
    /// Set and binding of both.
    binding: (u32, u32),
    /// Whether both are given by `[[vk::binding]]`.
    explicit: bool,
}

/// Resources in one place that are listed beside the first two.
const MAX_COLLISIONS: usize = 4;

/// What is to be said of resources in one place.
fn report(mut found: Vec<Collision>, as_dxc: bool) -> Vec<Finding> {
    let words = |c: &Collision| {
        let (set, binding) = c.binding;
        format!("`{}` and `{}` share binding {binding} of set {set}", c.first, c.second)
    };
    let finding = |c: &Collision| {
        let declared = format!("`{}` is declared here", c.first);
        Finding::new(Code::BadRegister, c.second_span, words(c)).secondary(c.first_span, declared)
    };
    if !as_dxc {
        let help = "give each its own `[[vk::binding(n, set)]]` or leave the numbers out";
        return found.iter().map(|c| finding(c).help(help)).collect();
    }
    // Who writes both numbers means it: views of one descriptor as several types.
    found.retain(|c| !c.explicit);
    let Some((first, others)) = found.split_first() else { return Vec::new() };
    // Registers of different classes have numbers of their own in Direct3D; dxc says nothing at all. One mistake is behind
    // all of them, and one remedy.
    let mut warning = finding(first).warning();
    for c in others.iter().take(MAX_COLLISIONS) {
        warning = warning.note(format!("so do {}", words(c).replacen(" share", " with", 1)));
    }
    if others.len() > MAX_COLLISIONS {
        warning = warning.note(format!("and {} more", others.len() - MAX_COLLISIONS));
    }
    let help = "shift one class of registers (`-fvk-t-shift 16 0`) or write `[[vk::binding(n, set)]]`";
    vec![warning.help(help)]
}

/// The class of registers that a resource would have.
fn letter(class: ResourceClass, access: BufferAccess) -> Option<char> {
    match (class, access) {
        (ResourceClass::PushConstant, _) => None,
        (ResourceClass::ConstantBuffer, _) => Some('b'),
        (ResourceClass::Sampler, _) => Some('s'),
        (_, BufferAccess::Read) => Some('t'),
        (_, BufferAccess::ReadWrite) => Some('u'),
    }
}

/// Numbers in use.
#[derive(Default)]
struct Numbers {
    used: FxHashSet<(u32, u32)>,
    next: Vec<(u32, u32)>,
}

impl Numbers {
    /// The lowest numbers of a set, so many in a row, that are free and not below another; the first of them.
    fn take_from(&mut self, set: u32, from: u32, count: u32) -> (u32, u32) {
        let mut n = from;
        while let Some(taken) = (n..n + count).rev().find(|n| self.used.contains(&(set, *n))) {
            n = taken + 1;
        }
        self.used.extend((n..n + count).map(|n| (set, n)));
        (set, n)
    }

    /// The lowest number of a set that is free.
    fn take(&mut self, set: u32) -> (u32, u32) {
        let at = self.next.iter().position(|n| n.0 == set).unwrap_or_else(|| {
            self.next.push((set, 0));
            self.next.len() - 1
        });
        while !self.used.insert((set, self.next[at].1)) {
            self.next[at].1 += 1;
        }
        (set, self.next[at].1)
    }
}

/// Whether Vulkan finds a resource by a descriptor.
fn has_descriptor(class: ResourceClass) -> bool {
    !matches!(class, ResourceClass::PushConstant | ResourceClass::Address | ResourceClass::LocalMemory)
}

fn number(module: &mut Module, options: &BindResources) -> Vec<Collision> {
    let (mut numbers, mut explicit) = (Numbers::default(), FxHashSet::default());
    let views: Vec<(Global, Global)> =
        module.globals.iter().filter_map(|(g, d)| Some((g, d.interface.as_ref()?.view_of?))).collect();
    let counters: Vec<(Global, Counter)> = module.counters().collect();
    let heaps: Vec<(Global, Heap)> =
        module.globals.iter().filter_map(|(g, d)| Some((g, d.hlsl().heap?))).collect();
    let later = counters.iter().map(|c| c.1.var).chain(heaps.iter().map(|h| h.0));
    let later: FxHashSet<Global> = later.chain(views.iter().map(|v| v.0)).collect();
    let types = &module.ctx.types;
    let count = |data: &GlobalData| flatten::elements(types, data, options.flatten).map_or(1, |e| e.1);
    for (g, data) in module.globals.iter_mut().filter(|(g, _)| !later.contains(g)) {
        let count = count(data);
        let Some(i) = data.interface.as_mut().filter(|i| has_descriptor(i.class)) else {
            continue;
        };
        if i.binding.is_some() {
            explicit.insert(g);
        } else if let (Some((class, number, space)), true) = (i.hlsl().register, options.dxc_numbers) {
            let shift = |s: &&Shift| s.class == class && s.space.is_none_or(|n| n == space);
            let by = options.shifts.iter().rev().find(shift).map_or(0, |s| s.by);
            i.binding = Some((space, number.saturating_add(by)));
        }
        let all = i.binding.map(|(set, n)| (n..n.saturating_add(count)).map(move |n| (set, n)));
        numbers.used.extend(all.into_iter().flatten());
    }
    let in_heap = |g: Global| heaps.iter().any(|h| h.0 == g);
    // Counters with a number of their own.
    for (of, c) in &counters {
        let set = module.globals[*of].interface.as_ref().and_then(|i| i.binding).map_or(0, |b| b.0);
        if let (Some(binding), Some(i)) = (c.binding, module.globals[c.var].interface.as_mut()) {
            i.binding = Some((set, binding));
            numbers.used.insert((set, binding));
        }
    }
    let mut numbered = Vec::new();
    for (_, data) in module.globals.iter_mut().filter(|(g, _)| !later.contains(g)) {
        let count = count(data);
        let Some(i) = data.interface.as_mut().filter(|i| has_descriptor(i.class)) else {
            continue;
        };
        let class = options.auto_shift.then(|| letter(i.class, i.access)).flatten();
        let set = i.hlsl().space.filter(|_| options.dxc_numbers).unwrap_or(0);
        let shift = |s: &&Shift| Some(s.class) == class && s.space.is_none_or(|n| n == set);
        let by = options.shifts.iter().rev().find(shift).map_or(0, |s| s.by);
        let binding = *i.binding.get_or_insert_with(|| match (by, count) {
            (0, 1) => numbers.take(set),
            _ => numbers.take_from(set, by, count),
        });
        // Structures of buffers are not dxc's: nobody expects gaps between their parts.
        let counts = i.class == ResourceClass::StructuredBuffer
            && i.access == BufferAccess::ReadWrite
            && i.hlsl().part_of.is_none();
        let counter = i.hlsl().counter;
        let open = counter.is_none_or(|c| c.binding.is_none());
        if open && (counter.is_some() || options.dxc_numbers && counts) {
            let number = numbers.take(binding.0);
            numbered.extend(counter.map(|c| (c.var, number)));
        }
    }
    for (var, number) in numbered {
        if let Some(i) = &mut module.globals[var].interface {
            i.binding = Some(number);
        }
    }
    // Last the heaps: one place for each kind that is used.
    for (at, kind) in Heap::ALL.into_iter().enumerate() {
        let of_kind: Vec<Global> = heaps.iter().filter(|h| h.1 == kind).map(|h| h.0).collect();
        if of_kind.is_empty() {
            continue;
        }
        let place = options.heaps[at].unwrap_or_else(|| numbers.take(0));
        for g in of_kind {
            if let Some(i) = &mut module.globals[g].interface {
                i.binding = Some(place);
            }
        }
    }
    for (view, of) in views {
        let place = module.globals[of].interface.as_ref().and_then(|i| i.binding);
        if let Some(i) = &mut module.globals[view].interface {
            i.binding = place;
        }
    }
    let mut found = collisions(module, &explicit, options.dxc_numbers);
    found.retain(|(a, b, _)| !(in_heap(*a) && in_heap(*b)));
    found.into_iter().map(|(_, _, c)| c).collect()
}

/// What shares a place with another; with `by_entry` only what one entry point reaches both of: a header may declare the
/// resources of many programs, and only what a program uses needs a descriptor.
fn collisions(
    module: &Module,
    explicit: &FxHashSet<Global>,
    by_entry: bool,
) -> Vec<(Global, Global, Collision)> {
    let own = |(g, d): (Global, &GlobalData)| {
        let i = d.interface.as_ref().filter(|i| i.view_of.is_none())?;
        Some((i.binding?, g))
    };
    let mut placed: Vec<((u32, u32), Global)> = module.globals.iter().filter_map(own).collect();
    placed.sort_by_key(|(binding, g)| (*binding, g.index()));
    // A texture and a sampler that the source puts into one place are one descriptor, a combined one.
    let combined = |a: Global, b: Global| {
        let class = |g: Global| module.globals[g].interface.as_ref().map(|i| (i.class, i.access));
        let texture = Some((ResourceClass::Image, BufferAccess::Read));
        let sampler = |g: Global| class(g).is_some_and(|c| c.0 == ResourceClass::Sampler);
        explicit.contains(&a)
            && explicit.contains(&b)
            && (class(a) == texture && sampler(b) || class(b) == texture && sampler(a))
    };
    if !placed.windows(2).any(|w| w[0].0 == w[1].0) {
        return Vec::new();
    }
    let mut pairs: Vec<((u32, u32), Global, Global)> = Vec::new();
    let mut look_at = |placed: &[((u32, u32), Global)]| {
        for w in placed.windows(2) {
            let pair = (w[0].0, w[0].1, w[1].1);
            if w[0].0 == w[1].0 && !combined(pair.1, pair.2) && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
    };
    if by_entry {
        for e in &module.entry_points {
            let used = walk::globals_reached(module, e.func);
            let placed: Vec<_> = placed.iter().copied().filter(|(_, g)| used.contains(g)).collect();
            look_at(&placed);
        }
    } else {
        look_at(&placed);
    }
    pairs
        .into_iter()
        .map(|(binding, a, b)| {
            let [first, second] = [a, b].map(|g| &module.globals[g]);
            let collision = Collision {
                first: first.name.clone(),
                first_span: first.span,
                second: second.name.clone(),
                second_span: second.span,
                binding,
                explicit: explicit.contains(&a) && explicit.contains(&b),
            };
            (a, b, collision)
        })
        .collect()
}
