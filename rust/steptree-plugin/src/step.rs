//! The accessor of a step.

use crate::completion::Completion;
use crate::error::{guarded, result_of, Error};
use crate::host::api;
use crate::raw;
use crate::service::Service;
use crate::value::{all_owned, items_of, str_of, text_of, Args, Lent, Value};
use std::os::raw::c_void;
use std::ptr;

/// A step as long as it is open: its body, its handler, and nobody else gets one.
pub struct Step(*mut raw::StepHandle);

impl Step {
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
        let closure = closure_of(body);
        unsafe { result_of((api().add().step)(self.adder(), &closure)) }
    }

    /// Adds a step with an error handler, which recovers by `success` or by adding steps.
    pub fn add_handled<F, H>(&self, body: F, handler: H) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
        H: Fn(&Step, &str) -> Result<(), Error> + Send + 'static,
    {
        let closure = raw::Closure {
            body: Some(handled_body::<F, H>),
            data: Box::into_raw(Box::new((body, handler))) as *mut c_void,
            drop: Some(drop_box::<(F, H)>),
            onerror: Some(handler_of::<F, H>),
            value: ptr::null(),
        };
        unsafe { result_of((api().add().step)(self.adder(), &closure)) }
    }

    /// Adds a loop of so many rounds, which get their number.
    pub fn repeat<F>(&self, count: i64, body: F) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
    {
        let closure = closure_of(body);
        let label = text_of("");
        unsafe { result_of((api().add().repeat)(self.adder(), count, &closure, label)) }
    }

    /// Adds a step that ends after so many milliseconds.
    pub fn delay(&self, ms: f64) -> Result<(), Error> {
        let mut value = ptr::null();
        unsafe {
            result_of((api().define().delay)(ms, &mut value))?;
            let error = (api().add().value)(self.adder(), value, ptr::null(), text_of(""));
            let result = result_of(error);
            (api().define().drop)(value);
            result
        }
    }

    /// Adds a step of the host, which gets the values before it.
    pub fn add_service(&self, service: &Service) -> Result<(), Error> {
        let name = text_of("");
        unsafe { result_of((api().add().value)(self.adder(), service.raw(), ptr::null(), name)) }
    }

    /// Adds a step of the host with these values, and one that gets what it has left.
    pub fn call<F>(&self, service: &Service, values: &[Value], then: F) -> Result<(), Error>
    where
        F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
    {
        self.add_service(&service.with(values)?)?;
        self.add(then)
    }

    /// Adds a step that leaves these values.
    pub fn add_success(&self, values: &[Value]) -> Result<(), Error> {
        let lent = Lent::new(values);
        unsafe { result_of((api().add().success)(self.adder(), lent.pointer(), lent.count())) }
    }

    /// Limits the step and all in it: milliseconds.
    pub fn set_timeout(&self, ms: f64) -> Result<(), Error> {
        let code = raw::Text { data: ptr::null(), size: 0 };
        unsafe { result_of((api().step().set_timeout)(self.0, ms, code)) }
    }

    /// Is called once when the step ends in any other way than well.
    pub fn set_cancel<F>(&self, handler: F) -> Result<(), Error>
    where
        F: Fn() + Send + 'static,
    {
        let data = Box::into_raw(Box::new(handler)) as *mut c_void;
        unsafe {
            result_of((api().step().set_cancel)(self.0, cancel_of::<F>, data, Some(drop_box::<F>)))
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

fn closure_of<F>(body: F) -> raw::Closure
where
    F: Fn(&Step, Args) -> Result<(), Error> + Send + 'static,
{
    raw::Closure {
        body: Some(body_of::<F>),
        data: Box::into_raw(Box::new(body)) as *mut c_void,
        drop: Some(drop_box::<F>),
        onerror: None,
        value: ptr::null(),
    }
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
        body(&Step(asi), Args(all_owned(values)))
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
    guarded(|| ((*(data as *const (F, H))).1)(&Step(asi), str_of(code)))
}

unsafe extern "C" fn cancel_of<F: Fn()>(
    _: *mut raw::StepHandle,
    _: *const raw::RawArgs,
    data: *mut c_void,
) -> raw::Failure {
    guarded(|| {
        (*(data as *const F))();
        Ok(())
    })
}

/// What panics when it is dropped ends the process, as in Rust's own threads' locals.
unsafe extern "C" fn drop_box<T>(data: *mut c_void) {
    drop(Box::from_raw(data as *mut T));
}
