//! How a step closes.

use crate::error::{told, Error};
use crate::raw;
use crate::value::{all_owned, items_of, str_of, Args};

/// What a deferred function is told of its step.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It ends well, with these values.
    Ok(Args),
    Error(Error),
    /// With the reason, which may be empty.
    Canceled(String),
}

impl Outcome {
    /// # Safety
    /// It is the host's.
    pub(crate) unsafe fn of(raw: &raw::RawOutcome) -> Outcome {
        match raw.kind {
            raw::OK => Outcome::Ok(Args(all_owned(items_of(raw.values, raw.count)))),
            raw::ERROR => Outcome::Error(told(raw.error)),
            _ => Outcome::Canceled(str_of(raw.reason).to_owned()),
        }
    }

    pub fn is_ok(&self) -> bool {
        matches!(self, Outcome::Ok(_))
    }
    /// Of an error; `Canceled` of a cancel; else empty.
    pub fn code(&self) -> &str {
        match self {
            Outcome::Ok(_) => "",
            Outcome::Error(error) => error.code(),
            Outcome::Canceled(_) => "Canceled",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testhost;
    use crate::value::{text_of, Lent};
    use std::ptr;

    #[test]
    fn an_outcome_says_how_and_with_what() {
        testhost::start();
        let values = ["a".into(), 1.into()];
        let lent = Lent::new(&values);
        let error = testhost::own_error();
        let mut raw = raw::RawOutcome {
            size: 64,
            kind: raw::OK,
            values: lent.pointer(),
            count: lent.count(),
            error: ptr::null(),
            code: text_of(""),
            reason: text_of(""),
        };
        let ok = unsafe { Outcome::of(&raw) };
        assert!(ok.is_ok());
        assert_eq!((ok.code(), &ok), ("", &Outcome::Ok(Args(values.to_vec()))));
        raw.kind = raw::ERROR;
        raw.error = error.raw();
        let failed = unsafe { Outcome::of(&raw) };
        assert_eq!((failed.code(), failed.is_ok()), ("Own", false));
        raw.kind = 2;
        raw.reason = text_of("enough");
        let canceled = unsafe { Outcome::of(&raw) };
        assert_eq!(canceled.code(), "Canceled");
        assert_eq!(canceled, Outcome::Canceled("enough".into()));
    }
}
