//! The accessor of a step.

use crate::closure::{boxed, cancel_of, deferred_of, drop_box, of_body, of_both};
use crate::completion::Completion;
use crate::error::{result_of, told, Error};
use crate::host::api;
use crate::outcome::Outcome;
use crate::raw;
use crate::state::State;
use crate::stepvalue::StepValue;
use crate::value::{text_of, Args, Lent, Value, NO_TEXT};
use std::ptr;

/// A step as long as it is open: its body, its handler, and nobody else gets one.
pub struct Step(*mut raw::StepHandle);

impl Step {
    /// # Safety
    /// It is the host's, and open as long as this lives.
    pub(crate) unsafe fn lent(raw: *mut raw::StepHandle) -> Step {
        Step(raw)
    }

    /// Ends the step well, with at most 4 values for the next one.
    pub fn success(&self, values: &[Value]) -> Result<(), Error> {
        let lent = Lent::new(values);
        unsafe { result_of((api().step().success)(self.0, lent.pointer(), lent.count())) }
    }

    /// Adds a step.
    pub fn add<F>(&self, body: F) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
    {
        self.add_named("", body)
    }

    /// The same with a name, which paths show in the place of its number; empty: none.
    pub fn add_named<F>(&self, name: &str, body: F) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
    {
        self.add_closure(name, &of_body(body))
    }

    /// Adds a step with an error handler, which recovers by `success` or by adding steps.
    pub fn add_handled<F, H>(&self, body: F, handler: H) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
        H: Fn(&Step, &str) -> Result<(), Error> + Send + 'static,
    {
        self.add_named_handled("", body, handler)
    }

    /// The same with a name.
    pub fn add_named_handled<F, H>(&self, name: &str, body: F, handler: H) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
        H: Fn(&Step, &str) -> Result<(), Error> + Send + 'static,
    {
        self.add_closure(name, &of_both(body, handler))
    }

    fn add_closure(&self, name: &str, closure: &raw::Closure) -> Result<(), Error> {
        unsafe { result_of((api().add().named_step)(self.adder(), closure, text_of(name))) }
    }

    /// Adds a loop of so many rounds, which get their number.
    pub fn repeat<F>(&self, count: i64, body: F) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
    {
        let closure = of_body(body);
        unsafe { result_of((api().add().repeat)(self.adder(), count, &closure, NO_TEXT)) }
    }

    /// Adds a step that ends after so many milliseconds.
    pub fn delay(&self, ms: f64) -> Result<(), Error> {
        self.add_value(&StepValue::delay(ms)?)
    }

    /// Adds a step that is described by a value, and gets the values before it.
    pub fn add_value(&self, value: &StepValue) -> Result<(), Error> {
        unsafe { result_of((api().add().value)(self.adder(), value.raw(), ptr::null(), NO_TEXT)) }
    }

    /// Adds one with these values, and a step that gets what it has left.
    pub fn call<F>(&self, value: &StepValue, values: &[Value], then: F) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
    {
        self.add_value(&value.with(values)?)?;
        self.add(then)
    }

    /// Adds a step that leaves these values.
    pub fn add_success(&self, values: &[Value]) -> Result<(), Error> {
        let lent = Lent::new(values);
        unsafe { result_of((api().add().success)(self.adder(), lent.pointer(), lent.count())) }
    }

    /// Limits the step and all in it: milliseconds.
    pub fn set_timeout(&self, ms: f64) -> Result<(), Error> {
        unsafe { result_of((api().step().set_timeout)(self.0, ms, NO_TEXT)) }
    }

    /// Milliseconds until the nearest timeout around, the host's too; `None` without any.
    pub fn remaining(&self) -> Result<Option<i64>, Error> {
        let mut ms = 0;
        unsafe { result_of((api().step().remaining)(self.0, &mut ms))? };
        Ok(Some(ms).filter(|&ms| ms != i64::MAX))
    }

    /// Is called once when the step ends in any other way than well; again: replaces it.
    pub fn set_cancel<F>(&self, handler: F) -> Result<(), Error>
    where
        F: FnOnce() + Send + 'static,
    {
        let (data, drop) = (boxed(Some(handler)), Some(drop_box::<Option<F>> as raw::Drop));
        unsafe { result_of((api().step().set_cancel)(self.0, cancel_of::<F>, data, drop)) }
    }

    /// Runs once when the step closes, whatever ends it, as the body of a step of its own, which may
    /// add steps and wait; the last one first. Nothing from outside ends it, but for the flow's
    /// `grace`.
    ///
    /// ```no_run
    /// # use steptree_plugin::{Args, Error, Host, Step};
    /// fn transfer(asi: &Step, _: Args) -> Result<(), Error> {
    ///     let (commit, undo) = (Host::service("commit")?, Host::service("undo")?);
    ///     asi.defer(move |step, outcome| {
    ///         step.add_value(if outcome.is_ok() { &commit } else { &undo })
    ///     })?;
    ///     asi.add_value(&Host::service("transfer")?)
    /// }
    /// ```
    pub fn defer<F>(&self, function: F) -> Result<(), Error>
    where
        F: FnOnce(&Step, &Outcome) -> Result<(), Error> + Send + 'static,
    {
        let (data, drop) = (boxed(Some(function)), Some(drop_box::<Option<F>> as raw::Drop));
        unsafe { result_of((api().step().defer)(self.0, deferred_of::<F>, data, drop)) }
    }

    /// The error that is handled, in a handler; else `None`.
    pub fn last_error(&self) -> Option<Error> {
        let raw = unsafe { (api().step().last_error)(self.0) };
        (!raw.is_null()).then(|| unsafe { told(raw) })
    }

    /// What all steps of the flow share.
    pub fn state(&self) -> Result<State<'_>, Error> {
        let mut made = ptr::null_mut();
        unsafe {
            result_of((api().step().state)(self.0, &mut made))?;
            Ok(State::lent(made))
        }
    }

    /// Makes the step wait until the completion is used.
    pub fn wait(&self) -> Result<Completion, Error> {
        let mut made = raw::RawCompletion { slot: ptr::null_mut(), generation: 0 };
        unsafe {
            result_of((api().step().wait_external)(self.0, &mut made))?;
            Ok(Completion::own(made))
        }
    }

    /// A step is an adder, see the header.
    fn adder(&self) -> *mut raw::Adder {
        self.0 as *mut raw::Adder
    }
}
