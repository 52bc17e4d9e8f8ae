//! What a module tells of its source for reflection (`-fspv-reflect`): the types of resources as HLSL has them, and which counter
//! belongs to which buffer.

use crate::ir::{Decoration, DecorationOperand, Module, ResourceClass};
use smallvec::smallvec;
use spirv_spec::Decoration as Kind;

/// Extensions of these decorations.
const EXTENSIONS: [&str; 2] = ["SPV_GOOGLE_hlsl_functionality1", "SPV_GOOGLE_user_type"];

/// Annotates all resources.
pub fn run(module: &mut Module) {
    module.requested_extensions.extend(EXTENSIONS.map(String::from));
    let counters: Vec<_> = module.counters().collect();
    for (g, data) in module.globals.iter_mut() {
        let Some(i) = &data.interface else { continue };
        let is_counter = counters.iter().any(|(_, c)| c.var == g);
        if is_counter || matches!(i.class, ResourceClass::PushConstant | ResourceClass::Address) {
            continue;
        }
        data.decorations.add(Decoration::text(Kind::UserTypeGOOGLE, &user_type(i.spelling())));
    }
    for (of, c) in counters {
        let operands = smallvec![DecorationOperand::Global(c.var)];
        let d = Decoration { kind: Kind::HlslCounterBufferGOOGLE, operands };
        module.globals[of].decorations.add(d);
    }
}

/// `RWStructuredBuffer<float>[3]`: `rwstructuredbuffer:<float>`.
fn user_type(spelling: &str) -> String {
    let one = spelling.trim_end_matches(|c: char| c == ']' || c == '[' || c.is_ascii_digit());
    // Digits may belong to the name where nothing was cut.
    let one = if spelling.ends_with(']') { one } else { spelling };
    match one.split_once('<') {
        Some((name, args)) => format!("{}:<{args}", name.to_ascii_lowercase()),
        None => one.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::user_type;

    #[test]
    fn types_are_named_as_by_dxc() {
        for (spelling, name) in [
            ("cbuffer", "cbuffer"),
            ("RWByteAddressBuffer", "rwbyteaddressbuffer"),
            ("Texture2D<float4>", "texture2d:<float4>"),
            ("StructuredBuffer<Pair<int>>[5][2]", "structuredbuffer:<Pair<int>>"),
            ("SamplerState[]", "samplerstate"),
        ] {
            assert_eq!(user_type(spelling), name);
        }
    }
}
