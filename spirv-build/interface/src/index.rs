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
}

impl Compiled {
    /// Its line in the index.
    pub fn to_line(&self) -> String {
        let mut line = format!("{}\t{}", self.artifacts, self.source);
        if let Some(name) = &self.name {
            line += &format!("\tname {name}");
        }
        line + "\n"
    }

    /// Reads a line. What it says beyond what is known here is left alone. None if it is no such line.
    pub fn from_line(line: &str) -> Option<Compiled> {
        let mut fields = line.split('\t');
        let (artifacts, source) = (fields.next()?.to_string(), fields.next()?.to_string());
        let mut out = Compiled { artifacts, source, name: None };
        for field in fields {
            if let Some(("name", name)) = field.split_once(' ') {
                out.name = Some(name.into());
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
        let plain = Compiled { artifacts: "k".into(), source: "kernels/my kernel.hlsl".into(), name: None };
        let named = Compiled { name: Some("k4".into()), ..plain.clone() };
        for kernel in [plain, named] {
            assert_eq!(Compiled::from_line(kernel.to_line().trim_end_matches('\n')), Some(kernel));
        }
        assert_eq!(Compiled::from_line("k"), None);
    }
}
