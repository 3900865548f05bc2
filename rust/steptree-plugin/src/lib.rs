//! Plug-ins for hosts of steptree, in safe Rust: functions that are called as steps. `unsafe` stands
//! in this crate alone. What panics is an error of its step.
//!
//! ```
//! use steptree_plugin::{plugin, Args, Error, Step};
//!
//! fn greet(asi: &Step, args: Args) -> Result<(), Error> {
//!     let name = args.text(0).ok_or_else(|| Error::new("NoName", "nobody to greet"))?;
//!     asi.success(&[format!("Hello, {}", name).into()])
//! }
//!
//! plugin! {
//!     name: "greeter",
//!     version: "1.0.0",
//!     handlers: [
//!         greet(1..=1, "says hello to a name"),
//!     ],
//! }
//! # fn main() {}
//! ```

mod closure;
mod completion;
mod error;
#[doc(hidden)]
pub mod export;
mod host;
mod outcome;
#[doc(hidden)]
pub mod raw;
mod service;
mod state;
mod step;
mod stepvalue;
#[cfg(test)]
mod testhost;
mod value;

pub use completion::Completion;
pub use error::Error;
pub use outcome::Outcome;
pub use service::Host;
pub use state::State;
pub use step::Step;
pub use stepvalue::{step, StepValue};
pub use value::{Args, Value};
