// Whether the items of a group that are on agree, and on what. A row has a word for each item, 1 or 0; no mask: all are on.
#[inline]
unsafe fn agreed(row: *const u8, mask: *const u8, items: u32) -> (bool, bool) {
    let (mut yes, mut no, mut i) = (0, 0, 0);
    while i < items as usize {
        let on = if mask.is_null() { 1 } else { unsafe { (mask as *const u32).add(i).read() } };
        let value = unsafe { (row as *const u32).add(i).read() };
        yes |= on & value;
        no |= on & !value;
        i += 1
    }
    (yes & no & 1 == 0, yes != 0)
}
// Of the items of a group, how many are on in a mask: 0 none, 1 all, 2 some.
#[inline]
unsafe fn meet(mask: *const u8, items: u32) -> u32 {
    let (mut any, mut all, mut i) = (0, 1, 0);
    while i < items as usize {
        let on = unsafe { (mask as *const u32).add(i).read() };
        any |= on;
        all &= on;
        i += 1
    }
    if all != 0 { 1 } else if any != 0 { 2 } else { 0 }
}
