//! The `spir64` flavour.

use super::Export;
use super::function::{Body, Text};
use crate::ir::InstData;

/// What stands before and behind the functions.
#[derive(Default)]
pub(super) struct Metadata {
    pub header: String,
}

impl Metadata {
    pub fn text(&self) -> String {
        String::new()
    }
}

impl Export<'_> {
    pub fn spir_module(&mut self, _: &mut String) {}
}

impl Body<'_, '_> {
    pub fn spir(&mut self, data: &InstData) -> Option<Text> {
        self.refuse_inst(data);
        None
    }
}
