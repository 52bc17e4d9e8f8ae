//! How many lanes the waves of a pipeline have.

use super::features::Lanes;
use crate::error::{Result, error};
use crate::kernel::{EntryDesc, WaveSize};

/// The size that a pipeline asks for; None where the device has no other.
///
/// # Errors
/// The device has no waves of such a size.
pub(super) fn required(entry: &EntryDesc, lanes: &Lanes) -> Result<Option<u32>> {
    let Some(wave) = entry.wave else { return Ok(None) };
    let WaveSize { least, most, wanted } = wave;
    let fits = |n: u32| (least..=most).contains(&n);
    let Some((fewest, greatest, subgroups)) = lanes.choice else {
        return match fits(lanes.usual) {
            true => Ok(None),
            false => Err(error!(Unsupported, "it has {wave}, but those of the device have {}", lanes.usual)),
        };
    };
    let there = |n: u32| fits(n) && (fewest..=greatest).contains(&n);
    let items: u64 = entry.local_size.iter().map(|n| u64::from(*n)).product();
    let enough = |n: u32| items <= u64::from(n).saturating_mul(u64::from(subgroups));
    let choices = wanted.into_iter().chain([lanes.usual, least.max(fewest), most.min(greatest)]);
    let choices: Vec<u32> = choices.filter(|n| there(*n)).collect();
    match choices.iter().find(|n| enough(**n)).or(choices.first()) {
        Some(n) if enough(*n) => Ok(Some(*n)),
        Some(n) => Err(error!(
            Limit,
            "a work-group of {items} work-items has more than the {subgroups} waves of {n} lanes that the device has; make \
             the group smaller or the waves larger"
        )),
        None if fewest == greatest => {
            Err(error!(Unsupported, "it has {wave}, but those of the device have {fewest}"))
        }
        None => {
            Err(error!(Unsupported, "it has {wave}, but those of the device have {fewest} to {greatest}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{ClEntry, CpuEntry, KernelDesc};

    fn choose(
        wave: (u32, u32, Option<u32>),
        items: u32,
        lanes: Lanes,
    ) -> std::result::Result<Option<u32>, String> {
        static FILE: KernelDesc = KernelDesc { name: "k", source: "k.hlsl", spirv: None, resources: &[] };
        let (least, most, wanted) = wave;
        let entry = EntryDesc {
            kernel: &FILE,
            name: "main",
            local_size: [items, 1, 1],
            arguments: &[],
            resources: &[],
            wave: Some(WaveSize { least, most, wanted }),
            samples: &[],
            cl: ClEntry::Absent,
            cl_memory: ClEntry::Absent,
            cpu: CpuEntry::Absent,
        };
        required(&entry, &lanes).map_err(|e| e.to_string())
    }

    #[test]
    fn sizes_are_what_source_and_device_agree_on() {
        let fixed = Lanes { usual: 8, choice: None };
        assert_eq!(choose((8, 8, None), 64, fixed), Ok(None));
        assert_eq!(choose((4, 16, Some(16)), 64, fixed), Ok(None));
        let error = choose((64, 64, None), 64, fixed).unwrap_err();
        assert!(error.contains("it has waves of 64 lanes, but those of the device have 8"), "{error}");
        let free = Lanes { usual: 32, choice: Some((8, 32, 16)) };
        assert_eq!(choose((16, 16, None), 64, free), Ok(Some(16)));
        assert_eq!(choose((8, 64, Some(16)), 64, free), Ok(Some(16)));
        assert_eq!(choose((8, 64, Some(64)), 64, free), Ok(Some(32)));
        assert_eq!(choose((4, 16, None), 64, free), Ok(Some(8)));
        // The wanted size makes too many of them.
        assert_eq!(choose((8, 64, Some(8)), 256, free), Ok(Some(32)));
        let error = choose((8, 8, None), 256, free).unwrap_err();
        assert!(error.contains("256 work-items has more than the 16 waves of 8 lanes"), "{error}");
        let error = choose((64, 128, None), 64, free).unwrap_err();
        assert!(error.contains("waves of 64 to 128 lanes, but those of the device have 8 to 32"), "{error}");
    }
}
