//! The HLSL front end: text in, typed HIR out.
//!
//! `lex` and `pp` make tokens, `parse` makes the syntax tree (`ast`), `sema` checks it and makes the [`hir`]. Each reads only what
//! the one before made. Mistakes go to [`Diagnostics`]; a module comes out only when there were none.
pub mod ast;
mod attributes;
pub mod builtin;
pub mod dump;
mod foreign;
pub mod headers;
pub mod hir;
pub mod intrinsics;
pub mod layout;
pub mod lex;
pub mod lint;
pub mod methods;
mod operator;
pub mod parse;
pub mod pp;
mod resource_types;
mod scalar;
pub mod sema;
mod spelling;
pub mod stages;
mod type_names;
pub mod types;
pub mod words;

pub use dump::{dump_ast, dump_hir, dump_tokens, preprocessed_text};
pub use pp::{FileIncludes, IncludeHandler, MemoryIncludes};

use crate::diag::{Code, Diagnostics};
use crate::source::{Interner, SourceMap};
use smallvec::SmallVec;
use types::MatrixOrder;

/// Declares a typed 32-bit index.
macro_rules! entity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table that this indexes.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use entity;

/// The version of the language that is called 202x, as `__HLSL_VERSION` tells it.
pub const HLSL_202X: u32 = 2029;

/// How to compile.
#[derive(Clone, Debug)]
pub struct Options {
    /// Name of the entry point; without it, all functions with `[numthreads]`.
    pub entry: Option<String>,
    /// `cs_6_0` to `cs_6_10`; `lib_6_3` to `lib_6_10` or `lib_6_x` for all functions with `[shader("compute")]`.
    pub profile: String,
    /// Macros: name (or `NAME(a)`) and body.
    pub defines: Vec<(String, String)>,
    /// Where includes are looked for after the directory of the including file.
    pub include_dirs: Vec<String>,
    /// `2021`, as in `-HV 2021`, or [`HLSL_202X`].
    pub hlsl_version: u32,
    /// `-enable-16bit-types`.
    pub enable_16bit_types: bool,
    /// How matrices lie in memory unless the source says otherwise (`-Zpr`, `-Zpc`).
    pub matrix_order: MatrixOrder,
    /// How buffers lie in memory (`-fvk-use-dx-layout` and its like).
    pub layout: layout::LayoutRules,
    /// Binding and set of the buffer of loose uniforms.
    pub globals_binding: Option<(u32, u32)>,
    /// Minor version of SPIR-V 1.x of the target, as macros tell it.
    pub spirv_minor: u32,
    /// Floating-point operations are not contracted (`-Gis`).
    pub ieee_strict: bool,
    /// The memory model is that of Vulkan.
    pub vulkan_memory_model: bool,
    /// Matrices in byte address buffers lie row by row, whatever the order is elsewhere.
    pub rows_in_bytes: bool,
    /// The module is for our own runtime, which sees to what SPIR-V has no words for: the size of waves.
    pub hosted: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            entry: None,
            profile: "cs_6_0".into(),
            defines: Vec::new(),
            include_dirs: Vec::new(),
            hlsl_version: 2021,
            enable_16bit_types: false,
            matrix_order: MatrixOrder::ColumnMajor,
            layout: layout::LayoutRules::VULKAN,
            globals_binding: None,
            spirv_minor: 3,
            ieee_strict: false,
            vulkan_memory_model: false,
            rows_in_bytes: false,
            hosted: false,
        }
    }
}

impl Options {
    /// Major and minor version of the profile, if it is one for compute.
    pub fn shader_model(&self) -> Option<(u32, u32)> {
        if self.is_promoted() {
            return Some((6, 0));
        }
        let (least, minor) = match self.profile.strip_prefix("lib_6_") {
            Some(minor) => (3, minor),
            None => (0, self.profile.strip_prefix("cs_6_")?),
        };
        let minor = match minor.as_bytes() {
            &[d @ b'0'..=b'9'] => u32::from(d - b'0'),
            b"10" => 10,
            // A library for whatever it will be linked with: the newest there is.
            b"x" if self.is_library() => 15,
            _ => return None,
        };
        (minor >= least).then_some((6, minor))
    }

    /// Whether the profile is one from before shader model 6, which stands for `cs_6_0`.
    pub(crate) fn is_promoted(&self) -> bool {
        PROMOTED.contains(&self.profile.as_str())
    }

    /// Whether the entry points are all functions with `[shader("compute")]`.
    pub(crate) fn is_library(&self) -> bool {
        self.profile.starts_with("lib_")
    }

