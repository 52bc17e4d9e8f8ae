//! What entry points reach.

use super::plain_pass;
use crate::analysis::Preserved;
use crate::ir::edit;

plain_pass! {
    /// Fills the interface of each entry point with what it reaches through calls.
    ListInterfaces, "list-interfaces", edit::list_interfaces, Preserved::ALL
}
