use spirv_runtime::{Device, Result, include_kernel};

include_kernel!("kernels/chosen.hlsl");
include_kernel!("kernels/saxpy.hlsl");

fn main() -> Result<()> {
    let device = Device::cpu();
    chosen::load_with(&device, &chosen::Constants { taps: 5.0, ..Default::default() })?;
    chosen::load_with(&device, &chosen::Constants { mirror: 1, ..Default::default() })?;
    chosen::load_with(&device, &chosen::Constants { tabs: 5, ..Default::default() })?;
    // A kernel without constants has no `Constants`.
    saxpy::load_with(&device, &Default::default())?;
    Ok(())
}
