//! Reading interface files.

use crate::{
    Binding, CL_ARGS, ClArg, ClEntry, Constant, Cpu, CpuEntry, Digest, EntryPoint, FORMAT_VERSION, File,
    IMAGE_DIMS, Interface, Member, Resource, ResourceKind, SCALARS, Scalar, Struct, Type, WaveSize,
};
use std::fmt;

/// Nesting of array types beyond which a file is refused.
const MAX_DEPTH: u32 = 32;

/// Why an interface file was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Line in the interface file, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, String>;

impl Interface {
    /// Reads the text of an interface file.
    ///
    /// # Errors
    /// The file is of another version, a line is malformed, or an index points outside its table.
    pub fn from_text(text: &str) -> std::result::Result<Interface, ParseError> {
        let mut out = Interface::default();
        let mut lines = text.lines().enumerate();
        let error = |i: usize, message: String| ParseError { line: i as u32 + 1, message };
        let version = lines.next().and_then(|(_, l)| l.strip_prefix("spirv-interface ")).map(str::trim);
        match version {
            None => return Err(error(0, "this is no spirv-interface file".into())),
            Some(v) if v != FORMAT_VERSION.to_string() => {
                return Err(error(
                    0,
                    format!(
                        "the file has format version {v}, but this version of spirv-macros reads {FORMAT_VERSION}; \
                         spirv-build and spirv-runtime must be of the same version (run `cargo clean`)"
                    ),
                ));
            }
            Some(_) => {}
        }
        for (i, line) in lines {
            read_line(&mut out, line).map_err(|m| error(i, m))?;
        }
        check(&out).map_err(|m| error(0, m))?;
        Ok(out)
    }
}

/// Words of a line; each reader takes what it expects from the front.
struct Words<'a>(&'a str);

impl<'a> Words<'a> {
    fn next(&mut self) -> Result<&'a str> {
        let rest = self.0.trim_start();
        let end = rest.find(' ').unwrap_or(rest.len());
        self.0 = &rest[end..];
        if end == 0 { Err("the line ends too early".into()) } else { Ok(&rest[..end]) }
    }

    fn expect(&mut self, word: &str) -> Result<()> {
        let got = self.next()?;
        if got == word { Ok(()) } else { Err(format!("expected `{word}`, found `{got}`")) }
    }

    fn number(&mut self) -> Result<u32> {
        let word = self.next()?;
        word.parse().map_err(|_| format!("expected a number, found `{word}`"))
    }

    fn labelled(&mut self, label: &str) -> Result<u32> {
        self.expect(label)?;
        self.number()
    }

    fn rest(&mut self) -> &'a str {
        std::mem::take(&mut self.0).trim()
    }

    fn scalar(&mut self) -> Result<Scalar> {
        scalar(self.next()?)
    }

    /// Indices, to the end of the line.
    fn resources(&mut self) -> Result<Vec<u32>> {
        let all: std::result::Result<_, _> = self.rest().split_whitespace().map(str::parse).collect();
        all.map_err(|_| "a resource index is no number".into())
    }
}

fn scalar(word: &str) -> Result<Scalar> {
    SCALARS.iter().find(|r| r.1 == word).map(|r| r.0).ok_or_else(|| format!("unknown type `{word}`"))
}

