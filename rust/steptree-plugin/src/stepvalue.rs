//! Steps that are described once.

use crate::closure::of_body;
use crate::error::{result_of, Error};
use crate::host::api;
use crate::raw;
use crate::step::Step;
use crate::value::{text_of, Args, Lent, Value, NO_TEXT};
use std::ptr;

/// A step that is described once, to be added any number of times: a service of the host, or one of
/// the plug-in's own. It never changes; copies are the same. Any thread. What is kept is dropped in
/// `stop`.
pub struct StepValue(*const raw::Definition);

unsafe impl Send for StepValue {}
unsafe impl Sync for StepValue {}

/// A body as a step value, which the plug-in may offer; all runs of it share the body.
///
/// ```no_run
/// # use steptree_plugin::{step, Error, Host};
/// fn start() -> Result<(), Error> {
///     Host::offer("ping", &step(|asi, _| asi.success(&["pong".into()]))?)
/// }
/// ```
pub fn step<F>(body: F) -> Result<StepValue, Error>
where
    F: Fn(&Step, Args) -> Result<(), Error> + Send + Sync + 'static,
{
    let closure = of_body(body);
    StepValue::made(|into| unsafe { (api().define().step)(&closure, into) })
}

impl StepValue {
    /// The same with these values, at most 4, in the place of those that it would find.
    pub fn with(&self, values: &[Value]) -> Result<StepValue, Error> {
        let lent = Lent::new(values);
        StepValue::made(|into| unsafe {
            (api().define().bound)(self.0, lent.pointer(), lent.count(), into)
        })
    }

    /// The same with a limit: milliseconds, after which all in it is closed, and fails with
    /// `Timeout`.
    pub fn timeout(&self, ms: f64) -> Result<StepValue, Error> {
        StepValue::made(|into| unsafe { (api().define().timeout)(self.0, ms, NO_TEXT, into) })
    }

    /// The same by a name, which paths show.
    pub fn named(&self, name: &str) -> Result<StepValue, Error> {
        StepValue::made(|into| unsafe { (api().define().named)(self.0, text_of(name), into) })
    }

    /// Ends after so many milliseconds.
    pub(crate) fn delay(ms: f64) -> Result<StepValue, Error> {
        StepValue::made(|into| unsafe { (api().define().delay)(ms, into) })
    }

    pub(crate) fn raw(&self) -> *const raw::Definition {
        self.0
    }

    pub(crate) fn made(
        make: impl FnOnce(*mut *const raw::Definition) -> raw::Failure,
    ) -> Result<StepValue, Error> {
        let mut made = ptr::null();
        unsafe { result_of(make(&mut made))? };
        Ok(StepValue(made))
    }
}

impl Clone for StepValue {
    fn clone(&self) -> StepValue {
        unsafe { (api().define().keep)(self.0) };
        StepValue(self.0)
    }
}

impl Drop for StepValue {
    fn drop(&mut self) {
        unsafe { (api().define().drop)(self.0) };
    }
}
