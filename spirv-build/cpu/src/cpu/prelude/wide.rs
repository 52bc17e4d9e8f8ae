// 64-bit lanes: arrays, and loops of a fixed count that rustc turns into the instruction set's vectors.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct NL([u64; NW]);
#[derive(Clone, Copy)]
#[repr(align(32))]
struct ND([f64; NW]);
#[derive(Clone, Copy)]
struct VL([NL; NV]);
#[derive(Clone, Copy)]
struct VD([ND; NV]);
#[op]
fn n_lset(a: u64) -> NL { NL([a; NW]) }
#[op]
fn n_dset(a: f64) -> ND { ND([a; NW]) }
#[op]
fn n_first_l(a: NL) -> u64 { a.0[0] }
#[op]
fn n_first_d(a: ND) -> f64 { a.0[0] }
#[op]
fn ls(a: u64) -> VL { v!(VL, i, n_lset(a)) }
#[op]
fn ds(a: f64) -> VD { v!(VD, i, n_dset(a)) }
// A lane of a native vector of each type, and how it is kept.
macro_rules! lane {
    (NF, $a:expr) => { f32::from_bits($a) };
    (NM, $a:expr) => { $a != 0 };
    ($A:ident, $a:expr) => { $a };
}
macro_rules! zero {
    (NL) => { 0u64 };
    (ND) => { 0f64 };
    ($A:ident) => { 0u32 };
}
macro_rules! unlane {
    (NF, $a:expr) => { $a.to_bits() };
    (NM, $a:expr) => { $a as u32 };
    ($A:ident, $a:expr) => { $a };
}
macro_rules! wide {
    ($($name:ident $s:ident($($a:ident: $A:ident),*) -> $R:ident;)*) => {$(
        #[op]
        fn $name($($a: $A),*) -> $R {
            $(let $a = lanes!($A, $a);)*
            let mut r = [zero!($R); NW];
            let mut l = 0;
            while l < NW {
                r[l] = unlane!($R, $s($(lane!($A, $a[l])),*));
                l += 1
            }
            native_of!($R, r)
        }
    )*};
}
wide! {
    n_liadd s_liadd(a: NL, b: NL) -> NL;
    n_lisub s_lisub(a: NL, b: NL) -> NL;
    n_limul s_limul(a: NL, b: NL) -> NL;
    n_lineg s_lineg(a: NL) -> NL;
    n_liabs s_liabs(a: NL) -> NL;
    n_lsdiv s_lsdiv(a: NL, b: NL) -> NL;
    n_ludiv s_ludiv(a: NL, b: NL) -> NL;
    n_lsrem s_lsrem(a: NL, b: NL) -> NL;
    n_lurem s_lurem(a: NL, b: NL) -> NL;
    n_lsmod s_lsmod(a: NL, b: NL) -> NL;
    n_lsmin s_lsmin(a: NL, b: NL) -> NL;
    n_lsmax s_lsmax(a: NL, b: NL) -> NL;
    n_lumin s_lumin(a: NL, b: NL) -> NL;
    n_lumax s_lumax(a: NL, b: NL) -> NL;
    n_lssign s_lssign(a: NL) -> NL;
    n_liand s_liand(a: NL, b: NL) -> NL;
    n_lior s_lior(a: NL, b: NL) -> NL;
    n_lixor s_lixor(a: NL, b: NL) -> NL;
    n_linot s_linot(a: NL) -> NL;
    n_lshl s_lshl(a: NL, b: NI) -> NL;
    n_lshr s_lshr(a: NL, b: NI) -> NL;
    n_lsar s_lsar(a: NL, b: NI) -> NL;
    n_lieq s_lieq(a: NL, b: NL) -> NM;
    n_line s_line(a: NL, b: NL) -> NM;
    n_lslt s_lslt(a: NL, b: NL) -> NM;
    n_lsle s_lsle(a: NL, b: NL) -> NM;
    n_lult s_lult(a: NL, b: NL) -> NM;
    n_lule s_lule(a: NL, b: NL) -> NM;
    n_lpopcount s_lpopcount(a: NL) -> NL;
    n_lbitrev s_lbitrev(a: NL) -> NL;
    n_lfindlsb s_lfindlsb(a: NL) -> NL;
    n_lfindsmsb s_lfindsmsb(a: NL) -> NL;
    n_lfindumsb s_lfindumsb(a: NL) -> NL;
    n_lsextract s_lsextract(a: NL, b: NI, c: NI) -> NL;
    n_luextract s_luextract(a: NL, b: NI, c: NI) -> NL;
    n_lbitinsert s_lbitinsert(a: NL, b: NL, c: NI, d: NI) -> NL;
    n_lumulhi s_lumulhi(a: NL, b: NL) -> NL;
    n_lsmulhi s_lsmulhi(a: NL, b: NL) -> NL;
    n_luaddc s_luaddc(a: NL, b: NL) -> NL;
    n_lusubb s_lusubb(a: NL, b: NL) -> NL;
    n_lisel s_lisel(a: NM, b: NL, c: NL) -> NL;
    n_dfadd s_dfadd(a: ND, b: ND) -> ND;
    n_dfsub s_dfsub(a: ND, b: ND) -> ND;
    n_dfmul s_dfmul(a: ND, b: ND) -> ND;
    n_dfdiv s_dfdiv(a: ND, b: ND) -> ND;
    n_dfneg s_dfneg(a: ND) -> ND;
    n_dfma s_dfma(a: ND, b: ND, c: ND) -> ND;
    n_dfnma s_dfnma(a: ND, b: ND, c: ND) -> ND;
    n_dfms s_dfms(a: ND, b: ND, c: ND) -> ND;
    n_dfabs s_dfabs(a: ND) -> ND;
    n_dfmin s_dfmin(a: ND, b: ND) -> ND;
    n_dfmax s_dfmax(a: ND, b: ND) -> ND;
    n_dffloor s_dffloor(a: ND) -> ND;
    n_dfceil s_dfceil(a: ND) -> ND;
    n_dftrunc s_dftrunc(a: ND) -> ND;
    n_dfrint s_dfrint(a: ND) -> ND;
    n_dfsqrt s_dfsqrt(a: ND) -> ND;
    n_dfrsqrt s_dfrsqrt(a: ND) -> ND;
    n_dfrem s_dfrem(a: ND, b: ND) -> ND;
    n_dfmod s_dfmod(a: ND, b: ND) -> ND;
    n_dfsign s_dfsign(a: ND) -> ND;
    n_dffract s_dffract(a: ND) -> ND;
    n_dfldexp s_dfldexp(a: ND, b: NI) -> ND;
    n_dfeq s_dfeq(a: ND, b: ND) -> NM;
    n_dfne s_dfne(a: ND, b: ND) -> NM;
    n_dflt s_dflt(a: ND, b: ND) -> NM;
    n_dfle s_dfle(a: ND, b: ND) -> NM;
    n_disnan s_disnan(a: ND) -> NM;
    n_disinf s_disinf(a: ND) -> NM;
    n_dfsel s_dfsel(a: NM, b: ND, c: ND) -> ND;
    n_lzext s_lzext(a: NI) -> NL;
    n_lsext s_lsext(a: NI) -> NL;
    n_llo s_llo(a: NL) -> NI;
    n_lhi s_lhi(a: NL) -> NI;
    n_lmake s_lmake(a: NI, b: NI) -> NL;
    n_dbits s_dbits(a: ND) -> NL;
    n_dfrom s_dfrom(a: NL) -> ND;
    n_d2f s_d2f(a: ND) -> NF;
    n_f2d s_f2d(a: NF) -> ND;
    n_i2d s_i2d(a: NI) -> ND;
    n_u2d s_u2d(a: NI) -> ND;
    n_l2d s_l2d(a: NL) -> ND;
    n_ul2d s_ul2d(a: NL) -> ND;
    n_l2f s_l2f(a: NL) -> NF;
    n_ul2f s_ul2f(a: NL) -> NF;
    n_d2i s_d2i(a: ND) -> NI;
    n_d2u s_d2u(a: ND) -> NI;
    n_d2l s_d2l(a: ND) -> NL;
    n_d2ul s_d2ul(a: ND) -> NL;
    n_f2l s_f2l(a: NF) -> NL;
    n_f2ul s_f2ul(a: NF) -> NL;
}
// Two words a lane: spills.
#[op]
unsafe fn row_ldl(p: *const u8) -> VL {
    v!(VL, i, NL(unsafe { (p.add(i * NW * 8) as *const [u64; NW]).read_unaligned() }))
}
#[op]
unsafe fn row_ldd(p: *const u8) -> VD {
    v!(VD, i, ND(unsafe { (p.add(i * NW * 8) as *const [f64; NW]).read_unaligned() }))
}
#[op]
unsafe fn row_stl(p: *mut u8, a: VL) { unsafe { (p as *mut VL).write_unaligned(a) } }
#[op]
unsafe fn row_std(p: *mut u8, a: VD) { unsafe { (p as *mut VD).write_unaligned(a) } }
atomics! { combine_wide atomic_wide VL NL u64 i64 AtomicU64 AtomicI64 7 s_lsmin s_lsmax s_lumin s_lumax }