fn read_line(out: &mut Interface, line: &str) -> Result<()> {
    let mut w = Words(line);
    match w.next()? {
        "kernel" => out.kernel = w.rest().into(),
        "source" => out.source = w.rest().into(),
        "spirv" => out.spirv = Some(w.rest().into()),
        "library" => out.library = Some(w.rest().into()),
        "file" => {
            let name = w.next()?.to_string();
            w.expect("bytes")?;
            let bytes = w.next()?.parse().map_err(|_| "a length is no number")?;
            w.expect("digest")?;
            let digest = Digest::from_text(w.next()?).ok_or("a digest is malformed")?;
            out.files.push(File { name, bytes, digest });
        }
        word @ ("cl" | "cl-memory") => {
            let entry = out.entries.last_mut().ok_or("a kernel outside an entry point")?;
            let form = read_cl_entry(&mut w)?;
            *(if word == "cl" { &mut entry.cl } else { &mut entry.cl_memory }) = form;
        }
        "struct" => {
            let name = w.next()?.into();
            let (size, align) = (w.labelled("size")?, w.labelled("align")?);
            out.structs.push(Struct { name, size, align, members: Vec::new() });
        }
        "member" => {
            let name = w.next()?.into();
            let (offset, line) = (w.labelled("offset")?, w.labelled("line")?);
            w.expect("type")?;
            let ty = read_type(&mut w, 0)?;
            w.expect("hlsl")?;
            let member = Member { name, offset, ty, line, hlsl: w.rest().into() };
            out.structs.last_mut().ok_or("a member outside a struct")?.members.push(member);
        }
        "resource" => {
            let name = w.next()?.into();
            let line = w.labelled("line")?;
            let writable = match w.next()? {
                "read" => false,
                "write" => true,
                other => return Err(format!("unknown access `{other}`")),
            };
            let binding = match w.next()? {
                "descriptor" => Binding::Descriptor { set: w.number()?, binding: w.number()? },
                "push" => Binding::PushConstant { offset: w.number()?, size: w.number()? },
                "address" => Binding::Address { block: w.number()?, offset: w.number()? },
                "length" => Binding::Length { id: w.number()?, unit: w.number()? },
                other => return Err(format!("unknown binding `{other}`")),
            };
            let kind = read_kind(&mut w)?;
            w.expect("hlsl")?;
            let hlsl = w.rest().into();
            out.resources.push(Resource { name, line, writable, binding, kind, hlsl });
        }
        "constant" => {
            let name = w.next()?.into();
            let (id, line) = (w.labelled("id")?, w.labelled("line")?);
            w.expect("type")?;
            let scalar = w.scalar()?;
            w.expect("default")?;
            let default = w.next()?.parse().map_err(|_| "a default is no number")?;
            w.expect("hlsl")?;
            out.constants.push(Constant { name, id, line, scalar, default, hlsl: w.rest().into() });
        }
        "entry" => {
            let name = w.next()?.into();
            w.expect("size")?;
            let local_size = [w.number()?, w.number()?, w.number()?];
            w.expect("resources")?;
            out.entries.push(EntryPoint {
                name,
                local_size,
                resources: w.resources()?,
                unused: Vec::new(),
                optional: Vec::new(),
                wave: None,
                samples: Vec::new(),
                cl: ClEntry::Absent,
                cl_memory: ClEntry::Absent,
                cpu: CpuEntry::Absent,
            });
        }
        word @ ("unused" | "optional") => {
            let entry = out.entries.last_mut().ok_or("resources outside an entry point")?;
            *(if word == "unused" { &mut entry.unused } else { &mut entry.optional }) = w.resources()?;
        }
        "wave" => {
            let entry = out.entries.last_mut().ok_or("a wave outside an entry point")?;
            let (least, most) = (w.number()?, w.number()?);
            let wanted = if w.0.trim_start().is_empty() { None } else { Some(w.number()?) };
            entry.wave = Some(WaveSize { least, most, wanted });
        }
        "samples" => {
            let entry = out.entries.last_mut().ok_or("samples outside an entry point")?;
            while !w.0.trim_start().is_empty() {
                entry.samples.push((w.number()?, w.number()?));
            }
        }
        "cpu" => {
            let entry = out.entries.last_mut().ok_or("native code outside an entry point")?;
            entry.cpu = match w.next()? {
                "none" => CpuEntry::Refused(w.rest().into()),
                "symbol" => {
                    let symbol = w.next()?.into();
                    let scratch = w.labelled("scratch")?;
                    w.expect("isas")?;
                    let isas = w.rest().split_whitespace().map(String::from).collect();
                    CpuEntry::Code(Cpu { symbol, scratch, isas })
                }
                other => return Err(format!("expected `symbol` or `none`, found `{other}`")),
            };
        }
        other => return Err(format!("unknown line `{other}`")),
    }
    Ok(())
}

fn read_cl_entry(w: &mut Words<'_>) -> Result<ClEntry> {
    let module = match w.next()? {
        "none" => return Ok(ClEntry::Refused(w.rest().into())),
        module => module.to_string(),
    };
    let mut args: Vec<ClArg> = Vec::new();
    while !w.0.trim_start().is_empty() {
        let word = w.next()?;
        let row = CL_ARGS.iter().find(|row| row.0 == word);
        let (_, make) = row.ok_or_else(|| format!("unknown kernel parameter `{word}`"))?;
        args.push(make(w.number()?));
    }
    Ok(ClEntry::Kernel { module, args })
}

