//! A plug-in that begins with a function of its own.

use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use steptree_plugin::raw::{Api, ErrorApi, ErrorHandle, Failure, Text};
use steptree_plugin::{plugin, Args, Error, Step};

static STARTED: AtomicI32 = AtomicI32::new(0);
static REFUSES: AtomicI32 = AtomicI32::new(0);

fn begin() -> Result<(), Error> {
    STARTED.fetch_add(1, Ordering::SeqCst);
    match REFUSES.load(Ordering::SeqCst) {
        0 => Ok(()),
        1 => Err(Error::new("NoLicence", "none here")),
        _ => panic!("no luck"),
    }
}
fn end() {
    STARTED.fetch_sub(1, Ordering::SeqCst);
}
fn nothing(_: &Step, _: Args) -> Result<(), Error> {
    Ok(())
}

plugin! {
    name: "starting",
    version: "1.0.0",
    handlers: [nothing(0..=0, "does nothing")],
    start: begin,
    stop: end,
}

const OWN: Failure = 1 as *const ErrorHandle;
const THROWN: Failure = 2 as *const ErrorHandle;

unsafe extern "C" fn make(_: Text, _: Text, _: Failure) -> Failure {
    OWN
}
unsafe extern "C" fn of_system(_: i32, _: Text, _: Failure) -> Failure {
    THROWN
}
unsafe extern "C" fn text(_: Failure) -> Text {
    Text { data: ptr::null(), size: 0 }
}
unsafe extern "C" fn nothing_done(_: Failure) {}
unsafe extern "C" fn none(_: Failure) -> Failure {
    ptr::null()
}

#[test]
fn a_plug_in_is_started_once_and_may_refuse() {
    let error = ErrorApi {
        size: 0,
        reserved: 0,
        keep: nothing_done,
        drop: nothing_done,
        make,
        of_system,
        code: text,
        info: text,
        path: text,
        cause: none,
    };
    let mut api = std::mem::MaybeUninit::<Api>::zeroed();
    unsafe { ptr::addr_of_mut!((*api.as_mut_ptr()).error).write(&error) };
    let info = unsafe { &*steptree_plugin() };
    let start = |refuses| unsafe {
        REFUSES.store(refuses, Ordering::SeqCst);
        (info.start)(api.as_ptr(), ptr::null_mut(), ptr::null_mut())
    };
    assert_eq!(start(0), ptr::null());
    assert_eq!(STARTED.load(Ordering::SeqCst), 1);
    unsafe { (info.stop)(ptr::null_mut()) };
    assert_eq!(STARTED.load(Ordering::SeqCst), 0);
    assert_eq!(start(1), OWN);
    assert_eq!(start(2), THROWN);
}
