//! A plug-in that uses all of the crate: what cpp/test/pluginhost/rich.cpp is in C++.
#![deny(unsafe_code)]

use std::sync::Mutex;
use std::thread;
use steptree_plugin::{plugin, step, Args, Error, Host, Outcome, Step, StepValue, Value};

static DOUBLES: Mutex<Option<StepValue>> = Mutex::new(None);
static THREADS: Mutex<Vec<thread::JoinHandle<()>>> = Mutex::new(Vec::new());

fn begin() -> Result<(), Error> {
    let doubles =
        step(|asi, args| asi.success(&[(2 * args.integer(0).unwrap_or_default()).into()]))?;
    Host::offer("doubles", &doubles)?;
    *DOUBLES.lock().unwrap() = Some(doubles);
    Ok(())
}
fn end() {
    *DOUBLES.lock().unwrap() = None;
    for thread in THREADS.lock().unwrap().drain(..) {
        thread.join().unwrap();
    }
}

/// Fails in a step with a name, in one with another.
fn fails(asi: &Step, _: Args) -> Result<(), Error> {
    asi.add_named("outer", |outer, _| {
        outer.add_named_handled(
            "inner",
            |_, _| Err(Error::new("Own", "")),
            |step, code| {
                let why = step.last_error().filter(|why| why.path() == "rich.fails/outer/inner");
                let why = why.unwrap_or_else(|| Error::new("NoError", ""));
                Err(Error::new(format!("{}2", code), "with a cause").caused_by(why))
            },
        )
    })
}

/// How much time there is, in a step that is limited, and in one that isn't.
fn remains(asi: &Step, _: Args) -> Result<(), Error> {
    let none = asi.remaining()?.is_none();
    asi.add(move |step, _| {
        step.set_timeout(30.0)?;
        step.add_success(&[none.into(), step.remaining()?.unwrap_or(-1).into()])
    })
}

/// Tells the state how it has ended.
fn defers(asi: &Step, args: Args) -> Result<(), Error> {
    asi.defer(|step, outcome| {
        let ended = if outcome.is_ok() { "well" } else { outcome.code() };
        step.state()?.set("ended", &ended.into())?;
        match outcome {
            Outcome::Ok(_) => step.state()?.erase("why"),
            Outcome::Error(error) => step.state()?.set("why", &error.path().into()),
            Outcome::Canceled(reason) => step.state()?.set("why", &reason.as_str().into()),
        }
    })?;
    asi.defer(|step, _| step.delay(5.0))?;
    match args.text(0) {
        Some("forever") => asi.delay(60_000.0),
        Some(code) => Err(Error::new(code, "")),
        None => asi.success(&[]),
    }
}

/// Counts its calls in the state.
fn counts(asi: &Step, _: Args) -> Result<(), Error> {
    let state = asi.state()?;
    let (first, count) = match state.get("count")? {
        Some(Value::Integer(count)) => (false, count + 1),
        _ => (true, 1),
    };
    state.set("count", &count.into())?;
    if count == 3 {
        state.erase("count")?;
    }
    asi.success(&[first.into(), count.into()])
}

/// Gives a list and a map, with others inside.
fn gives(asi: &Step, _: Args) -> Result<(), Error> {
    let inner = Value::List(vec![1.into(), 2.5.into(), Value::Nothing]);
    let map = Value::Map(vec![
        ("list".into(), inner.clone()),
        (7.into(), true.into()),
        ("text".into(), "late".into()),
    ]);
    asi.success(&[Value::List(vec!["a".into(), inner, map.clone()]), map])
}

/// Looks into a list and a map.
fn looks(asi: &Step, args: Args) -> Result<(), Error> {
    let all = match &args.0[..] {
        [Value::List(list), Value::Map(map)] => {
            list.len() == 3
                && list[0] == "a".into()
                && list[1] == Value::List(vec![1.into(), 2.5.into(), Value::Nothing])
                && list[2] == args.0[1]
                && map[1] == (7.into(), true.into())
                && map[2] == ("text".into(), "late".into())
        }
        _ => false,
    };
    asi.success(&[all.into()])
}

/// Calls a service, with a limit and a name; and one that can't be made.
fn calls(asi: &Step, args: Args) -> Result<(), Error> {
    let service = Host::service(args.text(0).unwrap_or_default())?;
    asi.add_value(&service.with(&[21.into()])?.timeout(10.0)?.named("called")?)
}

/// A thread fails it, with a cause.
fn late(asi: &Step, _: Args) -> Result<(), Error> {
    let done = asi.wait()?;
    let refused = std::io::Error::from_raw_os_error(111);
    let error = Error::new("Late", "").caused_by(refused.into());
    THREADS.lock().unwrap().push(thread::spawn(move || {
        assert!(done.clone().fail(&error));
        assert!(!done.fail(&error));
    }));
    Ok(())
}

plugin! {
    name: "rich",
    version: "1 in Rust",
    handlers: [
        fails(0..=0, ""),
        remains(0..=0, ""),
        defers(0..=1, ""),
        counts(0..=0, ""),
        gives(0..=0, ""),
        looks(2..=2, ""),
        calls(1..=1, ""),
        late(0..=0, ""),
    ],
    start: begin,
    stop: end,
}
