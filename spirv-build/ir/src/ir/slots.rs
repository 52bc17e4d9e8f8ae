//! Slots: the numbers by which hosts know resources.

use super::{Global, GlobalData, Module};
use rustc_hash::FxHashMap;

/// The resources of a module in the order that defines their *slots*: the globals that the host reaches, as declared. A view
/// has the slot of the resource that it is of.
pub fn resource_order(module: &Module) -> Vec<Global> {
    let own = |g: &GlobalData| g.interface.as_ref().is_some_and(|i| i.view_of.is_none());
    module.globals.iter().filter(|(_, g)| own(g)).map(|(g, _)| g).collect()
}

/// Resources with their slots, views included.
pub fn slots(module: &Module, resources: &[Global]) -> FxHashMap<Global, u32> {
    let own: FxHashMap<Global, u32> = resources.iter().enumerate().map(|(i, g)| (*g, i as u32)).collect();
    let all = module.globals.keys().filter_map(|g| Some((g, *own.get(&module.viewed(g))?)));
    all.collect()
}
