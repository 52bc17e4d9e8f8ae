//! Native code of the kernels, as `spirv-build` would compile it for the instruction set `scalar`.
use spirv_runtime::__private::{Launch, Slot};

/// The slots of a launch.
///
/// # Safety
/// The runtime made the launch.
unsafe fn slots<'a>(launch: *const Launch) -> &'a [Slot] {
    // SAFETY: the runtime passes a valid launch, whose slots outlive the call.
    unsafe { std::slice::from_raw_parts((*launch).slots, (*launch).slot_count as usize) }
}

/// Element `i` of a slot, if it has one.
fn at<T>(slot: &Slot, i: u64) -> Option<*mut T> {
    ((i + 1) * size_of::<T>() as u64 <= slot.bytes).then(|| slot.data.cast::<T>().wrapping_add(i as usize))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ui_saxpy_main_scalar(launch: *const Launch, begin: u64, end: u64, _: *mut u8) {
    // SAFETY: the launch is the runtime's, and elements are touched where `at` finds them in range.
    unsafe {
        let slots = slots(launch);
        let n = slots[0].data.cast::<u32>().read();
        let a = slots[0].data.cast::<f32>().add(1).read();
        for i in begin * 64..end * 64 {
            if i < u64::from(n)
                && let (Some(x), Some(y)) = (at::<f32>(&slots[1], i), at::<f32>(&slots[2], i))
            {
                y.write(y.read() + a * x.read());
            }
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ui_particles_main_scalar(launch: *const Launch, begin: u64, end: u64, _: *mut u8) {
    // SAFETY: as above; the constants have 68 bytes, the field at least one texel.
    unsafe {
        let slots = slots(launch);
        let words = slots[0].data.cast::<f32>();
        let (dt, weight, collide) = (words.read(), words.add(12).read(), words.cast::<u32>().add(16).read());
        let field = slots[2].data.cast::<f32>().read();
        for i in begin * 64..end * 64 {
            let Some(p) = at::<[f32; 8]>(&slots[1], i) else { continue };
            let p = &mut *p;
            for axis in 0..3 {
                p[4 + axis] += words.add(1 + axis).read() * dt * field * weight;
                p[axis] += p[4 + axis] * dt;
            }
            p[7] = f32::from_bits(p[7].to_bits() | collide);
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ui_image_main_scalar(launch: *const Launch, _: u64, _: u64, _: *mut u8) {
    // SAFETY: as above; the texels are within the rows.
    unsafe {
        let slots = slots(launch);
        let (src, dst) = (&slots[0], &slots[1]);
        for y in 0..dst.height.min(src.height) as usize {
            for byte in 0..dst.width.min(src.width) as usize * 4 {
                let from = src.data.add(y * src.row_pitch as usize + byte).read();
                dst.data.add(y * dst.row_pitch as usize + byte).write(255 - from);
            }
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ui_several_scatter_scalar(launch: *const Launch, begin: u64, end: u64, _: *mut u8) {
    // SAFETY: as above.
    unsafe {
        for i in begin * 32..end * 32 {
            if let Some(pair) = at::<[f32; 4]>(&slots(launch)[0], i) {
                (*pair)[0] = i as f32;
            }
        }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn ui_several_count_all_scalar(launch: *const Launch, _: u64, _: u64, _: *mut u8) {
    // SAFETY: as above.
    unsafe {
        if let Some(counter) = at::<u32>(&slots(launch)[1], 0) {
            counter.write(7);
        }
    }
}
