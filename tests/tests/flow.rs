//! Divergent control flow against the same functions in Rust.

use kernel_tests::{COUNTS, device, flow, mix};

fn nested_ifs(x: u32) -> u32 {
    if x & 1 != 0 {
        if x & 2 != 0 {
            15
        } else if x & 4 != 0 {
            2
        } else {
            3
        }
    } else if x & 12 == 12 {
        (x >> 3) ^ 0xff
    } else {
        x >> 3
    }
}

fn early_return(mut x: u32) -> u32 {
    if x.is_multiple_of(3) {
        return 1;
    }
    if x.is_multiple_of(5) {
        if x.is_multiple_of(7) {
            return 2;
        }
        x = x.wrapping_add(9);
    }
    x.wrapping_mul(2)
}

fn break_and_continue(x: u32) -> u32 {
    let mut sum = 0;
    for i in 0..20 {
        if (x >> (i % 8)) & 1 != 0 {
            continue;
        }
        if i * i > x & 127 {
            break;
        }
        sum += i + 1;
    }
    sum
}

fn while_collatz(x: u32) -> u32 {
    let (mut v, mut steps) = ((x & 63) + 1, 0);
    while v != 1 {
        v = if v & 1 != 0 { 3 * v + 1 } else { v / 2 };
        steps += 1;
    }
    steps
}

fn do_while(mut x: u32) -> u32 {
    let mut c = 0;
    loop {
        x = x.wrapping_mul(1664525).wrapping_add(1013904223);
        c += 1;
        if c == 30 || x >> 28 == 7 {
            return c;
        }
    }
}

fn return_inside_loops(x: u32) -> u32 {
    for i in 0..8 {
        for j in 0..8 {
            if i * 8 + j == x & 63 {
                return i * 100 + j;
            }
            if j > x & 7 {
                break;
            }
        }
    }
    9999
}

fn switch_cases(x: u32) -> u32 {
    let r = x & 0xff;
    let r = match x % 6 {
        0 => r + 1,
        1 | 2 => r * if r > 100 { 1 } else { 2 },
        4 => return r ^ 0x55,
        _ => 77,
    };
    r + 1000
}

fn switch_in_loop(x: u32) -> u32 {
    let mut r = 0;
    for i in 0..6 {
        match (x >> i) & 3 {
            0 => continue,
            1 => r += 10,
            2 if r > 20 => return r,
            2 => r += 1,
            _ => r += 100,
        }
        r += 1;
    }
    r
}

fn local_array(x: u32) -> u32 {
    let mut a = [0u32; 8];
    for (i, a) in a.iter_mut().enumerate() {
        *a = x >> i;
    }
    a[(x & 7) as usize] = 5;
    let add = a[((x >> 6) & 7) as usize];
    let at = ((x >> 3) & 7) as usize;
    a[at] = a[at].wrapping_add(add);
    a.iter().zip(1..).fold(0, |sum, (a, j)| sum.wrapping_add(a.wrapping_mul(j)))
}

fn table(x: u32) -> u32 {
    let table = [3, 1, 4, 1, 5, 9, 2, 6];
    table[(x & 7) as usize] * 10 + table[((x >> 3) & 7) as usize]
}

fn out_parameters(x: u32) -> u32 {
    let (mut q, mut calls) = (x.checked_div(x & 15).unwrap_or(0), 1);
    if q > 1000 {
        (q, calls) = (q / 10, 2);
    }
    q.wrapping_mul(4).wrapping_add(calls)
}

fn short_circuit(x: u32) -> u32 {
    // The division happens only where its divisor is odd.
    let r = x & 1 != 0 && 100 / (x & 7) > 20 || x & 0x80 != 0;
    let y = match (x & 2 != 0, x & 4 != 0, x & 8 != 0) {
        (true, true, _) => 10,
        (true, false, _) => 20,
        (false, _, true) => 30,
        (false, _, false) => 40,
    };
    u32::from(r) * 1000 + y
}

fn mixed_loops(x: u32) -> u32 {
    let mut total = 0;
    for i in 0..5 {
        for j in 1..=(x >> i) & 7 {
            if (i + j) & 3 != 0 {
                total += j;
            }
        }
        if total > 25 {
            break;
        }
        total += 1;
    }
    total
}

fn structs(x: u32) -> u32 {
    let first = x & 31;
    let second = [if first > 16 { 100 } else { (x & 15) as i32 }, -(((x >> 4) & 15) as i32)];
    first + (second[1] + 200) as u32 * 7 + (second[0] + 200) as u32
}

fn bits(x: u32) -> u32 {
    let high = 31 - (x | 1).leading_zeros();
    x.count_ones() + (x | 0x100).trailing_zeros() * 64 + high * 4096 + (x.reverse_bits() >> 20)
}

fn signed_arithmetic(x: u32) -> u32 {
    let (v, w) = (x as i32 >> 3, (x & 31) as i32 - 16);
    let d = if w == 0 { 1 } else { w };
    [v / d, v % d, v.min(w), v.max(w), w.abs(), v.signum(), v.clamp(-5, 5)]
        .iter()
        .fold(0i32, |s, t| s.wrapping_add(*t)) as u32
}

fn continue_once(x: u32) -> u32 {
    let (mut sum, mut i) = (0u32, 0);
    loop {
        sum = sum.wrapping_add(x ^ (i * 5));
        i += 1;
        if i >= x & 15 {
            return sum.wrapping_add(i);
        }
    }
}

/// Name and function of each case, in the kernel's order.
type Case = (&'static str, fn(u32) -> u32);
const CASES: [Case; 17] = [
    ("nested_ifs", nested_ifs),
    ("early_return", early_return),
    ("break_and_continue", break_and_continue),
    ("while_collatz", while_collatz),
    ("do_while", do_while),
    ("return_inside_loops", return_inside_loops),
    ("switch_cases", switch_cases),
    ("switch_in_loop", switch_in_loop),
    ("local_array", local_array),
    ("table", table),
    ("out_parameters", out_parameters),
    ("short_circuit", short_circuit),
    ("mixed_loops", mixed_loops),
    ("structs", structs),
    ("bits", bits),
    ("signed_arithmetic", signed_arithmetic),
    ("continue_once", continue_once),
];

#[test]
fn every_item_goes_its_own_way() {
    let device = device();
    let queue = device.queue();
    let kernel = flow::load(&device).unwrap();
    for n in COUNTS.map(|n| n.min(20_011)) {
        let seeds: Vec<u32> = (0..n as u32).map(|i| if i < 512 { i } else { mix(i) }).collect();
        let input = device.buffer_from(&seeds).unwrap();
        let mut results = device.buffer::<u32>(n * CASES.len()).unwrap();
        let params = flow::Params { n: n as u32 };
        let args = flow::Args { seeds: &input, results: &mut results, params, threads: [n as u32, 1, 1] };
        kernel.launch(&queue, args).unwrap();
        let results = results.read(&queue).unwrap();
        for (i, x) in seeds.iter().enumerate() {
            for (c, (name, reference)) in CASES.iter().enumerate() {
                let got = results[i * CASES.len() + c];
                assert_eq!(got, reference(*x), "{name}({x:#x}), item {i} of {n}");
            }
        }
    }
}
