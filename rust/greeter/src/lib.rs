//! The greeter in Rust.
#![deny(unsafe_code)]

use steptree_plugin::{plugin, Args, Error, Host, Step};

fn greet(asi: &Step, args: Args) -> Result<(), Error> {
    let name = args.text(0).unwrap_or_default().to_owned();
    let hesitate = args.integer(1).unwrap_or(0);
    asi.add_handled(
        move |step, _| {
            if name.is_empty() {
                return Err(Error::new("NoName", "nobody to greet"));
            }
            step.delay(hesitate as f64)?;
            step.add_success(&[format!("Hello, {}", name).into()])
        },
        |step, code| match code {
            "NoName" => step.success(&["Hello, whoever you are".into()]),
            _ => Ok(()),
        },
    )?;
    asi.add(|step, greeting| {
        let greeting = greeting.text(0).unwrap_or_default();
        step.success(&[format!("{}!!!", greeting).into()])
    })
}

/// The host knows the word for each language.
fn welcome(asi: &Step, args: Args) -> Result<(), Error> {
    let name = args.text(0).unwrap_or_default().to_owned();
    asi.call(&Host::service("greeting.for")?, &args.0[1..], move |step, word| {
        let word = word.text(0).unwrap_or_default();
        step.success(&[format!("{}, {}!!!", word, name).into()])
    })
}

plugin! {
    name: "greeter",
    version: "1.0.0 in Rust",
    handlers: [
        greet(1..=2, "says hello to a name, after so many milliseconds"),
        welcome(2..=2, "greets a name in a language"),
    ],
}
