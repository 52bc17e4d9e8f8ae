//! The index of the kernels that a build script compiled: a line each.
//!
//! Fields are parted by tabs: the name of the artifacts, the source, and what else there is to say, such as `name blur4`.

/// A kernel that a build script compiled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compiled {
    /// Name of the artifacts.
    pub artifacts: String,
    /// Source, as [`recorded_path`](crate::recorded_path) has it.
    pub source: String,
    /// The name that the build script gave it, if it did.
    pub name: Option<String>,
    /// The Rust module that has its structs, if they are not in that of the kernel.
    pub types: Option<String>,
    /// Rust types of the user's: the type as the kernel spells it, and a path.
    pub rust_types: Vec<(String, String)>,
}

impl Compiled {
    /// Its line in the index.
    pub fn to_line(&self) -> String {
        let mut line = format!("{}\t{}", self.artifacts, self.source);
        if let Some(name) = &self.name {
            line += &format!("\tname {name}");
        }
        if let Some(types) = &self.types {
            line += &format!("\ttypes {types}");
        }
        for (kernel, rust) in &self.rust_types {
            line += &format!("\ttype {kernel} {rust}");
        }
        line + "\n"
    }

    /// Reads a line. What it says beyond what is known here is left alone. None if it is no such line.
    pub fn from_line(line: &str) -> Option<Compiled> {
        let mut fields = line.split('\t');
        let (artifacts, source) = (fields.next()?.to_string(), fields.next()?.to_string());
        let mut out = Compiled { artifacts, source, ..Compiled::default() };
        for (what, rest) in fields.filter_map(|f| f.split_once(' ')) {
            match what {
                "name" => out.name = Some(rest.into()),
                "types" => out.types = Some(rest.into()),
                "type" => out.rust_types.extend(rest.split_once(' ').map(|(k, r)| (k.into(), r.into()))),
                _ => {}
            }
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_read_back() {
        let source = "kernels/my kernel.hlsl".into();
        let plain = Compiled { artifacts: "k".into(), source, ..Compiled::default() };
        let named = Compiled {
            name: Some("k4".into()),
            types: Some("crate::gpu".into()),
            rust_types: vec![("float4".into(), "glam::Vec4".into()), ("P".into(), "crate::P<4, 5>".into())],
            ..plain.clone()
        };
        for kernel in [plain, named] {
            assert_eq!(Compiled::from_line(kernel.to_line().trim_end_matches('\n')), Some(kernel));
        }
        assert_eq!(Compiled::from_line("k"), None);
    }
}
