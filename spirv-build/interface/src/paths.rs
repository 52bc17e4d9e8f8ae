//! Paths of kernels: what a build script and a macro call the same file by.

/// The path of a file as it is recorded: relative to the package where it is inside, with `/`, and without `.` and `..` where
/// the text alone tells what they mean. A path that leads out of the package stays as it was given, relative or absolute.
pub fn recorded_path(package: &str, path: &str) -> String {
    let full = full_path(package, path);
    let inside = full.strip_prefix(&plain(package)).and_then(|rest| rest.strip_prefix('/'));
    match inside {
        Some(inside) if !inside.is_empty() => inside.to_string(),
        _ => plain(path),
    }
}

/// Where a path leads that is relative to the package or absolute: two paths of one file give the same.
pub fn full_path(package: &str, path: &str) -> String {
    match is_absolute(path) || package.is_empty() {
        true => plain(path),
        false => plain(&format!("{package}/{path}")),
    }
}

/// `/a` and, on Windows, `C:\a` and `\\server\a`.
fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':')
}

/// `./kernels\blur.hlsl` and `kernels/x/../blur.hlsl` are `kernels/blur.hlsl`.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let root = path.starts_with(['/', '\\']);
    for part in path.split(['/', '\\']).filter(|p| !p.is_empty() && *p != ".") {
        match parts.last() {
            Some(&last) if part == ".." && last != ".." => {
                parts.pop();
            }
            // Nothing is above the root.
            None if part == ".." && root => {}
            _ => parts.push(part),
        }
    }
    let start = match path {
        _ if path.starts_with("\\\\") || path.starts_with("//") => "//",
        _ if root => "/",
        _ => "",
    };
    format!("{start}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_file_has_one_recorded_path() {
        for (path, want) in [
            ("kernels/k.hlsl", "kernels/k.hlsl"),
            ("./kernels\\k.hlsl", "kernels/k.hlsl"),
            ("kernels/../kernels//k.hlsl", "kernels/k.hlsl"),
            ("/home/app/kernels/k.hlsl", "kernels/k.hlsl"),
            ("../app/kernels/k.hlsl", "kernels/k.hlsl"),
            ("../shared/k.hlsl", "../shared/k.hlsl"),
            ("kernels/../../shared/k.hlsl", "../shared/k.hlsl"),
            ("/home/shared/./k.hlsl", "/home/shared/k.hlsl"),
            ("/home/application/k.hlsl", "/home/application/k.hlsl"),
            ("/../k.hlsl", "/k.hlsl"),
        ] {
            assert_eq!(recorded_path("/home/app", path), want, "{path}");
        }
        assert_eq!(recorded_path("C:\\app", "C:\\app\\kernels\\k.hlsl"), "kernels/k.hlsl");
    }

    #[test]
    fn relative_and_absolute_paths_lead_to_one_place() {
        let full = |path| full_path("/home/app", path);
        assert_eq!(full("../shared/k.hlsl"), full("/home/shared/k.hlsl"));
        // A path without its root is another one.
        assert_ne!(full("home/shared/k.hlsl"), full("/home/shared/k.hlsl"));
        assert_eq!(full("kernels/k.hlsl"), full("/home/app/kernels/../kernels/k.hlsl"));
    }
}
