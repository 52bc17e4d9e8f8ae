//! What a pass is.

use crate::analysis::{Analyses, Preserved};
use crate::diag::Findings;
use crate::ir::Module;

/// A transformation of a module. It takes one that verifies and leaves one that verifies and means the same.
///
/// The options of a pass are fields of its type; [`super::registry`] reads them from text.
pub trait Pass {
    /// Its name: that of its row in the registry and of the folder of its tests.
    fn name(&self) -> &'static str;

    /// Runs it. What is wrong with the program is a finding: with an error among them no further pass runs.
    fn run(&self, module: &mut Module, analyses: &mut Analyses, findings: &mut Findings) -> Changed;

    /// Which analyses hold as before though it changed something.
    fn preserves(&self) -> Preserved {
        Preserved::NOTHING
    }
}

/// Whether a pass changed the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// Everything is as it was.
    No,
    /// Something is not, or may not be.
    Yes,
}

impl From<bool> for Changed {
    fn from(changed: bool) -> Changed {
        if changed { Changed::Yes } else { Changed::No }
    }
}

/// Passes that have no options: a type for each, whose function takes the module alone.
macro_rules! plain_pass {
    ($(#[$doc:meta])* $pass:ident, $name:literal, $run:path $(, $preserves:expr)?) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $pass;

        impl crate::passes::Pass for $pass {
            fn name(&self) -> &'static str {
                $name
            }

            fn run(
                &self,
                module: &mut crate::ir::Module,
                _: &mut crate::analysis::Analyses,
                _: &mut crate::diag::Findings,
            ) -> crate::passes::Changed {
                $run(module).into()
            }
            $(
                fn preserves(&self) -> crate::analysis::Preserved {
                    $preserves
                }
            )?
        }
    };
}
pub(crate) use plain_pass;
