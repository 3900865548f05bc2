//! Services of the host.

use crate::error::{result_of, Error};
use crate::host::{api, handle};
use crate::raw;
use crate::value::{text_of, Lent, Value};
use std::ptr;

/// The host of the plug-in, once that has been started.
pub struct Host;

impl Host {
    /// A service by its name, which is looked up when it runs: `NoService` is an error of the step
    /// then. Made once, or for each call; what is kept is dropped in `stop`.
    ///
    /// ```no_run
    /// # use steptree_plugin::{Args, Error, Host, Step};
    /// fn greet(asi: &Step, args: Args) -> Result<(), Error> {
    ///     asi.call(&Host::service("users.find")?, &args.0, |step, user| {
    ///         step.success(&[format!("Hello, {}", user.text(0).unwrap_or("you")).into()])
    ///     })
    /// }
    /// ```
    pub fn service(name: &str) -> Result<Service, Error> {
        Service::made(|into| unsafe { (api().host().service)(handle(), text_of(name), into) })
    }
}

/// A step that is the host's. It never changes; copies are the same. Any thread.
pub struct Service(*const raw::Definition);

unsafe impl Send for Service {}
unsafe impl Sync for Service {}

impl Service {
    /// The same with these values, at most 4, in the place of those that it would find.
    pub fn with(&self, values: &[Value]) -> Result<Service, Error> {
        let lent = Lent::new(values);
        Service::made(|into| unsafe {
            (api().define().bound)(self.0, lent.pointer(), lent.count(), into)
        })
    }

    /// The same with a limit: milliseconds, after which all in it is closed, and fails with
    /// `Timeout`.
    pub fn timeout(&self, ms: f64) -> Result<Service, Error> {
        let code = raw::Text { data: ptr::null(), size: 0 };
        Service::made(|into| unsafe { (api().define().timeout)(self.0, ms, code, into) })
    }

    pub(crate) fn raw(&self) -> *const raw::Definition {
        self.0
    }

    fn made(
        make: impl FnOnce(*mut *const raw::Definition) -> raw::Failure,
    ) -> Result<Service, Error> {
        let mut made = ptr::null();
        unsafe { result_of(make(&mut made))? };
        Ok(Service(made))
    }
}

impl Clone for Service {
    fn clone(&self) -> Service {
        unsafe { (api().define().keep)(self.0) };
        Service(self.0)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        unsafe { (api().define().drop)(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testhost;

    #[test]
    fn a_service_is_counted() {
        testhost::start();
        let service = Host::service("known").unwrap();
        assert_eq!(testhost::definitions(), 1);
        let copy = service.clone();
        let bound = copy.with(&["a".into()]).unwrap().timeout(5.0).unwrap();
        assert_eq!(testhost::definitions(), 3); // the one with values alone is gone
        drop((service, copy, bound));
        assert_eq!(testhost::definitions(), 0);
    }

    #[test]
    fn a_service_without_a_name_is_refused() {
        testhost::start();
        let refused = Host::service("").map(|_| ());
        assert_eq!(
            refused.map_err(|error| error.to_string()),
            Err("InternalError: no name".into())
        );
    }
}
