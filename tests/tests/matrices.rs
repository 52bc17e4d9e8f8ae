//! Matrices in buffers and constants, against the same arithmetic in Rust.

use kernel_tests::{device, matrices, unit};
use matrices::{Pair, Params};

const N: u32 = 45;

type Matrix = Vec<Vec<f32>>;

/// Row by row.
fn matrix(rows: usize, columns: usize, seed: u32) -> Matrix {
    let cell = |r: usize, c: usize| unit(seed * 64 + (r * 8 + c) as u32) * 4.0 - 2.0;
    (0..rows).map(|r| (0..columns).map(|c| cell(r, c)).collect()).collect()
}

fn transposed(m: &Matrix) -> Matrix {
    (0..m[0].len()).map(|c| m.iter().map(|row| row[c]).collect()).collect()
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let columns = transposed(b);
    let dot = |r: &[f32], c: &[f32]| r.iter().zip(c).map(|(x, y)| x * y).sum();
    a.iter().map(|row| columns.iter().map(|column| dot(row, column)).collect()).collect()
}

/// As vectors of `M` numbers, `N` of them.
fn stored<const M: usize, const N: usize>(m: &Matrix) -> [[f32; M]; N] {
    let rows: Vec<[f32; M]> = m.iter().map(|row| row.clone().try_into().unwrap()).collect();
    rows.try_into().unwrap()
}

fn assert_near(what: &str, got: &[&[f32]], want: &Matrix) {
    for (r, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(got.len(), want.len(), "{what}");
        for (c, (g, w)) in got.iter().zip(want).enumerate() {
            assert!(
                (g - w).abs() <= 1e-5 * w.abs().max(8.0),
                "{what}, row {r}, column {c}: {g}, expected {w}"
            );
        }
    }
}

fn params() -> (Params, Matrix, [Matrix; 2]) {
    let (turn, small) = (matrix(3, 3, 900), [matrix(2, 2, 901), matrix(2, 2, 902)]);
    // Matrices are stored by columns unless they say otherwise.
    let params =
        Params { turn: stored(&transposed(&turn)), small: [stored(&small[0]), stored(&small[1])], count: N };
    (params, turn, small)
}

#[test]
fn products_of_matrices() {
    let device = device();
    let queue = device.queue();
    let (params, turn, small) = params();
    let all: Vec<Matrix> = (0..N).map(|i| matrix(4, 4, i)).collect();
    let data: Vec<[[f32; 4]; 4]> = all.iter().map(|m| stored(&transposed(m))).collect();
    let wholes = device.buffer_from(&data).unwrap();
    let mut products = device.buffer_from(&vec![[[0.0f32; 4]; 4]; N as usize]).unwrap();
    let mut vectors = device.buffer_from(&vec![[0.0f32; 4]; N as usize]).unwrap();
    let args = matrices::multiply::Args {
        wholes: &wholes,
        products: &mut products,
        vectors: &mut vectors,
        params,
        threads: [N, 1, 1],
    };
    matrices::multiply::load(&device).unwrap().launch(&queue, args).unwrap();
    let (products, vectors) = (products.read(&queue).unwrap(), vectors.read(&queue).unwrap());
    for i in 0..N as usize {
        let (a, b) = (&all[i], &all[(i + 1) % N as usize]);
        let (right, left) = (vec![vec![1.0, 2.0, 3.0, 4.0]], vec![vec![4.0, 3.0, 2.0, 1.0]]);
        let (right, left) = (transposed(&product(a, &transposed(&right))), product(&left, b));
        let mut v: Vec<f32> = right[0].iter().zip(&left[0]).map(|(x, y)| x - y).collect();
        let turned = transposed(&product(&turn, &transposed(&vec![v[..3].to_vec()])));
        (0..3).for_each(|c| v[c] += turned[0][c]);
        v.splice(..2, product(&vec![v[..2].to_vec()], &small[i % 2]).remove(0));
        let mut want = product(a, b);
        for (r, row) in want.iter_mut().enumerate() {
            row.iter_mut().enumerate().for_each(|(c, cell)| *cell += a[c][r] * 2.0);
        }
        want[i % 4][1] = 0.5;
        want[3].clone_from(&v);
        assert_near(&format!("vector {i}"), &[&vectors[i]], &vec![v]);
        let columns: Vec<&[f32]> = products[i].iter().map(|c| &c[..]).collect();
        assert_near(&format!("product {i}"), &columns, &transposed(&want));
    }
}

