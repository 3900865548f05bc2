//! Services: what the host offers, and what the plug-in does.

use crate::error::{result_of, Error};
use crate::host::{api, handle};
use crate::stepvalue::StepValue;
use crate::value::text_of;

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
    pub fn service(name: &str) -> Result<StepValue, Error> {
        StepValue::made(|into| unsafe { (api().host().service)(handle(), text_of(name), into) })
    }

    /// Others may call the step by that name, as long as the plug-in takes calls. It takes the place
    /// of what has the name, for calls that begin from now on.
    pub fn offer(name: &str, value: &StepValue) -> Result<(), Error> {
        unsafe { result_of((api().host().offer)(handle(), text_of(name), value.raw())) }
    }

    /// No call of it begins any more. What others offer stays.
    pub fn withdraw(name: &str) -> Result<(), Error> {
        unsafe { result_of((api().host().withdraw)(handle(), text_of(name))) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stepvalue::step;
    use crate::testhost;

    #[test]
    fn a_service_is_counted() {
        let _alone = testhost::alone();
        let service = Host::service("known").unwrap();
        assert_eq!(testhost::definitions(), 1);
        let copy = service.clone();
        let bound = copy.with(&["a".into()]).unwrap().timeout(5.0).unwrap().named("n").unwrap();
        assert_eq!(testhost::definitions(), 3); // those with values and a limit alone are gone
        drop((service, copy, bound));
        assert_eq!(testhost::definitions(), 0);
    }

    #[test]
    fn what_is_offered_is_counted_and_withdrawn() {
        let _alone = testhost::alone();
        let own = step(|asi, _| asi.success(&[])).unwrap();
        Host::offer("own", &own).unwrap();
        drop(own);
        assert_eq!(testhost::definitions(), 1);
        Host::withdraw("own").unwrap();
        assert_eq!(testhost::definitions(), 0);
        let own = step(|asi, _| asi.success(&[])).unwrap();
        let refused = Host::offer("", &own).unwrap_err();
        assert_eq!(refused.to_string(), "InternalError: no name");
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