    /// Values of the [`words::PREDEFINED`], of which the last is there only with 16-bit types.
    fn predefined(&self) -> SmallVec<[u32; 18]> {
        let (major, minor) = self.shader_model().unwrap_or((6, 0));
        let mut list = SmallVec::new();
        let stage = if self.is_library() { 6 } else { 5 };
        // The language, the target, the numbers of the stages, SPIR-V.
        list.extend([1, self.hlsl_version, major, minor, stage]);
        list.extend([0, 1, 2, 3, 4, 5, 6, 13, 14]);
        list.extend([1, 1, self.spirv_minor]);
        if self.enable_16bit_types {
            list.push(1);
        }
        list
    }
}

/// Preprocesses a program.
pub fn preprocess(
    path: &str,
    text: &str,
    options: &Options,
    includes: &dyn IncludeHandler,
    sources: &mut SourceMap,
    names: &mut Interner,
    diags: &mut Diagnostics,
) -> pp::Output {
    let input = pp::Input {
        path,
        text,
        defines: &options.defines,
        predefined: &options.predefined(),
        include_dirs: &options.include_dirs,
        includes,
    };
    pp::run(&input, sources, names, diags)
}

/// What the file of the library of intrinsics is called.
const LIBRARY_FILE: &str = "<intrinsics>";

/// A program with the library of intrinsics before it, if it names any of them.
fn with_library(
    mut tokens: pp::Output,
    options: &Options,
    sources: &mut SourceMap,
    names: &mut Interner,
    diags: &mut Diagnostics,
) -> pp::Output {
    if !headers::wants_library(&tokens.tokens, names) {
        return tokens;
    }
    let input = pp::Input {
        path: LIBRARY_FILE,
        text: headers::LIBRARY,
        defines: &[],
        predefined: &options.predefined(),
        include_dirs: &[],
        includes: &MemoryIncludes::default(),
    };
    let mut library = pp::run(&input, sources, names, diags);
    library.tokens.pop();
    let before = library.tokens.len();
    library.tokens.append(&mut tokens.tokens);
    library.matrix_orders =
        tokens.matrix_orders.into_iter().map(|(at, order)| (at + before, order)).collect();
    library
}

/// Profiles for compute from before shader model 6.
const PROMOTED: &[&str] = &["cs_4_0", "cs_4_1", "cs_5_0", "cs_5_1"];

/// Profiles of the other stages.
const OTHER_PROFILES: &[(&str, &str)] = &[
    ("ps_", "pixel"),
    ("vs_", "vertex"),
    ("gs_", "geometry"),
    ("hs_", "hull"),
    ("ds_", "domain"),
    ("ms_", "mesh"),
    ("as_", "amplification"),
];

/// Compiles a program to HIR. `None` means that `diags` has errors.
pub fn compile_to_hir(
    path: &str,
    text: &str,
    options: &Options,
    includes: &dyn IncludeHandler,
    sources: &mut SourceMap,
    diags: &mut Diagnostics,
) -> Option<hir::Module> {
    if options.shader_model().is_none() {
        let profile = &options.profile;
        let stage = OTHER_PROFILES.iter().find(|(prefix, _)| profile.starts_with(prefix));
        let message = match stage {
            Some((_, stage)) => {
                format!("`{profile}` is a profile of {stage} shaders, which are not supported")
            }
            None => format!("unknown target profile `{profile}`"),
        };
        diags.report_whole(Code::BadProfile, message).help(
            "use `cs_6_0` or later; `lib_6_3` or later for several entry points with `[shader(\"compute\")]`",
        );
        return None;
    }
    if options.is_promoted() {
        let profile = &options.profile;
        diags
            .report_whole(
                Code::PromotedProfile,
                format!("promoting older shader model profile `{profile}` to 6.0"),
            )
            .help("name `cs_6_0` or later");
    }
    crate::stack::on_large_stack(move || {
        let mut names = words::interner();
        let tokens = preprocess(path, text, options, includes, sources, &mut names, diags);
        let main = sources.files().find(|f| f.1.name == path).map(|f| f.0);
        let not_hlsl = |sources: &SourceMap, diags: &mut Diagnostics| {
            if diags.has_errors() {
                main.into_iter().for_each(|main| foreign::report(main, sources, diags));
            }
        };
        if tokens.incomplete {
            not_hlsl(sources, diags);
            return None;
        }
        let tokens = with_library(tokens, options, sources, &mut names, diags);
        let ast = parse::parse(tokens, &mut names, diags);
        let mut module = sema::check(&ast, &mut names, options, diags);
        if let Some(module) = &mut module {
            let in_main = |g: &hir::Global| Some(sources.locate(g.span).file) == main;
            let globals = (0..).map(hir::GlobalId).zip(&module.globals);
            module.in_main = globals.filter(|(_, g)| in_main(g)).map(|(id, _)| id).collect();
        }
        if diags.has_errors() {
            spelling::mend(&ast, &names, sources, diags);
            not_hlsl(sources, diags);
        }
        lint::run(&ast, module.as_ref(), sources, diags);
        module
    })
}
