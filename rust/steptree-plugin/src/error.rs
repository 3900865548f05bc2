//! Errors, and what keeps panics inside.

use crate::host::api;
use crate::raw;
use crate::value::{str_of, text_of};
use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::{fmt, ptr};

/// What a body fails with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    code: String,
    info: String,
}

impl Error {
    /// `code` is what handlers compare; empty: `InternalError`.
    pub fn new(code: impl Into<String>, info: impl Into<String>) -> Error {
        Error { code: code.into(), info: info.into() }
    }
    pub fn code(&self) -> &str {
        &self.code
    }
    pub fn info(&self) -> &str {
        &self.info
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.info)
    }
}
impl std::error::Error for Error {}

/// Of the system: its code is the name of the number, such as `ECONNREFUSED`.
impl From<std::io::Error> for Error {
    fn from(of: std::io::Error) -> Error {
        let info = of.to_string();
        let number = of.raw_os_error().unwrap_or(0);
        let raw = unsafe { (api().error().of_system)(number, text_of(&info), ptr::null()) };
        unsafe { told(raw) }
    }
}

unsafe fn told(raw: raw::Failure) -> Error {
    let api = api().error();
    Error::new(str_of((api.code)(raw)), str_of((api.info)(raw)))
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
    let api = || api().error();
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => ptr::null(),
        Ok(Err(error)) => unsafe {
            (api().make)(text_of(&error.code), text_of(&error.info), ptr::null())
        },
        Err(panic) => unsafe { (api().of_system)(0, text_of(said(panic.as_ref())), ptr::null()) },
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
        assert_eq!(refused.code(), "system 111");
        assert!(refused.info().contains("refused"), "{}", refused);
        let other = Error::from(std::io::Error::new(std::io::ErrorKind::Other, "odd"));
        assert_eq!((other.code(), other.info()), ("system 0", "odd"));
    }
}
