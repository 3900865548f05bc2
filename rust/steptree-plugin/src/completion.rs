//! The right to end a wait.

use crate::error::Error;
use crate::host::api;
use crate::raw;
use crate::value::{text_of, Lent, Value};

/// Ends the wait of one step, once, from any thread; late and twice are allowed. The plug-in stays
/// loaded as long as it has one.
pub struct Completion(raw::RawCompletion);

unsafe impl Send for Completion {}
unsafe impl Sync for Completion {}

impl Completion {
    /// # Safety
    /// Nobody else drops it.
    pub(crate) unsafe fn own(raw: raw::RawCompletion) -> Completion {
        Completion(raw)
    }

    /// With at most 4 values; whether it has won.
    pub fn success(&self, values: &[Value]) -> bool {
        let lent = Lent::new(values);
        unsafe { (api().completion().success)(self.0, lent.pointer(), lent.count()) != 0 }
    }

    /// As if the body had returned this error; whether it has won.
    pub fn fail(&self, error: &Error) -> bool {
        unsafe { (api().completion().fail)(self.0, error.raw()) != 0 }
    }

    /// The same with code and info alone.
    pub fn error(&self, code: &str, info: &str) -> bool {
        unsafe { (api().completion().error)(self.0, text_of(code), text_of(info)) != 0 }
    }
}

impl Clone for Completion {
    fn clone(&self) -> Completion {
        Completion(unsafe { (api().completion().keep)(self.0) })
    }
}

impl Drop for Completion {
    fn drop(&mut self) {
        unsafe { (api().completion().drop)(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testhost;

    #[test]
    fn each_copy_is_dropped_once_and_the_first_use_wins() {
        testhost::start();
        let completion = unsafe { Completion::own(testhost::completion()) };
        let copy = completion.clone();
        let late = std::thread::spawn(move || copy.success(&["done".into()]));
        assert!(late.join().unwrap());
        assert!(!completion.error("Late", ""));
        assert!(!completion.fail(&Error::new("Late", "")));
        assert_eq!(testhost::copies(), 1);
        drop(completion);
        assert_eq!(testhost::copies(), 0);
    }
}
