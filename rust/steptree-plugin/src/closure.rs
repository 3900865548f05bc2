//! Closures as functions of C with their data, which is dropped by the host, once.

use crate::error::{guarded, Error};
use crate::outcome::Outcome;
use crate::raw;
use crate::step::Step;
use crate::value::{all_owned, items_of, str_of, Args};
use std::os::raw::c_void;
use std::ptr;

/// With a body alone.
pub(crate) fn of_body<F>(body: F) -> raw::Closure
where
    F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
{
    raw::Closure {
        body: Some(body_of::<F>),
        data: boxed(body),
        drop: Some(drop_box::<F>),
        onerror: None,
        value: ptr::null(),
    }
}

/// With an error handler, too.
pub(crate) fn of_both<F, H>(body: F, handler: H) -> raw::Closure
where
    F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
    H: Fn(&Step, &str) -> Result<(), Error> + Send + 'static,
{
    raw::Closure {
        body: Some(handled_body::<F, H>),
        data: boxed((body, handler)),
        drop: Some(drop_box::<(F, H)>),
        onerror: Some(handler_of::<F, H>),
        value: ptr::null(),
    }
}

pub(crate) fn boxed<T>(of: T) -> *mut c_void {
    Box::into_raw(Box::new(of)) as *mut c_void
}

/// A body as the host calls it.
///
/// # Safety
/// The pointers are the host's.
pub(crate) unsafe fn call<F>(
    body: &F,
    asi: *mut raw::StepHandle,
    args: *const raw::RawArgs,
) -> raw::Failure
where
    F: Fn(&Step, Args) -> Result<(), Error>,
{
    guarded(|| {
        let values = items_of((*args).values, (*args).count);
        body(&Step::lent(asi), Args(all_owned(values)))
    })
}

unsafe extern "C" fn body_of<F>(
    asi: *mut raw::StepHandle,
    args: *const raw::RawArgs,
    data: *mut c_void,
) -> raw::Failure
where
    F: Fn(&Step, Args) -> Result<(), Error>,
{
    call(&*(data as *const F), asi, args)
}

unsafe extern "C" fn handled_body<F, H>(
    asi: *mut raw::StepHandle,
    args: *const raw::RawArgs,
    data: *mut c_void,
) -> raw::Failure
where
    F: Fn(&Step, Args) -> Result<(), Error>,
{
    call(&(*(data as *const (F, H))).0, asi, args)
}

unsafe extern "C" fn handler_of<F, H>(
    asi: *mut raw::StepHandle,
    code: raw::Text,
    data: *mut c_void,
) -> raw::Failure
where
    H: Fn(&Step, &str) -> Result<(), Error>,
{
    guarded(|| ((*(data as *const (F, H))).1)(&Step::lent(asi), str_of(code)))
}

/// Of a function that is called once: its data is an `Option` of it.
pub(crate) unsafe extern "C" fn cancel_of<F: FnOnce()>(
    _: *mut raw::StepHandle,
    _: *const raw::RawArgs,
    data: *mut c_void,
) -> raw::Failure {
    guarded(|| {
        if let Some(handler) = (*(data as *mut Option<F>)).take() {
            handler();
        }
        Ok(())
    })
}

/// The same of a deferred function.
pub(crate) unsafe extern "C" fn deferred_of<F>(
    asi: *mut raw::StepHandle,
    outcome: *const raw::RawOutcome,
    data: *mut c_void,
) -> raw::Failure
where
    F: FnOnce(&Step, &Outcome) -> Result<(), Error>,
{
    guarded(|| match (*(data as *mut Option<F>)).take() {
        Some(function) => function(&Step::lent(asi), &Outcome::of(&*outcome)),
        None => Ok(()),
    })
}

/// What panics when it is dropped ends the process, as in Rust's own threads' locals.
pub(crate) unsafe extern "C" fn drop_box<T>(data: *mut c_void) {
    drop(Box::from_raw(data as *mut T));
}
