//! Specialization constants: each device does with them what the reference does.

use chosen::Constants;
use kernel_tests::{chosen, device};
use spirv_runtime::{Buffer, spirv_kernel};

spirv_kernel! {
    #[kernel("kernels/chosen.hlsl", entry = "main")]
    fn declared(result: &mut Buffer<f32>);
}

const DEFAULTS: Constants = Constants {
    taps: 5,
    bias: -3,
    gain: 1.5,
    mirror: false,
    unused: 1,
    large: -5_000_000_000,
    small: -7,
    huge: 1,
    tiny: 65_535,
};

fn reference(c: &Constants) -> Vec<f32> {
    let weights = [c.gain, 2.0, c.gain, c.taps as f32];
    let both = [c.gain, c.bias as f32];
    let sum = |id: usize| (0..c.taps as usize).map(|i| weights[(id + i) % 4]).sum::<f32>() + both[id % 2];
    (0..16).map(|id| if c.mirror { -sum(id) } else { sum(id) }).collect()
}

#[test]
fn defaults_are_those_of_the_source() {
    assert_eq!(Constants::default(), DEFAULTS);
    let device = device();
    let queue = device.queue();
    let mut result = device.buffer::<f32>(16).unwrap();
    let kernel = chosen::main::load(&device).unwrap();
    kernel.launch(&queue, chosen::main::Args { result: &mut result, threads: [16, 1, 1] }).unwrap();
    assert_eq!(result.read(&queue).unwrap(), reference(&DEFAULTS));
}

#[test]
fn the_host_chooses() {
    let device = device();
    let queue = device.queue();
    let choices = [
        Constants { taps: 0, ..DEFAULTS },
        Constants { taps: 9, gain: -0.25, ..DEFAULTS },
        Constants { mirror: true, bias: 1 << 20, ..DEFAULTS },
        Constants { unused: 77, taps: 1000, ..Constants::default() },
    ];
    // Several at once, each with its own.
    let kernels = choices.map(|c| (c, chosen::main::load_with(&device, &c).unwrap()));
    for (c, kernel) in &kernels {
        let mut result = device.buffer::<f32>(16).unwrap();
        let args = chosen::main::Args { result: &mut result, threads: [16, 1, 1] };
        kernel.launch(&queue, args).unwrap();
        assert_eq!(result.read(&queue).unwrap(), reference(c), "{c:?}");
    }
    let constants = declared::Constants { taps: 2, ..Default::default() };
    let kernel = declared::load_with(&device, &constants).unwrap();
    let mut result = device.buffer::<f32>(16).unwrap();
    kernel.launch(&queue, declared::Args { result: &mut result, threads: [16, 1, 1] }).unwrap();
    assert_eq!(result.read(&queue).unwrap(), reference(&Constants { taps: 2, ..DEFAULTS }));
}

#[test]
fn constants_of_other_widths() {
    let device = device();
    let queue = device.queue();
    let other = Constants { large: 3 << 40, small: 300, huge: 5 << 40, tiny: 2, mirror: true, ..DEFAULTS };
    for c in [DEFAULTS, other] {
        let mut words = device.buffer::<i32>(6).unwrap();
        let kernel = chosen::wide::load_with(&device, &c).unwrap();
        kernel.launch(&queue, chosen::wide::Args { words: &mut words, threads: [1, 1, 1] }).unwrap();
        let want = [
            (c.large / 1_000_000) as i32,
            c.small.into(),
            (c.huge >> 40) as i32,
            c.tiny.into(),
            c.mirror.into(),
            -i32::from(c.small) * i32::from(c.tiny),
        ];
        assert_eq!(words.read(&queue).unwrap(), want, "{c:?}");
    }
}
