//! What all steps of a flow share.

use crate::error::{result_of, Error};
use crate::host::api;
use crate::raw;
use crate::value::{owned, text_of, Lent, Value};
use std::marker::PhantomData;

/// The state of a flow, by keys, as long as a step of it is known. The host's and other plug-ins'
/// steps see the same one.
///
/// ```no_run
/// # use steptree_plugin::{Args, Error, Step, Value};
/// fn count(asi: &Step, _: Args) -> Result<(), Error> {
///     let state = asi.state()?;
///     let count = match state.get("count")? {
///         Some(Value::Integer(count)) => count + 1,
///         _ => 1,
///     };
///     state.set("count", &count.into())
/// }
/// ```
pub struct State<'a>(*mut raw::StateHandle, PhantomData<&'a ()>);

impl State<'_> {
    /// # Safety
    /// It is good as long as `'a`.
    pub(crate) unsafe fn lent<'a>(raw: *mut raw::StateHandle) -> State<'a> {
        State(raw, PhantomData)
    }

    /// A copy of what is there; `None`: there is nothing, not even a `Value::Nothing`.
    pub fn get(&self, key: &str) -> Result<Option<Value>, Error> {
        let key = text_of(key);
        unsafe {
            if (api().state().has)(self.0, key) == 0 {
                return Ok(None);
            }
            let mut value = raw::RawValue::nothing();
            result_of((api().state().get)(self.0, key, &mut value))?;
            Ok(Some(owned(&value)))
        }
    }
    /// In the place of what the key has.
    pub fn set(&self, key: &str, value: &Value) -> Result<(), Error> {
        let lent = Lent::new(std::slice::from_ref(value));
        unsafe { result_of((api().state().set)(self.0, text_of(key), lent.pointer())) }
    }
    /// What isn't there: nothing.
    pub fn erase(&self, key: &str) -> Result<(), Error> {
        unsafe { result_of((api().state().erase)(self.0, text_of(key))) }
    }
}