fn read_type(w: &mut Words<'_>, depth: u32) -> Result<Type> {
    if depth > MAX_DEPTH {
        return Err("types are nested too deep".into());
    }
    Ok(match w.next()? {
        "vector" => {
            let n = w.number()?;
            Type::Vector(w.scalar()?, n)
        }
        "matrix" => {
            let row_major = w.next()? == "rows";
            let (major, minor, stride) = (w.number()?, w.number()?, w.number()?);
            Type::Matrix { scalar: w.scalar()?, major, minor, stride, row_major }
        }
        "array" => {
            let (len, stride) = (w.number()?, w.number()?);
            Type::Array { elem: Box::new(read_type(w, depth + 1)?), len, stride }
        }
        "struct" => Type::Struct(w.number()?),
        word => Type::Scalar(scalar(word)?),
    })
}

fn read_kind(w: &mut Words<'_>) -> Result<ResourceKind> {
    Ok(match w.next()? {
        "buffer" => {
            let stride = w.labelled("stride")?;
            w.expect("type")?;
            ResourceKind::Buffer { elem: read_type(w, 0)?, stride }
        }
        "local" => {
            let stride = w.labelled("stride")?;
            w.expect("type")?;
            ResourceKind::Local { elem: read_type(w, 0)?, stride }
        }
        "bytes" => ResourceKind::Bytes,
        "constants" => {
            w.expect("type")?;
            ResourceKind::Constants(w.labelled("struct")?)
        }
        word @ ("image" | "images") => {
            let count = if word == "images" { Some(w.number()?) } else { None };
            let dim = w.next()?;
            let dim =
                IMAGE_DIMS.iter().find(|d| d.1 == dim).ok_or_else(|| format!("unknown image `{dim}`"))?.0;
            let arrayed = w.next()? == "array";
            let storage = w.next()? == "storage";
            let format = Some(w.next()?).filter(|f| *f != "any").map(String::from);
            let components = w.number()?;
            ResourceKind::Image { dim, arrayed, scalar: w.scalar()?, components, format, storage, count }
        }
        "texels" => {
            let storage = w.next()? == "storage";
            let format = Some(w.next()?).filter(|f| *f != "any").map(String::from);
            let components = w.number()?;
            ResourceKind::Texels { scalar: w.scalar()?, components, format, storage }
        }
        "sampler" => ResourceKind::Sampler { compares: w.next()? == "compares" },
        other => return Err(format!("unknown resource kind `{other}`")),
    })
}

/// Indices point into their tables, and struct types only backwards, so that readers may recurse.
fn check(i: &Interface) -> Result<()> {
    fn check_type(ty: &Type, limit: usize) -> Result<()> {
        match ty {
            Type::Array { elem, .. } => check_type(elem, limit),
            Type::Struct(s) if *s as usize >= limit => {
                Err(format!("struct {s} is not defined before its use"))
            }
            _ => Ok(()),
        }
    }
    for (index, s) in i.structs.iter().enumerate() {
        s.members.iter().try_for_each(|m| check_type(&m.ty, index))?;
    }
    for r in &i.resources {
        match &r.kind {
            ResourceKind::Buffer { elem, .. } | ResourceKind::Local { elem, .. } => {
                check_type(elem, i.structs.len())?;
            }
            ResourceKind::Constants(s) => check_type(&Type::Struct(*s), i.structs.len())?,
            _ => {}
        }
        if let Binding::Address { block, offset } = r.binding {
            check_address(i, block, offset)?;
        }
    }
    for e in &i.entries {
        if let Some(r) = e.resources.iter().chain(&e.optional).find(|r| **r as usize >= i.resources.len()) {
            return Err(format!("entry point `{}` uses resource {r}, which does not exist", e.name));
        }
        if let Some(r) = e.unused.iter().find(|r| !e.resources.contains(r)) {
            return Err(format!("resource {r} is no argument of `{}`", e.name));
        }
        if let Some((image, sampler)) = e.samples.iter().find(|(image, sampler)| {
            let kind = |r: &u32| i.resources.get(*r as usize).map(|r| &r.kind);
            !matches!(kind(image), Some(ResourceKind::Image { .. }))
                || !matches!(kind(sampler), Some(ResourceKind::Sampler { .. }))
        }) {
            return Err(format!("`{}` samples {image} with {sampler}: no image and sampler", e.name));
        }
        for arg in e.cl.args().iter().chain(e.cl_memory.args()) {
            let (n, name) = (arg.number(), arg.name());
            if !matches!(arg, ClArg::Local(_)) && !e.used().any(|r| r == n) {
                return Err(format!("parameter `{name} {n}` of `{}` is not a resource that it uses", e.name));
            }
        }
    }
    Ok(())
}

