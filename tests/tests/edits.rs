//! The same Rust code for a kernel whose lines come and go: what somebody does who looks for a mistake changes no interface.
//! `edits.rs` beside build.rs has the list.

use kernel_tests::device;
use spirv_runtime::{
    Buffer, D2, Device, Image, KernelStruct, Queue, R32Float, Rgba32Float, include_kernel, spirv_kernel,
};

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
pub struct Settings {
    count: u32,
    scale: f32,
    bias: f32,
}

#[derive(Clone, Copy, KernelStruct)]
#[repr(C)]
pub struct Limits {
    rounds: u32,
}

/// What the kernels work on.
struct Data {
    queue: Queue,
    values: Buffer<f32>,
    spare: Buffer<[f32; 2]>,
    rows: Buffer<u32>,
    photo: Image<Rgba32Float>,
    result: Buffer<f32>,
    marks: Image<R32Float>,
    seen: Buffer<u32>,
    tally: Buffer<u32>,
    seen_counter: Buffer<u32>,
    tally_counter: Buffer<u32>,
}

const THREADS: u32 = 16;

impl Data {
    fn new(device: &Device) -> Data {
        let n = THREADS as usize;
        let values: Vec<f32> = (0..THREADS).map(|i| i as f32).collect();
        let size = D2::size(4, 1);
        Data {
            queue: device.queue(),
            values: device.buffer_from(&values).unwrap(),
            spare: device.buffer_from(&vec![[50.0, 100.0]; n]).unwrap(),
            rows: device.buffer_from(&[1.0f32, 2.0, 3.0].map(f32::to_bits)).unwrap(),
            photo: device.image_of_texels(size, &[[8.0, 0.0, 0.0, 0.0]; 4]).unwrap(),
            result: device.buffer_from(&vec![-1.0; n]).unwrap(),
            marks: device.image_of(size).unwrap(),
            seen: device.buffer(n).unwrap(),
            tally: device.buffer(n).unwrap(),
            seen_counter: device.buffer_from(&[0]).unwrap(),
            tally_counter: device.buffer_from(&[0]).unwrap(),
        }
    }

    /// Whether the result is what it should be.
    fn check(&self, name: &str, expected: impl Fn(u32, f32) -> f32) {
        let wanted: Vec<f32> = (0..THREADS).map(|i| expected(i, i as f32)).collect();
        assert_eq!(self.result.read(&self.queue).unwrap(), wanted, "{name}");
    }
}

macro_rules! launch {
    ($device:expr, $data:expr, $($module:ident)::+, $settings:path, $limits:path) => {{
        use $limits as NewLimits;
        use $settings as NewSettings;
        let kernel = $($module)::+::load($device).unwrap();
        let args = $($module)::+::Args {
            values: &$data.values,
            spare: &$data.spare,
            rows: &$data.rows,
            photo: &$data.photo,
            result: &mut $data.result,
            marks: &mut $data.marks,
            seen: &mut $data.seen,
            tally: &mut $data.tally,
            settings: NewSettings { count: THREADS, scale: 2.0, bias: 0.5 },
            limits: NewLimits { rounds: 3 },
            seen_counter: &mut $data.seen_counter,
            tally_counter: &mut $data.tally_counter,
            threads: [THREADS, 1, 1],
        };
        kernel.launch(&$data.queue, args).unwrap();
    }};
}

macro_rules! edits {
    ($($name:ident $declared:ident { $expected:expr })*) => {
        #[test]
        fn the_same_code_runs_after_each_edit() {
            let device = device();
            $(
                let mut data = Data::new(&device);
                launch!(&device, data, $name, $name::Settings, $name::Limits);
                data.check(stringify!($name), $expected);
            )*
        }

        #[test]
        fn declared_signatures_hold_too() {
            let device = device();
            $(
                let mut data = Data::new(&device);
                launch!(&device, data, $declared::kernel, Settings, Limits);
                data.check(stringify!($declared), $expected);
            )*
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/edits.rs"));
