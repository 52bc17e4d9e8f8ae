//! What the CPU device makes of its process: forks, the environment, and memory that there is not.
#![cfg(unix)]

use spirv_runtime::__private::{
    Binding, ClEntry, CpuCode, CpuEntry, EntryDesc, KernelDesc, Launch, Loaded, ResourceDesc, ResourceKind,
};
use spirv_runtime::{Device, ErrorKind};
use std::ffi::c_int;
use std::process::{Command, exit};
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn fork() -> c_int;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
}

/// Writes 5.
unsafe extern "C" fn five(launch: *const Launch, _: u64, _: u64, _: *mut u8) {
    // SAFETY: the runtime passes a launch with one buffer of four bytes.
    unsafe { (*(*launch).slots).data.cast::<u32>().write(5) }
}

static FIVE: EntryDesc = EntryDesc {
    kernel: &KernelDesc {
        name: "five",
        source: "tests",
        spirv: None,
        resources: &[ResourceDesc {
            name: "out",
            writable: true,
            binding: Binding::Descriptor { set: 0, binding: 0 },
            kind: ResourceKind::Buffer { stride: 4 },
        }],
    },
    name: "main",
    local_size: [1, 1, 1],
    arguments: &[0],
    resources: &[0],
    cl: ClEntry::Absent,
    cl_memory: ClEntry::Absent,
    samples: &[],
    wave: None,
    cpu: CpuEntry::Code(CpuCode { scratch: 0, functions: &[("scalar", five)] }),
};

/// Runs one of the ignored tests below in a process of its own.
fn alone(test: &str, environment: &[(&str, &str)], prefix: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let mut command = Command::new("sh");
    command.args([
        "-c",
        &format!("{prefix} exec \"$0\" --exact {test} --ignored --nocapture"),
        this.to_str().unwrap(),
    ]);
    command.envs(environment.iter().copied());
    let output = command.output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    text
}

#[test]
fn a_child_of_a_fork_gets_errors() {
    alone("inherited", &[], "");
}

#[test]
#[ignore = "forks: run alone by the test above"]
fn inherited() {
    let device = Device::cpu();
    let queue = device.queue();
    let kernel = Loaded::new(&device, &FIVE).unwrap();
    let mut out = device.buffer::<u32>(1).unwrap();
    kernel.launch(&queue, [1, 1, 1], &[out.__arg_mut()]).unwrap();
    queue.wait().unwrap();
    // SAFETY: the child uses memory and threads as a C library lets it after `fork`, and ends without cleaning up.
    let child = unsafe { fork() };
    if child == 0 {
        let lost = |result: Option<spirv_runtime::Error>| {
            let fine =
                result.is_some_and(|e| e.kind() == ErrorKind::DeviceLost && e.to_string().contains("fork"));
            if !fine {
                exit(3);
            }
        };
        lost(queue.wait().err());
        lost(queue.wait_timeout(Duration::from_secs(1)).err());
        lost(queue.flush().err());
        lost(queue.cancel().err());
        lost(kernel.launch(&queue, [1, 1, 1], &[out.__arg_mut()]).err());
        lost(out.read(&queue).err());
        lost(out.write(&queue, &[1]).err());
        lost(out.wait_timeout(Duration::from_secs(1)).err());
        lost(device.buffer::<u32>(1).err());
        lost(device.image::<spirv_runtime::R32Uint>(1, 1).err());
        lost(Loaded::new(&device, &FIVE).err());
        drop((out, queue, kernel));
        // A device of its own works.
        let device = Device::cpu();
        let queue = device.queue();
        let kernel = Loaded::new(&device, &FIVE).unwrap();
        let mut out = device.buffer::<u32>(1).unwrap();
        kernel.launch(&queue, [1, 1, 1], &[out.__arg_mut()]).unwrap();
        exit(if out.read(&queue).unwrap() == [5] { 0 } else { 4 });
    }
    let (start, mut status) = (Instant::now(), 0);
    // SAFETY: the child was forked above.
    while unsafe { waitpid(child, &mut status, 1) } == 0 {
        if start.elapsed() > Duration::from_secs(60) {
            // SAFETY: as above.
            unsafe { kill(child, 9) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(status, 0, "the child's status");
    assert_eq!(out.read(&queue).unwrap(), [5]);
}

#[test]
fn a_number_of_threads_that_is_none_is_an_error() {
    for wrong in ["many", "0", "-1"] {
        let text = alone("threads", &[("SPIRV_CPU_THREADS", wrong), ("SPIRV_DEVICE", "cpu")], "");
        assert!(text.contains("said what is wrong"), "{text}");
    }
    alone("one_thread", &[("SPIRV_CPU_THREADS", "1")], "");
}

#[test]
#[ignore = "needs an environment: run alone by the test above"]
fn threads() {
    let value = std::env::var("SPIRV_CPU_THREADS").unwrap();
    let cpu = Device::cpu();
    for error in [
        Device::best().unwrap_err(),
        Device::from_name("cpu").unwrap_err(),
        Loaded::new(&cpu, &FIVE).err().unwrap(),
    ] {
        let text = error.to_string();
        assert!(text.contains("SPIRV_CPU_THREADS") && text.contains(&value), "{text}");
    }
    println!("said what is wrong");
}

#[test]
#[ignore = "needs an environment: run alone by the test above"]
fn one_thread() {
    let device = Device::cpu();
    let queue = device.queue();
    let kernel = Loaded::new(&device, &FIVE).unwrap();
    let mut out = device.buffer::<u32>(1).unwrap();
    kernel.launch(&queue, [100, 1, 1], &[out.__arg_mut()]).unwrap();
    assert!(out.wait_timeout(Duration::from_secs(60)).unwrap());
    assert_eq!(out.read(&queue).unwrap(), [5]);
}

#[test]
fn reading_what_the_host_has_no_memory_for_is_an_error() {
    // A gigabyte more or less than what is left.
    alone("too_much", &[], "ulimit -v 3000000;");
}

#[test]
#[ignore = "needs little memory: run alone by the test above"]
fn too_much() {
    let device = Device::cpu();
    let buffer = device.buffer::<u8>(2 << 30).unwrap();
    let error = buffer.read(&device.queue()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
    let error = device.buffer::<u8>(2 << 30).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfMemory, "{error}");
}
