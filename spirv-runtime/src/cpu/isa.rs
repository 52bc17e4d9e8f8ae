//! Which instruction sets of a kernel this processor can run.

use crate::error::{Result, error};
use crate::kernel::CpuCode;
use std::sync::OnceLock;

/// An instruction set: its name in interface files and whether the processor has it.
type Isa = (&'static str, fn() -> bool);

const ISAS: &[Isa] = &[("avx2", has_avx2), ("scalar", || true)];

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn available(isa: &str) -> bool {
    static FOUND: OnceLock<Vec<&str>> = OnceLock::new();
    FOUND.get_or_init(|| ISAS.iter().filter(|row| row.1()).map(|row| row.0).collect()).contains(&isa)
}

/// What the processor calls itself.
pub(super) fn brand() -> Option<String> {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        const FIRST: u32 = 0x8000_0002;
        const LAST: u32 = 0x8000_0004;
        // SAFETY: every x86-64 processor has the instruction. (Newer compilers know that.)
        #[allow(unused_unsafe)]
        let leaf = |n| unsafe { __cpuid(n) };
        if leaf(0x8000_0000).eax < LAST {
            return None;
        }
        let words = (FIRST..=LAST).map(leaf).flat_map(|l| [l.eax, l.ebx, l.ecx, l.edx]);
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).take_while(|b| *b != 0).collect();
        let text = String::from_utf8_lossy(&bytes).split_whitespace().collect::<Vec<_>>().join(" ");
        (!text.is_empty()).then_some(text)
    }
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The first function that the processor can run, or the one that `forced` (the value of `SPIRV_CPU_ISA`) names.
pub(super) fn choose(code: &CpuCode, forced: Option<&str>) -> Result<(&'static str, super::abi::KernelFn)> {
    let built = || code.functions.iter().map(|f| f.0).collect::<Vec<_>>().join(", ");
    match forced {
        None => code.functions.iter().find(|f| available(f.0)).copied().ok_or_else(|| {
            error!(
                Unsupported,
                "it was compiled for {}, none of which this processor has; add `scalar` to the instruction sets",
                built()
            )
        }),
        Some(isa) => {
            let names: Vec<_> = ISAS.iter().map(|row| row.0).collect();
            if !names.contains(&isa) {
                return Err(error!(
                    Unsupported,
                    "SPIRV_CPU_ISA is `{isa}`, which is no instruction set; use one of {}",
                    names.join(", ")
                ));
            }
            if !available(isa) {
                return Err(error!(
                    Unsupported,
                    "SPIRV_CPU_ISA is `{isa}`, which this processor does not have"
                ));
            }
            code.functions.iter().find(|f| f.0 == isa).copied().ok_or_else(|| {
                error!(
                    Unsupported,
                    "SPIRV_CPU_ISA is `{isa}`, but the kernel was compiled for {}",
                    built()
                )
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::__private::Launch;

    unsafe extern "C" fn nothing(_: *const Launch, _: u64, _: u64, _: *mut u8) {}

    const SCALAR: CpuCode = CpuCode { scratch: 0, functions: &[("riscv", nothing), ("scalar", nothing)] };
    const FOREIGN: CpuCode = CpuCode { scratch: 0, functions: &[("riscv", nothing)] };

    #[test]
    fn the_first_available_is_chosen() {
        assert_eq!(choose(&SCALAR, None).unwrap().0, "scalar");
        assert_eq!(choose(&SCALAR, Some("scalar")).unwrap().0, "scalar");
    }

    #[test]
    fn what_cannot_run_is_an_error() {
        assert!(choose(&FOREIGN, None).unwrap_err().to_string().contains("riscv"));
        assert!(choose(&SCALAR, Some("mmx")).unwrap_err().to_string().contains("no instruction set"));
        assert!(choose(&FOREIGN, Some("scalar")).unwrap_err().to_string().contains("compiled for riscv"));
    }
}
