//! What stubs have for Level Zero: the kernels of their entry points, or why there are none.

use crate::artifacts;
use proc_macro2::TokenStream;
use quote::quote;
use spirv_interface::{ClArg, ClEntry, CpuEntry, EntryPoint};
use std::path::Path;

/// The form of an entry point as a kernel of OpenCL's flavour.
pub fn cl_entry(dir: &Path, form: &ClEntry) -> Result<TokenStream, String> {
    let form = match form {
        ClEntry::Absent => quote!(Absent),
        ClEntry::Refused(reason) => quote!(Refused(#reason)),
        ClEntry::Kernel { module, args } => {
            let path = artifacts::file(dir, module)?;
            let args = args.iter().map(|arg| {
                let variant = match arg {
                    ClArg::Pointer(n) => quote!(Pointer(#n)),
                    ClArg::Length(n) => quote!(Length(#n)),
                    ClArg::Constants(n) => quote!(Constants(#n)),
                    ClArg::Image(n) => quote!(Image(#n)),
                    ClArg::Texels(n) => quote!(Texels(#n)),
                    ClArg::Extent(n) => quote!(Extent(#n)),
                    ClArg::Scalar(n) => quote!(Scalar(#n)),
                    ClArg::Local(n) => quote!(Local(#n)),
                    ClArg::Sized(n) => quote!(Sized(#n)),
                };
                quote!(::spirv_runtime::__private::ClArg::#variant)
            });
            quote!(Kernel { code: ::core::include_bytes!(#path), args: &[#(#args),*] })
        }
    };
    Ok(quote!(::spirv_runtime::__private::ClEntry::#form))
}

/// What the documentation says of devices that cannot run an entry point.
pub fn limits_doc(entry: &EntryPoint) -> String {
    let cpu = match &entry.cpu {
        CpuEntry::Refused(reason) => format!("\nThe CPU cannot run it: {reason}."),
        _ => String::new(),
    };
    let level_zero = match (&entry.cl, &entry.cl_memory) {
        (ClEntry::Refused(reason), _) => format!("\nDevices of Level Zero cannot run it: {reason}."),
        (_, ClEntry::Refused(reason)) => {
            format!("\nDevices of Level Zero that have no images cannot run it: {reason}.")
        }
        _ => String::new(),
    };
    cpu + &level_zero
}
