//! Local tables that hold buffers, against the same tables here.

use kernel_tests::{device, tables};

#[test]
fn two_indices_choose_an_entry_with_a_buffer() {
    let device = device();
    let queue = device.queue();
    let kernel = tables::load(&device).unwrap();
    let a: Vec<u32> = (0..32).map(|i| i * 7 + i / 5).collect();
    let b: Vec<u32> = (0..32).map(|i| 1000 + i * 3 + i / 3).collect();
    let (from_a, from_b) = (device.buffer_from(&a).unwrap(), device.buffer_from(&b).unwrap());
    let mut results = device.buffer::<u32>(128).unwrap();
    let args = tables::Args { a: &from_a, b: &from_b, results: &mut results, threads: [32, 1, 1] };
    kernel.launch(&queue, args).unwrap();
    let mut expected = Vec::new();
    for id in 0..32 {
        let mut table: [[_; 3]; 2] = std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                let k = row * 3 + column;
                (if k % 2 == 1 { &a } else { &b }, k as u32)
            })
        });
        let (row, column) = ((a[id] % 2) as usize, (b[id] % 3) as usize);
        table[row][column].1 += 7;
        expected.push(table[row][column].0[id]);
        table[1 - row][2 - column] = table[row][column];
        expected.push(table[1][2].0[id]);
        expected.push(table[1 - row][2 - column].1);
        expected.push(table[row][column].1 * 100 + table[row][(column + 1) % 3].1);
    }
    assert_eq!(results.read(&queue).unwrap(), expected);
}
