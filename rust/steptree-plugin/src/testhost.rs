//! As much of a host as the tests of this crate need. What runs plug-ins is tested in C++.

use crate::raw::*;
use crate::value;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::sync::{Mutex, MutexGuard, Once};

/// An error of the host, which stays: what is counted is tested, not given back.
pub struct Known {
    code: String,
    info: String,
    cause: Failure,
    owners: AtomicIsize,
}

impl Known {
    pub fn raw(&self) -> Failure {
        self as *const Known as Failure
    }
    pub fn owners(&self) -> isize {
        self.owners.load(Ordering::SeqCst)
    }
}

static COPIES: AtomicIsize = AtomicIsize::new(0);
static DEFINITIONS: AtomicIsize = AtomicIsize::new(0);
static OFFERED: AtomicBool = AtomicBool::new(false);
static ALONE: Mutex<()> = Mutex::new(());
static USED: AtomicBool = AtomicBool::new(false);
static STARTED: Once = Once::new();

/// A table that lives as long as the tests, with what they call; they call nothing else.
macro_rules! table {
    ($name:ident { $($member:ident: $value:expr),* $(,)? }) => {{
        let made = Box::leak(Box::new(MaybeUninit::<$name>::zeroed())).as_mut_ptr();
        unsafe { $(ptr::addr_of_mut!((*made).$member).write($value);)* }
        made as *const $name
    }};
}

pub fn start() {
    STARTED.call_once(|| {
        let error = table!(ErrorApi {
            keep: keep_error,
            drop: drop_error,
            make: make,
            of_system: of_system,
            code: code,
            info: info,
            path: path,
            cause: cause
        });
        let completion = table!(CompletionApi {
            keep: keep,
            drop: drop,
            success: success,
            error: error_of,
            fail: fail
        });
        let define = table!(DefineApi {
            keep: keep_definition,
            drop: drop_definition,
            step: step,
            delay: delay,
            timeout: timeout,
            named: named,
            bound: bound
        });
        let host = table!(HostApi { offer: offer, withdraw: withdraw, service: service });
        let api = table!(Api {
            version: ABI,
            error: error,
            completion: completion,
            define: define,
            host: host
        });
        unsafe { crate::host::set(api, ptr::null_mut()) };
    });
}

pub fn completion() -> RawCompletion {
    COPIES.store(1, Ordering::SeqCst);
    RawCompletion { slot: &COPIES as *const _ as *mut _, generation: 1 }
}
pub fn copies() -> isize {
    COPIES.load(Ordering::SeqCst)
}

/// For what counts definitions: one test at a time.
pub fn alone() -> MutexGuard<'static, ()> {
    start();
    ALONE.lock().unwrap()
}
/// How many are owned: all are the same one.
pub fn definitions() -> isize {
    DEFINITIONS.load(Ordering::SeqCst)
}

fn made(code: String, info: Text, cause: Failure) -> &'static Known {
    let info = unsafe { value::str_of(info) }.to_owned();
    Box::leak(Box::new(Known { code, info, cause, owners: AtomicIsize::new(1) }))
}
/// `Own`, with one owner.
pub fn own_error() -> &'static Known {
    made("Own".to_owned(), value::NO_TEXT, ptr::null())
}
unsafe fn known<'a>(error: Failure) -> &'a Known {
    &*(error as *const Known)
}
unsafe extern "C" fn make(code: Text, info: Text, cause: Failure) -> Failure {
    made(value::str_of(code).to_owned(), info, cause).raw()
}
unsafe extern "C" fn of_system(number: i32, info: Text, _: Failure) -> Failure {
    made(format!("system {}", number), info, ptr::null()).raw()
}
unsafe extern "C" fn keep_error(error: Failure) {
    known(error).owners.fetch_add(1, Ordering::SeqCst);
}
unsafe extern "C" fn drop_error(error: Failure) {
    known(error).owners.fetch_sub(1, Ordering::SeqCst);
}
unsafe extern "C" fn code(error: Failure) -> Text {
    value::text_of(&known(error).code)
}
unsafe extern "C" fn info(error: Failure) -> Text {
    value::text_of(&known(error).info)
}
unsafe extern "C" fn path(_: Failure) -> Text {
    value::text_of("at the host")
}
unsafe extern "C" fn cause(error: Failure) -> Failure {
    known(error).cause
}

unsafe extern "C" fn keep(completion: RawCompletion) -> RawCompletion {
    COPIES.fetch_add(1, Ordering::SeqCst);
    completion
}
unsafe extern "C" fn drop(_: RawCompletion) {
    COPIES.fetch_sub(1, Ordering::SeqCst);
}
fn first_use() -> i32 {
    i32::from(!USED.swap(true, Ordering::SeqCst))
}
unsafe extern "C" fn success(_: RawCompletion, _: *const RawValue, count: usize) -> i32 {
    assert_eq!(count, 1);
    first_use()
}
unsafe extern "C" fn error_of(_: RawCompletion, _: Text, _: Text) -> i32 {
    first_use()
}
unsafe extern "C" fn fail(_: RawCompletion, error: Failure) -> i32 {
    assert_eq!(known(error).code, "Late");
    first_use()
}

fn define(into: *mut *const Definition) -> Failure {
    DEFINITIONS.fetch_add(1, Ordering::SeqCst);
    unsafe { *into = &DEFINITIONS as *const _ as *const Definition };
    ptr::null()
}
unsafe extern "C" fn keep_definition(_: *const Definition) {
    DEFINITIONS.fetch_add(1, Ordering::SeqCst);
}
unsafe extern "C" fn drop_definition(_: *const Definition) {
    DEFINITIONS.fetch_sub(1, Ordering::SeqCst);
}
unsafe extern "C" fn delay(_: f64, into: *mut *const Definition) -> Failure {
    define(into)
}
unsafe extern "C" fn step(closure: *const Closure, into: *mut *const Definition) -> Failure {
    let closure = &*closure;
    closure.drop.unwrap()(closure.data);
    define(into)
}
unsafe extern "C" fn named(_: *const Definition, _: Text, into: *mut *const Definition) -> Failure {
    define(into)
}
unsafe extern "C" fn timeout(
    _: *const Definition,
    _: f64,
    _: Text,
    into: *mut *const Definition,
) -> Failure {
    define(into)
}
unsafe extern "C" fn bound(
    _: *const Definition,
    _: *const RawValue,
    _: usize,
    into: *mut *const Definition,
) -> Failure {
    define(into)
}
unsafe extern "C" fn service(
    _: *mut HostHandle,
    name: Text,
    into: *mut *const Definition,
) -> Failure {
    if name.size == 0 {
        return no_name();
    }
    define(into)
}
fn no_name() -> Failure {
    made("InternalError".to_owned(), value::text_of("no name"), ptr::null()).raw()
}
unsafe extern "C" fn offer(_: *mut HostHandle, name: Text, value: *const Definition) -> Failure {
    if name.size == 0 {
        return no_name();
    }
    assert!(!OFFERED.swap(true, Ordering::SeqCst));
    keep_definition(value);
    ptr::null()
}
unsafe extern "C" fn withdraw(_: *mut HostHandle, _: Text) -> Failure {
    if OFFERED.swap(false, Ordering::SeqCst) {
        DEFINITIONS.fetch_sub(1, Ordering::SeqCst);
    }
    ptr::null()
}
