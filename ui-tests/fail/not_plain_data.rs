fn main() {
    let device = spirv_runtime::Device::cpu();
    let _ = device.buffer_from(&[String::new()]);
}
