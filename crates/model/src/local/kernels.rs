//! Kernels: the part of llama.cpp that computes, chosen for this processor when the program runs.
//!
//! A release has kernels for several kinds of processors inside, as shared libraries (`scripts/kernels`), beside those that every
//! build has. A library is loaded from sealed memory, so that one file works alone and nobody can put another in its place.

#![expect(unsafe_code, reason = "loads code and calls it; each block says why it is sound")]

use std::ffi::{CStr, c_void};
use std::mem::transmute;

use llama_cpp_sys_2 as sys;

/// Names of the kernels and their libraries, from the best to the plainest.
static INSIDE: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/kernels.in"));

/// What the kernels tell the program.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Callbacks {
    pub(super) log: sys::ggml_log_callback,
    pub(super) abort: sys::ggml_abort_callback_t,
}

/// Loads the best kernels that fit this processor, in place of those of the build. Returns their name; `None` if the build's own
/// stay: it has no others, none fits, or the system refuses to load code from memory.
pub(super) fn load(callbacks: Callbacks) -> Option<&'static str> {
    let fitting = INSIDE.iter().filter(|(name, _)| fits(name));
    fitting.filter(|(_, library)| system::put(library, callbacks)).map(|(name, _)| *name).next()
}

/// Returns the name of the kernels that [`load`] takes if the system lets it; `None` if there are none for this processor.
pub fn fitting() -> Option<&'static str> {
    INSIDE.iter().map(|(name, _)| *name).find(|name| fits(name))
}

/// Returns an instruction set that the build's own kernels need and this processor lacks; `None` if others fit, or nothing is
/// lacking.
#[cfg(target_arch = "x86_64")]
pub fn lacking() -> Option<&'static str> {
    if fitting().is_some() {
        return None;
    }
    use std::arch::is_x86_feature_detected;
    // SAFETY: plain C calls that say how llama.cpp was built.
    let needed = unsafe {
        [
            ("AVX512", sys::ggml_cpu_has_avx512(), is_x86_feature_detected!("avx512f")),
            ("AVX2", sys::ggml_cpu_has_avx2(), is_x86_feature_detected!("avx2")),
            ("FMA", sys::ggml_cpu_has_fma(), is_x86_feature_detected!("fma")),
            ("F16C", sys::ggml_cpu_has_f16c(), is_x86_feature_detected!("f16c")),
        ]
    };
    needed.into_iter().find(|(_, is_needed, is_there)| *is_needed != 0 && !is_there).map(|(name, ..)| name)
}

/// Returns `None`: only x86-64 processors are asked.
#[cfg(not(target_arch = "x86_64"))]
pub fn lacking() -> Option<&'static str> {
    None
}

/// Returns threads for the kernels in use: each library has its own.
///
/// # Safety
/// `params` points to parameters.
pub(super) unsafe fn new_threads(params: *mut sys::ggml_threadpool_params) -> *mut sys::ggml_threadpool {
    type New = unsafe extern "C" fn(*mut sys::ggml_threadpool_params) -> *mut sys::ggml_threadpool;
    // SAFETY: the function of this name has this type.
    match unsafe { function(c"ggml_threadpool_new") } {
        Some(new) => unsafe { transmute::<*mut c_void, New>(new)(params) },
        None => unsafe { sys::ggml_threadpool_new(params) },
    }
}

/// Ends threads of [`new_threads`].
///
/// # Safety
/// The threads are not used again.
pub(super) unsafe fn free_threads(threads: *mut sys::ggml_threadpool) {
    type Free = unsafe extern "C" fn(*mut sys::ggml_threadpool);
    // SAFETY: the function of this name has this type.
    match unsafe { function(c"ggml_threadpool_free") } {
        Some(free) => unsafe { transmute::<*mut c_void, Free>(free)(threads) },
        None => unsafe { sys::ggml_threadpool_free(threads) },
    }
}

/// Returns a function of the kernels in use.
unsafe fn function(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: both names are C strings, and what is registered lives as long as the process.
    unsafe {
        let kernels = sys::ggml_backend_reg_by_name(c"CPU".as_ptr());
        let found =
            (!kernels.is_null()).then(|| sys::ggml_backend_reg_get_proc_address(kernels, name.as_ptr()));
        found.filter(|function| !function.is_null())
    }
}

/// Reports whether the processor, and the system on it, knows the instructions of these kernels.
#[cfg(target_arch = "x86_64")]
fn fits(name: &str) -> bool {
    macro_rules! all {
        ($($feature:tt),*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
    }
    let avx512 = || all!("avx512f", "avx512cd", "avx512vl", "avx512dq", "avx512bw");
    let newer = || avx512() && all!("avx512vbmi", "avx512vnni");
    all!("sse4.2", "avx", "f16c", "fma", "avx2", "bmi2")
        && match name {
            "haswell" => true,
            "alderlake" => all!("avxvnni"),
            "skylakex" => avx512(),
            "icelake" => newer(),
            "zen4" => newer() && all!("avx512bf16"),
            _ => false,
        }
}

#[cfg(not(target_arch = "x86_64"))]
fn fits(_: &str) -> bool {
    false
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::{CStr, CString, c_int, c_void};
    use std::fs::File;
    use std::io::Write as _;
    use std::mem::transmute;
    use std::os::fd::AsRawFd as _;

    use llama_cpp_sys_2 as sys;
    use nix::libc;
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

    use super::Callbacks;

    /// Tells a library what it shares with the program.
    type Share = unsafe extern "C" fn(
        sys::ggml_log_callback,
        sys::ggml_abort_callback_t,
        sys::ggml_backend_buffer_type_t,
    );

    /// Puts the kernels of a library in place of those of the build. Returns `false`, and changes nothing, if they don't fit or
    /// can't be loaded.
    pub(super) fn put(library: &[u8], callbacks: Callbacks) -> bool {
        let Some(file) = in_memory(library) else { return false };
        let Ok(path) = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd())) else { return false };
        // SAFETY: the library is ours, from memory that nobody can change, and its functions have these types. It stays loaded, so
        // the functions live as long as the process.
        unsafe {
            let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
            if handle.is_null() {
                tracing::debug!("the kernels are not loaded: {:?}", CStr::from_ptr(libc::dlerror()));
                return false;
            }
            let (score, share) = (
                libc::dlsym(handle, c"ggml_backend_score".as_ptr()),
                libc::dlsym(handle, c"askline_share".as_ptr()),
            );
            if score.is_null() || share.is_null() {
                return false;
            }
            let score = transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(score);
            if score() == 0 {
                return false;
            }
            let buffers = sys::ggml_backend_cpu_buffer_type();
            transmute::<*mut c_void, Share>(share)(callbacks.log, callbacks.abort, buffers);
            let own = sys::ggml_backend_reg_by_name(c"CPU".as_ptr());
            if sys::ggml_backend_load(path.as_ptr()).is_null() {
                return false;
            }
            if !own.is_null() {
                sys::ggml_backend_unload(own);
            }
        }
        true
    }

    /// Returns a file in memory with this content, which nobody can change any more.
    fn in_memory(content: &[u8]) -> Option<File> {
        let file = memfd_create(c"kernels", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING);
        let mut file = File::from(file.inspect_err(|error| tracing::debug!("no kernels: {error}")).ok()?);
        file.write_all(content).ok()?;
        let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
        fcntl_add_seals(&file, seals).ok()?;
        Some(file)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn put(_: &[u8], _: super::Callbacks) -> bool {
        false
    }
}
