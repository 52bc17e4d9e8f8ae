//! A Level Zero driver that runs kernels on an OpenCL device, for tests on machines without a Level Zero device.
//!
//! The loader finds it through `ZE_ENABLE_ALT_DRIVERS=<path of this library>`; it can also stand in for the loader,
//! since it exports the functions of the API under their names. What is real: the SPIR-V consumer and the results.
//!
//! It is asynchronous (a thread a queue) and strict where drivers are not: arguments of the wrong size, arguments that
//! were never set, and memory that was freed before a command used it are errors.
//!
//! | Variable | Meaning |
//! |---|---|
//! | `ZEOCL_OPENCL` | the OpenCL library (`libOpenCL.so.1`); its device must be a CPU with IL and unified memory |
//! | `ZEOCL_SHUFFLE` | `1`: commands of a regular list that no barrier and no event separates run in reverse order |
//! | `ZEOCL_DELAY_US` | microseconds by which every command begins late |
//! | `ZEOCL_NO_IMAGES` | `1`: the device has no images, as some have none: none can be made, and no module may use any |
//! | `ZEOCL_TICK_NS` | nanoseconds of a tick of the device's 32-bit clock (83) |
//!
//! Images of other than two dimensions, samplers, specialization constants, sub-devices and virtual memory are not supported and say so.
#![allow(non_snake_case)]
// The contract of every exported function is the specification's.
#![allow(clippy::missing_safety_doc)]

mod clock;
mod device;
mod events;
mod images;
mod lists;
mod memory;
mod modules;
mod opencl;
mod order;
mod spirv;
mod tables;
mod worker;
