//! What `plugin!` makes of a plug-in.

use crate::closure;
use crate::error::{guarded, Error};
use crate::host;
use crate::raw;
use crate::step::Step;
use crate::value::{text_of, Args};
use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr;

/// What the host reads. It points to what is static.
#[repr(transparent)]
pub struct Info(raw::PluginInfo);
unsafe impl Sync for Info {}

#[repr(transparent)]
pub struct Handler(raw::PluginHandler);
unsafe impl Sync for Handler {}

impl Info {
    pub const fn new(
        name: &'static str,
        version: &'static str,
        handlers: &'static [Handler],
        start: raw::Start,
        stop: unsafe extern "C" fn(*mut c_void),
    ) -> Info {
        Info(raw::PluginInfo {
            size: size_of::<raw::PluginInfo>() as u32,
            abi: raw::ABI,
            name: text_of(name),
            version: text_of(version),
            handlers: handlers.as_ptr() as *const raw::PluginHandler,
            count: handlers.len() as u32,
            handler_size: size_of::<raw::PluginHandler>() as u32,
            start,
            stop,
            data: ptr::null_mut(),
        })
    }
    pub const fn raw(&'static self) -> *const raw::PluginInfo {
        &self.0
    }
}

impl Handler {
    pub const fn new(
        name: &'static str,
        description: &'static str,
        least: u32,
        most: u32,
        body: raw::Body,
    ) -> Handler {
        Handler(raw::PluginHandler {
            name: text_of(name),
            description: text_of(description),
            least,
            most,
            body,
            data: ptr::null_mut(),
        })
    }
}

/// # Safety
/// The pointers are the host's.
pub unsafe fn start(
    api: *const raw::Api,
    host: *mut raw::HostHandle,
    function: fn() -> Result<(), Error>,
) -> raw::Failure {
    host::set(api, host);
    guarded(function)
}

/// Of a plug-in that has nothing to do.
pub fn started() -> Result<(), Error> {
    Ok(())
}

/// # Safety
/// The pointers are the host's.
pub unsafe fn call(
    body: fn(&Step, Args) -> Result<(), Error>,
    asi: *mut raw::StepHandle,
    args: *const raw::RawArgs,
) -> raw::Failure {
    closure::call(&body, asi, args)
}

/// Calls what ends a plug-in; a panic of it is nobody's.
pub fn stop(function: fn()) {
    guarded(|| {
        function();
        Ok(())
    });
}

/// Says what a plug-in is: its name, its version, and its handlers, functions `fn(&Step, Args) ->
/// Result<(), Error>`, with how many values they take and what they do. `start: function`, a `fn()
/// -> Result<(), Error>`, behind them, is called before any handler: an error, and the plug-in isn't
/// loaded. `stop: function`, behind that, is called when no step of the plug-in is open: it lets go
/// of what the plug-in has kept, and ends its threads.
#[macro_export]
macro_rules! plugin {
    (
        name: $name:expr,
        version: $version:expr,
        handlers: [$($handler:ident($least:literal..=$most:literal, $description:expr)),* $(,)?]
        $(, start: $start:path)? $(, stop: $stop:path)? $(,)?
    ) => {
        /// What the host looks for.
        #[allow(unsafe_code)]
        #[no_mangle]
        pub extern "C" fn steptree_plugin() -> *const $crate::raw::PluginInfo {
            use std::os::raw::c_void;
            use $crate::export::{call, Handler, Info};
            use $crate::raw::{Api, Failure, HostHandle, RawArgs, StepHandle};
            $(
                unsafe extern "C" fn $handler(
                    asi: *mut StepHandle,
                    args: *const RawArgs,
                    _: *mut c_void,
                ) -> Failure {
                    call(functions::$handler, asi, args)
                }
            )*
            mod functions {
                $(pub(super) use super::$handler;)*
            }
            unsafe extern "C" fn start_plugin(
                api: *const Api,
                host: *mut HostHandle,
                _: *mut c_void,
            ) -> Failure {
                let mut function: fn() -> Result<(), $crate::Error> = $crate::export::started;
                $(function = $start;)?
                $crate::export::start(api, host, function)
            }
            unsafe extern "C" fn stop_plugin(_: *mut c_void) {
                $($crate::export::stop($stop);)?
            }
            static HANDLERS: &[Handler] =
                &[$(Handler::new(stringify!($handler), $description, $least, $most, $handler)),*];
            static INFO: Info = Info::new($name, $version, HANDLERS, start_plugin, stop_plugin);
            INFO.raw()
        }
    };
}
