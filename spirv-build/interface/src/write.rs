//! Writing interface files.

use crate::{
    Binding, ClEntry, Cpu, CpuEntry, FORMAT_VERSION, IMAGE_DIMS, Interface, ResourceKind, Type, WaveSize,
};
use std::fmt::{self, Display, Write};

impl Interface {
    /// The file's text. Reading it back gives the same interface.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "spirv-interface {FORMAT_VERSION}")?;
        writeln!(out, "kernel {}", self.kernel)?;
        writeln!(out, "source {}", self.source)?;
        if let Some(spirv) = &self.spirv {
            writeln!(out, "spirv {spirv}")?;
        }
        if let Some(library) = &self.library {
            writeln!(out, "library {library}")?;
        }
        for f in &self.files {
            writeln!(out, "file {} bytes {} digest {}", f.name, f.bytes, f.digest)?;
        }
        for s in &self.structs {
            writeln!(out, "struct {} size {} align {}", s.name, s.size, s.align)?;
            for m in &s.members {
                writeln!(
                    out,
                    "member {} offset {} line {} type {} hlsl {}",
                    m.name, m.offset, m.line, m.ty, m.hlsl
                )?;
            }
        }
        for r in &self.resources {
            let access = if r.writable { "write" } else { "read" };
            write!(out, "resource {} line {} {access} ", r.name, r.line)?;
            match r.binding {
                Binding::Descriptor { set, binding } => write!(out, "descriptor {set} {binding} ")?,
                Binding::PushConstant { offset, size } => write!(out, "push {offset} {size} ")?,
                Binding::Address { block, offset } => write!(out, "address {block} {offset} ")?,
                Binding::Length { id, unit } => write!(out, "length {id} {unit} ")?,
            }
            writeln!(out, "{} hlsl {}", r.kind, r.hlsl)?;
        }
        for c in &self.constants {
            let (name, id, line, ty, hlsl) = (&c.name, c.id, c.line, c.scalar.name(), &c.hlsl);
            writeln!(out, "constant {name} id {id} line {line} type {ty} default {} hlsl {hlsl}", c.default)?;
        }
        for e in &self.entries {
            let [x, y, z] = e.local_size;
            write!(out, "entry {} size {x} {y} {z} resources", e.name)?;
            for r in &e.resources {
                write!(out, " {r}")?;
            }
            out.push('\n');
            for (word, list) in [("unused", &e.unused), ("optional", &e.optional)] {
                if !list.is_empty() {
                    out.push_str(word);
                    list.iter().try_for_each(|r| write!(out, " {r}"))?;
                    out.push('\n');
                }
            }
            if let Some(WaveSize { least, most, wanted }) = e.wave {
                let wanted = wanted.map_or(String::new(), |n| format!(" {n}"));
                writeln!(out, "wave {least} {most}{wanted}")?;
            }
            if !e.samples.is_empty() {
                out.push_str("samples");
                for (image, sampler) in &e.samples {
                    write!(out, " {image} {sampler}")?;
                }
                out.push('\n');
            }
            for (word, form) in [("cl", &e.cl), ("cl-memory", &e.cl_memory)] {
                match form {
                    ClEntry::Absent => {}
                    ClEntry::Kernel { module, args } => {
                        write!(out, "{word} {module}")?;
                        for arg in args {
                            write!(out, " {} {}", arg.name(), arg.number())?;
                        }
                        out.push('\n');
                    }
                    ClEntry::Refused(reason) => writeln!(out, "{word} none {}", one_line(reason))?,
                }
            }
            match &e.cpu {
                CpuEntry::Absent => {}
                CpuEntry::Code(Cpu { symbol, scratch, isas }) => {
                    writeln!(out, "cpu symbol {symbol} scratch {scratch} isas {}", isas.join(" "))?;
                }
                CpuEntry::Refused(reason) => writeln!(out, "cpu none {}", one_line(reason))?,
            }
        }
        Ok(())
    }
}

/// Text without breaks, which would end the line of the file.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(s) => f.write_str(s.name()),
            Type::Vector(s, n) => write!(f, "vector {n} {}", s.name()),
            Type::Matrix { scalar, major, minor, stride, row_major } => {
                let order = if *row_major { "rows" } else { "columns" };
                write!(f, "matrix {order} {major} {minor} {stride} {}", scalar.name())
            }
            Type::Array { elem, len, stride } => write!(f, "array {len} {stride} {elem}"),
            Type::Struct(i) => write!(f, "struct {i}"),
        }
    }
}

impl Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResourceKind::Buffer { elem, stride } => write!(f, "buffer stride {stride} type {elem}"),
            ResourceKind::Local { elem, stride } => write!(f, "local stride {stride} type {elem}"),
            ResourceKind::Bytes => f.write_str("bytes"),
            ResourceKind::Constants(i) => write!(f, "constants type struct {i}"),
            ResourceKind::Image { dim, arrayed, scalar, components, format, storage, count } => {
                let dim = IMAGE_DIMS.iter().find(|d| d.0 == *dim).map_or("2d", |d| d.1);
                let arrayed = if *arrayed { "array" } else { "single" };
                let storage = if *storage { "storage" } else { "sampled" };
                let format = format.as_deref().unwrap_or("any");
                match count {
                    Some(n) => write!(f, "images {n} ")?,
                    None => f.write_str("image ")?,
                }
                write!(f, "{dim} {arrayed} {storage} {format} {components} {}", scalar.name())
            }
            ResourceKind::Texels { scalar, components, format, storage } => {
                let storage = if *storage { "storage" } else { "sampled" };
                let format = format.as_deref().unwrap_or("any");
                write!(f, "texels {storage} {format} {components} {}", scalar.name())
            }
            ResourceKind::Sampler { compares } => {
                write!(f, "sampler {}", if *compares { "compares" } else { "plain" })
            }
        }
    }
}
