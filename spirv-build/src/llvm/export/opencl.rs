//! `OpenCL.std`.

use super::function::{Body, Text};
use crate::ir::InstData;

impl Body<'_, '_> {
    pub fn opencl(&mut self, _number: u32, data: &InstData) -> Option<Text> {
        self.refuse_inst(data);
        None
    }
}
