//! Errors, and what keeps panics inside.

use crate::host::api;
use crate::raw;
use crate::value::{str_of, text_of};
use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;
use std::{fmt, ptr};

/// What a body fails with, or what the host has told. Equal ones have the same code, info and cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: String,
    info: String,
    cause: Option<Arc<Error>>,
    its: Kept,
}

impl Error {
    /// `code` is what handlers compare; empty: `InternalError`.
    pub fn new(code: impl Into<String>, info: impl Into<String>) -> Error {
        Error { code: code.into(), info: info.into(), cause: None, its: Kept(ptr::null()) }
    }
    /// The same with what is behind it, in the place of another cause.
    ///
    /// ```no_run
    /// # use steptree_plugin::{Error, Step};
    /// fn explain(step: &Step, code: &str) -> Result<(), Error> {
    ///     let why = step.last_error().unwrap_or_else(|| Error::new(code, ""));
    ///     Err(Error::new("NoUser", "nobody of that name").caused_by(why))
    /// }
    /// ```
    pub fn caused_by(mut self, cause: Error) -> Error {
        self.its = Kept(ptr::null());
        self.let_go();
        self.cause = Some(Arc::new(cause));
        self
    }
    pub fn code(&self) -> &str {
        &self.code
    }
    pub fn info(&self) -> &str {
        &self.info
    }
    /// What is behind it, as far as it's known.
    pub fn cause(&self) -> Option<&Error> {
        self.cause.as_deref()
    }
    /// Of one that the host has told: where it was raised, from the root. Else empty.
    pub fn path(&self) -> &str {
        match self.its.0.is_null() {
            true => "",
            false => unsafe { str_of((api().error().path)(self.its.0)) },
        }
    }

    /// As the host has it: what it has told itself, else a new one, good until its next call on this
    /// thread fails.
    pub(crate) fn raw(&self) -> raw::Failure {
        match self.its.0.is_null() {
            true => self.raised(),
            false => self.its.0,
        }
    }

    /// The causes one after the other: a chain may be longer than a stack is deep.
    fn let_go(&mut self) {
        let mut next = self.cause.take();
        while let Some(mut last) = next.and_then(|cause| Arc::try_unwrap(cause).ok()) {
            next = last.cause.take();
        }
    }

    /// A new one, which belongs to the host.
    fn raised(&self) -> raw::Failure {
        let cause = self.cause().map_or(ptr::null(), Error::raw);
        unsafe { (api().error().make)(text_of(&self.code), text_of(&self.info), cause) }
    }
}

impl Drop for Error {
    fn drop(&mut self) {
        self.let_go();
    }
}
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.info)
    }
}
impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause().map(|cause| cause as _)
    }
}

/// Of the system: its code is the name of the number, such as `ECONNREFUSED`.
impl From<std::io::Error> for Error {
    fn from(of: std::io::Error) -> Error {
        let (number, info) = match of.raw_os_error() {
            Some(number) => (number, String::new()), // the host adds what the system says
            None => (0, of.to_string()),
        };
        let raw = unsafe { (api().error().of_system)(number, text_of(&info), ptr::null()) };
        unsafe { told(raw) }
    }
}

/// An error of the host, which is counted, or null. Nothing that makes errors equal or not.
#[derive(Debug)]
struct Kept(raw::Failure);

unsafe impl Send for Kept {}
unsafe impl Sync for Kept {}

impl Clone for Kept {
    fn clone(&self) -> Kept {
        if !self.0.is_null() {
            unsafe { (api().error().keep)(self.0) };
        }
        Kept(self.0)
    }
}
impl Drop for Kept {
    fn drop(&mut self) {
        if !self.0.is_null() {
            unsafe { (api().error().drop)(self.0) };
        }
    }
}
impl PartialEq for Kept {
    fn eq(&self, _: &Kept) -> bool {
        true
    }
}
impl Eq for Kept {}

/// # Safety
/// It is an error of the host, and good for now.
pub(crate) unsafe fn told(raw: raw::Failure) -> Error {
    let cause_of = api().error().cause;
    let mut chain = vec![alone(raw)];
    let mut cause = cause_of(raw);
    while !cause.is_null() {
        chain.push(alone(cause));
        cause = cause_of(cause);
    }
    let first = chain.into_iter().rev().reduce(|cause, mut error| {
        error.cause = Some(Arc::new(cause));
        error
    });
    first.unwrap_or_else(|| Error::new("", ""))
}

