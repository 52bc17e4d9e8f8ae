//! A wrong and a right example of each code, for `--explain`: `examples.txt`.
//!
//! A section is headed by `# CODE kind`, with `flags: …` where the code needs some, and has the right example behind
//! `# right`. Kinds: `body` stands in a kernel with `RWStructuredBuffer<float> o` and `uint3 id`; `file` has a kernel added if
//! it has none; `whole` is a file as it is; `script` is one that a build script compiles; `words` is no source.
use super::Code;

const TEXT: &str = include_str!("examples.txt");

/// What an example is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Statements of a kernel.
    Body,
    /// Declarations.
    File,
    /// A whole file.
    Whole,
    /// A whole file that a build script compiles.
    Script,
    /// No source can show it.
    Words,
}

/// One of the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Flags that it is compiled with.
    pub flags: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// The examples of a code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Examples {
    /// What they are.
    pub kind: Kind,
    /// Has the finding.
    pub wrong: Example,
    /// Has it not.
    pub right: Example,
}

impl Examples {
    /// The example as a file that can be compiled.
    pub fn source(&self, example: &Example) -> String {
        let text = example.text;
        match self.kind {
            Kind::Body => format!(
                "RWStructuredBuffer<float> o;\n[numthreads(64, 1, 1)]\nvoid main(uint3 id : SV_DispatchThreadID)\n{{\n{text}\n}}\n"
            ),
            Kind::File if !text.contains("[numthreads") => {
                format!("{text}\n[numthreads(1, 1, 1)] void main() {{ }}\n")
            }
            _ => format!("{text}\n"),
        }
    }
}

impl Code {
    /// A wrong and a right example.
    pub fn examples(self) -> Option<Examples> {
        let section = TEXT.split("# H").find_map(|s| s.strip_prefix(self.id().trim_start_matches('H')))?;
        let (wrong, right) = section.split_once("# right")?;
        let (head, wrong) = wrong.split_once('\n')?;
        let (right_head, right) = right.split_once('\n')?;
        let flags = |head: &'static str| head.split_once("flags: ").map_or("", |(_, f)| f.trim());
        let kind = match head.split_whitespace().next()? {
            "body" => Kind::Body,
            "file" => Kind::File,
            "script" => Kind::Script,
            "words" => Kind::Words,
            _ => Kind::Whole,
        };
        let example = |flags, text: &'static str| Example { flags, text: text.trim_end() };
        Some(Examples { kind, wrong: example(flags(head), wrong), right: example(flags(right_head), right) })
    }
}

/// What `--explain` prints.
pub fn explain(code: Code) -> String {
    let mut out = format!("{}: {}\n\n{}\n", code.id(), code.title(), code.explanation());
    let Some(examples) = code.examples() else { return out };
    for (name, example) in [("Wrong", &examples.wrong), ("Right", &examples.right)] {
        let with =
            if example.flags.is_empty() { String::new() } else { format!(" (with `{}`)", example.flags) };
        let script = if examples.kind == Kind::Script { " (in a build script)" } else { "" };
        out += &format!("\n{name}{with}{script}:\n\n");
        for line in example.text.lines() {
            out += &format!("    {line}\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_both_examples() {
        for &code in Code::ALL {
            let examples = code.examples().unwrap_or_else(|| panic!("{} has no examples", code.id()));
            assert!(!examples.wrong.text.is_empty() && !examples.right.text.is_empty(), "{}", code.id());
            let text = explain(code);
            assert!(text.contains("\nWrong") && text.contains("\nRight"), "{text}");
        }
    }
}
