//! The host's tables, once the plug-in has been started.

use crate::raw;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

static API: AtomicPtr<raw::Api> = AtomicPtr::new(ptr::null_mut());
static HANDLE: AtomicPtr<raw::HostHandle> = AtomicPtr::new(ptr::null_mut());

/// # Safety
/// The tables and the host live as long as the plug-in is loaded.
pub(crate) unsafe fn set(api: *const raw::Api, host: *mut raw::HostHandle) {
    HANDLE.store(host, Ordering::Release);
    API.store(api as *mut raw::Api, Ordering::Release);
}

/// What the host's calls take.
pub(crate) fn handle() -> *mut raw::HostHandle {
    HANDLE.load(Ordering::Acquire)
}

#[derive(Clone, Copy)]
pub(crate) struct Host(&'static raw::Api);

/// A panic before the plug-in has been started: nothing of it is called then.
pub(crate) fn api() -> Host {
    let api = API.load(Ordering::Acquire);
    Host(unsafe { api.as_ref() }.expect("the plug-in has been started by its host"))
}

impl Host {
    pub(crate) fn error(self) -> &'static raw::ErrorApi {
        unsafe { &*self.0.error }
    }
    pub(crate) fn add(self) -> &'static raw::AddApi {
        unsafe { &*self.0.add }
    }
    pub(crate) fn step(self) -> &'static raw::StepApi {
        unsafe { &*self.0.step }
    }
    pub(crate) fn completion(self) -> &'static raw::CompletionApi {
        unsafe { &*self.0.completion }
    }
    pub(crate) fn state(self) -> &'static raw::StateApi {
        unsafe { &*self.0.state }
    }
    pub(crate) fn define(self) -> &'static raw::DefineApi {
        unsafe { &*self.0.define }
    }
    pub(crate) fn host(self) -> &'static raw::HostApi {
        unsafe { &*self.0.host }
    }
}