/// Without its cause.
unsafe fn alone(raw: raw::Failure) -> Error {
    let api = api().error();
    (api.keep)(raw);
    let its = Kept(raw);
    let mut error = Error::new(str_of((api.code)(raw)), str_of((api.info)(raw)));
    error.its = its;
    error
}

/// # Safety
/// It is what a call of the host has just returned.
pub(crate) unsafe fn result_of(raw: raw::Failure) -> Result<(), Error> {
    if raw.is_null() {
        Ok(())
    } else {
        Err(told(raw))
    }
}

/// What a body has come to, as the host has it. A panic goes no further.
pub(crate) fn guarded(call: impl FnOnce() -> Result<(), Error>) -> raw::Failure {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => ptr::null(),
        // The host's own may go with `error`.
        Ok(Err(error)) => error.raised(),
        Err(panic) => unsafe {
            (api().error().of_system)(0, text_of(said(panic.as_ref())), ptr::null())
        },
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text,
        (_, Some(text)) => text,
        _ => "a panic",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testhost;

    #[test]
    fn a_body_fails_with_its_error_or_its_panic() {
        testhost::start();
        let told = |call: fn() -> Result<(), Error>| unsafe {
            result_of(guarded(call)).map_err(|error| error.to_string())
        };
        assert_eq!(told(|| Ok(())), Ok(()));
        assert_eq!(told(|| Err(Error::new("Code", "info"))), Err("Code: info".into()));
        assert_eq!(told(|| panic!("no luck")), Err("system 0: no luck".into()));
        assert_eq!(told(|| panic!("{} times", 3)), Err("system 0: 3 times".into()));
        assert_eq!(told(|| std::panic::panic_any(7)), Err("system 0: a panic".into()));
    }

    #[test]
    fn an_error_of_the_system_has_the_code_of_its_number() {
        testhost::start();
        let refused = Error::from(std::io::Error::from_raw_os_error(111));
        assert_eq!((refused.code(), refused.info()), ("system 111", ""));
        let other = Error::from(std::io::Error::new(std::io::ErrorKind::Other, "odd"));
        assert_eq!((other.code(), other.info()), ("system 0", "odd"));
    }

    #[test]
    fn causes_come_back_as_they_went() {
        testhost::start();
        let own =
            || Error::new("A", "a").caused_by(Error::new("B", "b").caused_by(Error::new("C", "")));
        let back = unsafe { result_of(guarded(|| Err(own()))) }.unwrap_err();
        assert_eq!(back, own());
        assert_ne!(back, Error::new("A", "a"));
        assert_eq!((own().path(), back.path()), ("", "at the host"));
        let source = std::error::Error::source(&back).unwrap();
        assert_eq!(source.to_string(), "B: b");
    }

    #[test]
    fn an_error_of_the_host_is_given_back_as_a_cause_and_counted() {
        testhost::start();
        let counted = testhost::own_error();
        let host = unsafe { told(counted.raw()) };
        let copy = host.clone();
        assert_eq!(counted.owners(), 3);
        let raised = guarded(|| Err(Error::new("New", "").caused_by(copy)));
        assert_eq!(unsafe { (api().error().cause)(raised) }, counted.raw());
        assert_eq!(counted.owners(), 2);
        let other = host.caused_by(Error::new("Other", ""));
        assert_eq!(counted.owners(), 1); // it isn't the host's any more
        assert_ne!(other.raw(), counted.raw());
    }

    #[test]
    fn a_long_chain_of_causes_needs_no_deep_stack() {
        testhost::start();
        let mut error = Error::new("First", "");
        for _ in 0..100_000 {
            let raised = guarded(|| Err(Error::new("Next", "").caused_by(error.clone())));
            error = unsafe { alone(raised) };
        }
        let back = unsafe { told(error.raw()) };
        let mut count = 0;
        let mut at = back.cause();
        while let Some(cause) = at {
            count += 1;
            at = cause.cause();
        }
        assert_eq!(count, 100_000);
    }
}
