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
#[derive(Debug, Clone, Copy)]
#[cfg_attr(
    not(all(target_os = "linux", not(target_feature = "crt-static"))),
    expect(dead_code, reason = "no kernels are loaded there")
)]
pub(super) struct Callbacks {
    pub(super) log: sys::ggml_log_callback,
    pub(super) abort: sys::ggml_abort_callback_t,
}

/// Loads the best kernels that fit this processor, in place of those of the build. Returns their name; `None` if the build's own
/// stay: it has no others, none fits, or the system refuses to load code from memory.
pub(super) fn load(callbacks: Callbacks) -> Option<&'static str> {
    let fitting = INSIDE.iter().filter(|(name, _)| fits(name));
    fitting.filter_map(|(name, library)| system::put(library, callbacks).map(|()| *name)).next()
}

/// Returns the name of the kernels that [`load`] takes if the system lets it; `None` if there are none for this processor.
pub fn fitting() -> Option<&'static str> {
    INSIDE.iter().map(|(name, _)| *name).find(|name| fits(name))
}

/// Returns an instruction set that the build's own kernels need and this processor lacks; `None` if others fit, or nothing is
/// lacking. A build for its own processor (`-Ctarget-cpu=native`) doesn't ask: all of its code needs that processor.
#[cfg(target_arch = "x86_64")]
pub fn lacking() -> Option<&'static str> {
    if fitting().is_some() {
        return None;
    }
    use std::arch::is_x86_feature_detected;
    // SAFETY: plain C calls that say how llama.cpp was built.
    let needed = unsafe {
        [
            ("AVX-512", sys::ggml_cpu_has_avx512(), is_x86_feature_detected!("avx512f")),
            ("AVX2", sys::ggml_cpu_has_avx2(), is_x86_feature_detected!("avx2")),
            ("FMA", sys::ggml_cpu_has_fma(), is_x86_feature_detected!("fma")),
            ("F16C", sys::ggml_cpu_has_f16c(), is_x86_feature_detected!("f16c")),
            ("BMI2", sys::ggml_cpu_has_bmi2(), is_x86_feature_detected!("bmi2")),
            // llama.cpp is built for both or neither.
            ("SSE 4.2", sys::ggml_cpu_has_ssse3(), is_x86_feature_detected!("sse4.2")),
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

// A static program can't load libraries.
#[cfg(all(target_os = "linux", not(target_feature = "crt-static")))]
mod system {
    use std::ffi::{CStr, CString, c_int, c_void};
    use std::fs::File;
    use std::io::Write as _;
    use std::mem::{forget, transmute};
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

    /// A loaded library; unloaded when dropped.
    struct Library(*mut c_void);

    impl Drop for Library {
        fn drop(&mut self) {
            // SAFETY: the handle is open, and nothing of the library is in use.
            unsafe { libc::dlclose(self.0) };
        }
    }

    impl Library {
        /// Loads a library. Its names stay its own.
        fn open(path: &CStr) -> Option<Self> {
            // SAFETY: the path is a C string, and so is the error.
            unsafe {
                let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
                if handle.is_null() {
                    tracing::warn!("kernels are not loaded: {:?}", CStr::from_ptr(libc::dlerror()));
                    return None;
                }
                Some(Self(handle))
            }
        }

        /// Returns a function.
        fn function(&self, name: &CStr) -> Option<*mut c_void> {
            // SAFETY: the handle is open, and the name is a C string.
            let function = unsafe { libc::dlsym(self.0, name.as_ptr()) };
            (!function.is_null()).then_some(function)
        }
    }

    /// Puts the kernels of a library in place of those of the build. Returns `None`, and changes nothing, if they don't fit or
    /// can't be loaded.
    pub(super) fn put(library: &[u8], callbacks: Callbacks) -> Option<()> {
        let file = in_memory(library)?;
        let path = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()?;
        let library = Library::open(&path)?;
        let (score, share) = (library.function(c"ggml_backend_score")?, library.function(c"askline_share")?);
        // SAFETY: the library is ours, made of the same version of llama.cpp, so its functions have these types. Nobody can change it.
        unsafe {
            if transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(score)() == 0 {
                return None;
            }
            let buffers = sys::ggml_backend_cpu_buffer_type();
            transmute::<*mut c_void, Share>(share)(callbacks.log, callbacks.abort, buffers);
            let own = sys::ggml_backend_reg_by_name(c"CPU".as_ptr());
            if sys::ggml_backend_load(path.as_ptr()).is_null() {
                return None;
            }
            if !own.is_null() {
                sys::ggml_backend_unload(own);
            }
        }
        // llama.cpp uses its functions from now on.
        forget(library);
        Some(())
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

#[cfg(not(all(target_os = "linux", not(target_feature = "crt-static"))))]
mod system {
    pub(super) fn put(_: &[u8], _: super::Callbacks) -> Option<()> {
        None
    }
}