/// An address and a size lie inside a block of constants.
fn check_address(i: &Interface, block: u32, offset: u32) -> Result<()> {
    let size = match i.resources.get(block as usize).map(|r| &r.kind) {
        Some(ResourceKind::Constants(s)) => i.structs.get(*s as usize).map(|s| s.size),
        _ => None,
    };
    match size.zip(offset.checked_add(16)) {
        Some((size, end)) if end <= size => Ok(()),
        _ => Err(format!("an address at {offset} is not inside resource {block}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "spirv-interface 5\nkernel blur\nsource kernels/blur.hlsl\nspirv blur.vk.spv\n\
        library spirv_kernel_1\nfile blur.vk.spv bytes 20 digest 000000000000000000000000000000ff\n\
        struct Particle size 16 align 4\nmember pos offset 0 line 3 type vector 3 f32 hlsl float3\n\
        member w offset 12 line 4 type f32 hlsl float\nstruct Params size 48 align 16\n\
        member k offset 0 line 7 type array 3 16 vector 2 f32 hlsl float2[3]\n\
        member m offset 16 line 8 type matrix rows 2 2 16 f32 hlsl float2x2\n\
        resource src line 9 read descriptor 0 0 buffer stride 16 type struct 0 hlsl StructuredBuffer<Particle>\n\
        resource img line 10 write descriptor 0 1 image 2d single storage Rgba8 4 f32 hlsl RWTexture2D<float4>\n\
        resource params line 6 read push 0 48 constants type struct 1 hlsl cbuffer\n\
        resource list line 1 write address 2 32 buffer stride 4 type u32 hlsl uint*\n\
        resource tmp line 1 write length 100 4 local stride 8 type vector 2 f32 hlsl float2*\n\
        resource words line 1 write descriptor 0 5 texels storage R32ui 1 u32 hlsl RWBuffer<uint>\n\
        resource photo line 1 read descriptor 0 6 image 3d single sampled any 4 f32 hlsl Texture3D\n\
        resource smooth line 1 read descriptor 0 7 sampler compares hlsl SamplerComparisonState\n\
        resource both line 1 read descriptor 0 8 images 2 2d single sampled any 4 f32 hlsl Texture2D[2]\n\
        constant taps id 3 line 2 type u32 default 5 hlsl uint\n\
        constant gain id 4 line 3 type f64 default 4607182418800017408 hlsl double\n\
        entry main size 16 16 1 resources 0 1 2 3 4 5 6 7 8\n\
        unused 3 5\noptional 3\nwave 8 64 32\nsamples 6 7\n\
        cl blur.0.cl.spv pointer 0 length 0 image 1 constants 2 local 64 sized 4\n\
        cl-memory blur.1.cl.spv texels 1 extent 1\ncpu symbol k_main scratch 1024 isas avx2 scalar\n\
        entry turn size 1 1 1 resources\nwave 16 16\ncl none kernels/blur.hlsl:3:5: no matrices\n\
        cpu none kernels/blur.hlsl:4:5: no wave of that size\n\
        entry nothing size 1 1 1 resources\ncl blur.2.cl.spv\n";

    #[test]
    fn text_reads_back_as_written() {
        let interface = Interface::from_text(SAMPLE).unwrap();
        assert_eq!(interface.to_text(), SAMPLE);
        assert_eq!(interface.structs[1].members[0].ty.size(&interface.structs), Some(40));
    }

    #[test]
    fn a_sealed_text_is_whole_or_refused() {
        let interface = Interface::from_text(SAMPLE).unwrap();
        let text = interface.to_sealed_text();
        assert_eq!(Interface::from_sealed_text(&text).unwrap(), interface);
        for cut in 1..text.len() {
            assert!(Interface::from_sealed_text(&text[..cut]).is_err(), "{cut}");
        }
        let changed = text.replace("size 16 16 1", "size 16 18 1");
        let error = Interface::from_sealed_text(&changed).unwrap_err();
        assert!(error.message.contains("cut off or changed"), "{error}");
    }

    #[test]
    fn what_is_for_level_zero_is_optional() {
        let without: Vec<&str> = SAMPLE.lines().filter(|l| !l.starts_with("cl")).collect();
        let interface = Interface::from_text(&without.join("\n")).unwrap();
        assert!(interface.entries.iter().all(|e| e.cl == ClEntry::Absent && e.cl_memory == ClEntry::Absent));
        let with = Interface::from_text(SAMPLE).unwrap();
        let [main, turn, nothing] = &with.entries[..] else { panic!("{:?}", with.entries) };
        assert_eq!(main.cl.args()[3..], [ClArg::Constants(2), ClArg::Local(64), ClArg::Sized(4)]);
        let (module, args) = ("blur.1.cl.spv".to_string(), vec![ClArg::Texels(1), ClArg::Extent(1)]);
        assert_eq!(main.cl_memory, ClEntry::Kernel { module, args });
        // A kernel without parameters is not a missing one.
        assert_eq!(turn.cl, ClEntry::Refused("kernels/blur.hlsl:3:5: no matrices".into()));
        let module = "blur.2.cl.spv".to_string();
        assert_eq!(nothing.cl, ClEntry::Kernel { module, args: Vec::new() });
    }

    #[test]
    fn reasons_stay_in_their_line() {
        let mut interface = Interface::from_text(SAMPLE).unwrap();
        interface.entries[1].cl = ClEntry::Refused("a reason\nentry bad".into());
        let back = Interface::from_text(&interface.to_text()).unwrap();
        assert_eq!(back.entries[1].cl, ClEntry::Refused("a reason entry bad".into()));
    }

    #[test]
    fn another_version_is_refused_by_name() {
        let error = Interface::from_text("spirv-interface 7\nkernel x\n").unwrap_err();
        assert!(error.message.contains("format version 7"), "{error}");
        assert!(error.message.contains("same version"), "{error}");
    }

    #[test]
    fn damaged_files_are_errors_with_a_line() {
        for (bad, line) in [
            ("", 1),
            ("hello\n", 1),
            ("spirv-interface 5\nmember a\n", 2),
            ("spirv-interface 5\nresource r line 1 read descriptor 0\n", 2),
            ("spirv-interface 5\nresource r line 1 read descriptor 0 0 constants type struct 4 hlsl x\n", 1),
            (
                "spirv-interface 5\nstruct S size 4 align 4\nmember a offset 0 line 1 type struct 0 hlsl S\n",
                1,
            ),
            ("spirv-interface 5\nresource r line 1 read address 0 0 bytes hlsl x\n", 1),
            ("spirv-interface 5\nentry main size 1 1 1 resources\ncl k.cl.spv banana 0\n", 3),
            ("spirv-interface 5\nentry main size 1 1 1 resources\ncl k.cl.spv pointer\n", 3),
            ("spirv-interface 5\ncl k.cl.spv\n", 2),
            ("spirv-interface 5\ncpu none k.hlsl:1:1: no\n", 2),
            ("spirv-interface 5\nentry main size 1 1 1 resources\ncpu some\n", 3),
            ("spirv-interface 5\nfile k.vk.spv bytes 4 digest 12\n", 2),
            ("spirv-interface 5\nfile k.vk.spv bytes -4 digest 000000000000000000000000000000ff\n", 2),
            ("spirv-interface 5\nsamples 0 1\n", 2),
            ("spirv-interface 5\nunused 0\n", 2),
            ("spirv-interface 5\nconstant n id 3 line 2 type u32 default -5 hlsl uint\n", 2),
            ("spirv-interface 5\nentry main size 1 1 1 resources\nunused 0\n", 1),
            ("spirv-interface 5\nentry main size 1 1 1 resources\noptional 0\n", 1),
            ("spirv-interface 5\nentry main size 1 1 1 resources\nsamples 0\n", 3),
            ("spirv-interface 5\nentry main size 1 1 1 resources\nsamples 0 1\n", 1),
            ("spirv-interface 5\nentry main size 1 1 1 resources\ncl k.cl.spv pointer 0\n", 1),
        ] {
            assert_eq!(Interface::from_text(bad).unwrap_err().line, line, "{bad:?}");
        }
    }
}
