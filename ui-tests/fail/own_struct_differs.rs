pub mod conflict {
    #[derive(Clone, Copy, Debug, PartialEq, spirv_runtime::KernelStruct)]
    #[repr(C)]
    pub struct Planet {
        pub position: [f32; 3],
        pub mass: f32,
    }
}

spirv_runtime::include_kernel!("kernels/differs.hlsl");

fn main() {}