#[test]
fn matrices_by_rows_and_by_columns() {
    let device = device();
    let queue = device.queue();
    let (params, turn, _) = params();
    let all: Vec<(Matrix, Matrix)> = (0..N).map(|i| (matrix(3, 2, i), matrix(2, 3, i + 100))).collect();
    let data: Vec<Pair> = (0..)
        .zip(&all)
        .map(|(i, (r, c))| {
            let (by_rows, by_columns) = (stored(r), stored(&transposed(c)));
            Pair { by_rows, by_columns, tail: unit(i), ..Pair::default() }
        })
        .collect();
    let pairs = device.buffer_from(&data).unwrap();
    let mut changed = device.buffer_from(&vec![Pair::default(); N as usize]).unwrap();
    let args = matrices::reshape::Args { pairs: &pairs, changed: &mut changed, params, threads: [N, 1, 1] };
    matrices::reshape::load(&device).unwrap().launch(&queue, args).unwrap();
    for (i, (got, (r, c))) in changed.read(&queue).unwrap().iter().zip(&all).enumerate() {
        let mut rows = transposed(c);
        rows[i % 3].clone_from(&r[0]);
        let mut columns = product(c, &turn);
        columns[0][2] = -1.0;
        assert_near(&format!("rows {i}"), &got.by_rows.each_ref().map(|row| &row[..]), &rows);
        let stored = got.by_columns.each_ref().map(|column| &column[..]);
        assert_near(&format!("columns {i}"), &stored, &transposed(&columns));
        let tail = unit(i as u32) + r[2][1] + c[1][i % 3];
        assert_near(&format!("tail {i}"), &[&[got.tail]], &vec![vec![tail]]);
    }
}

#[test]
fn structures_are_copied_whole() {
    let device = device();
    let queue = device.queue();
    let (params, ..) = params();
    let data: Vec<Pair> = (0..N)
        .map(|i| {
            let (by_rows, by_columns) =
                (stored(&matrix(3, 2, i)), stored(&transposed(&matrix(2, 3, i + 100))));
            Pair { by_rows, by_columns, tail: unit(i), ..Pair::default() }
        })
        .collect();
    let pairs = device.buffer_from(&data).unwrap();
    let mut changed = device.buffer_from(&vec![Pair::default(); 2 * N as usize]).unwrap();
    let args = matrices::pass_on::Args { pairs: &pairs, changed: &mut changed, params, threads: [N, 1, 1] };
    matrices::pass_on::load(&device).unwrap().launch(&queue, args).unwrap();
    let same = |a: &Pair, b: &Pair| {
        a.by_rows == b.by_rows && a.by_columns == b.by_columns && a.tail.to_bits() == b.tail.to_bits()
    };
    let got = changed.read(&queue).unwrap();
    let n = N as usize;
    for i in 0..n {
        assert!(same(&got[i], &data[n - 1 - i]), "{i}");
        let (want, none) = (data.get(n.wrapping_sub(i + 2)), Pair::default());
        let want = if i % 2 == 0 { want.unwrap_or(&none) } else { &none };
        assert!(same(&got[n + i], want), "{i} of the second half");
    }
}

#[test]
fn light_bends_or_is_reflected() {
    let device = device();
    let queue = device.queue();
    let mut vectors = device.buffer_from(&vec![[9.0f32; 4]; N as usize]).unwrap();
    let (params, ..) = params();
    let args = matrices::bend::Args { vectors: &mut vectors, params, threads: [N, 1, 1] };
    matrices::bend::load(&device).unwrap().launch(&queue, args).unwrap();
    let mut through = 0;
    for (i, got) in vectors.read(&queue).unwrap().iter().enumerate() {
        let ray = [1.0, -0.05 * (i as f64 + 1.0), 0.25];
        let length = ray.iter().map(|v| v * v).sum::<f64>().sqrt();
        let ray = ray.map(|v| v / length);
        let k = 1.0 - 2.25 * (1.0 - ray[1] * ray[1]);
        let bent = match k < 0.0 {
            true => [0.0; 3],
            false => [1.5 * ray[0], 1.5 * ray[1] - (1.5 * ray[1] + k.sqrt()), 1.5 * ray[2]],
        };
        through += u32::from(k >= 0.0);
        for (c, want) in bent.into_iter().chain([-ray[1]]).enumerate() {
            assert!((f64::from(got[c]) - want).abs() < 1e-4, "ray {i}: {got:?}, expected {want} in {c}");
        }
    }
    assert!(through > 5 && through < N - 5, "{through} rays of {N} come through");
}
