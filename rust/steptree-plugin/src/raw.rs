//! What `steptree/steptree.h` has, as far as this crate needs it. A test compares it with the
//! layout that is recorded for C.

use std::os::raw::{c_char, c_void};

/// The version of the C interface that this is: STEPTREE_ABI.
pub const ABI: u32 = 0x0001_0000;

pub const BOOL: u32 = 1;
pub const INT64: u32 = 2;
pub const DOUBLE: u32 = 3;
pub const STRING: u32 = 4;
pub const BYTES: u32 = 5;
pub const LIST: u32 = 6;
pub const MAP: u32 = 7;
pub const OPAQUE: u32 = 8;

/// Of outcomes; what is neither is a cancel.
pub const OK: u32 = 0;
pub const ERROR: u32 = 1;

/// Only pointers to these are known.
pub enum StepHandle {}
pub enum Adder {}
pub enum ErrorHandle {}
pub enum Definition {}
pub enum HostHandle {}
pub enum StateHandle {}

pub type Failure = *const ErrorHandle;
pub type Body = unsafe extern "C" fn(*mut StepHandle, *const RawArgs, *mut c_void) -> Failure;
pub type Handler = unsafe extern "C" fn(*mut StepHandle, Text, *mut c_void) -> Failure;
pub type Deferred =
    unsafe extern "C" fn(*mut StepHandle, *const RawOutcome, *mut c_void) -> Failure;
pub type Drop = unsafe extern "C" fn(*mut c_void);
pub type Start = unsafe extern "C" fn(*const Api, *mut HostHandle, *mut c_void) -> Failure;
/// A member that this crate doesn't use.
type Unused = usize;

#[repr(C)]
#[derive(Clone, Copy)]
pub union Of {
    pub boolean: i64,
    pub integer: i64,
    pub number: f64,
    pub text: Text,
    pub list: List,
    pub map: Map,
    pub opaque: Opaque,
}

impl RawValue {
    pub const fn nothing() -> RawValue {
        RawValue { tag: 0, reserved: 0, of: Of { integer: 0 }, owner: std::ptr::null() }
    }
}

macro_rules! mirror {
    ($($name:ident = $c:literal { $($member:ident: $type:ty,)* })*) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy)]
            pub struct $name { $(pub $member: $type,)* }
        )*

        /// Struct, member, offset and size of each.
        #[cfg(test)]
        pub fn places() -> Vec<(&'static str, &'static str, usize, usize)> {
            let mut all = Vec::new();
            $({
                let made = std::mem::MaybeUninit::<$name>::uninit();
                let from = made.as_ptr();
                $(
                    let at = unsafe { std::ptr::addr_of!((*from).$member) };
                    all.push((
                        $c,
                        stringify!($member),
                        at as usize - from as usize,
                        std::mem::size_of::<$type>(),
                    ));
                )*
            })*
            all
        }
    };
}

mirror! {
    Text = "steptree_text" { data: *const c_char, size: usize, }
    List = "steptree_list" { items: *const RawValue, count: usize, }
    Map = "steptree_map" { entries: *const Entry, count: usize, }
    Opaque = "steptree_opaque" { pointer: *mut c_void, kind: *const c_void, }
    RawValue = "steptree_value" { tag: u32, reserved: u32, of: Of, owner: *const c_void, }
    Entry = "steptree_entry" { key: RawValue, value: RawValue, }
    RawArgs = "steptree_args" { values: *const RawValue, count: usize, }
    Closure = "steptree_closure" {
        body: Option<Body>,
        data: *mut c_void,
        drop: Option<Drop>,
        onerror: Option<Handler>,
        value: *const Definition,
    }
    RawCompletion = "steptree_completion" { slot: *mut c_void, generation: u64, }
    ErrorApi = "steptree_error_api" {
        size: u32,
        reserved: u32,
        keep: unsafe extern "C" fn(Failure),
        drop: unsafe extern "C" fn(Failure),
        make: unsafe extern "C" fn(Text, Text, Failure) -> Failure,
        of_system: unsafe extern "C" fn(i32, Text, Failure) -> Failure,
        code: unsafe extern "C" fn(Failure) -> Text,
        info: unsafe extern "C" fn(Failure) -> Text,
        path: unsafe extern "C" fn(Failure) -> Text,
        cause: unsafe extern "C" fn(Failure) -> Failure,
    }
    AddApi = "steptree_add_api" {
        size: u32,
        reserved: u32,
        step: unsafe extern "C" fn(*mut Adder, *const Closure) -> Failure,
        named_step: unsafe extern "C" fn(*mut Adder, *const Closure, Text) -> Failure,
        repeat_until_break: Unused,
        repeat: unsafe extern "C" fn(*mut Adder, i64, *const Closure, Text) -> Failure,
        for_each: Unused,
        for_each_of: Unused,
        await_operation: Unused,
        await_flow: Unused,
        sync: Unused,
        sync_key: Unused,
        value: unsafe extern "C" fn(*mut Adder, *const Definition, *const Closure, Text) -> Failure,
        relinquish: Unused,
        success: unsafe extern "C" fn(*mut Adder, *const RawValue, usize) -> Failure,
    }
    StepApi = "steptree_step_api" {
        size: u32,
        reserved: u32,
        success: unsafe extern "C" fn(*mut StepHandle, *const RawValue, usize) -> Failure,
        forward: Unused,
        error: Unused,
        error_of: Unused,
        break_loop: Unused,
        continue_loop: Unused,
        give: Unused,
        give_awaitable: Unused,
        set_timeout: unsafe extern "C" fn(*mut StepHandle, f64, Text) -> Failure,
        set_cancel:
            unsafe extern "C" fn(*mut StepHandle, Body, *mut c_void, Option<Drop>) -> Failure,
        defer: unsafe extern "C" fn(*mut StepHandle, Deferred, *mut c_void, Option<Drop>) -> Failure,
        remaining: unsafe extern "C" fn(*mut StepHandle, *mut i64) -> Failure,
        wait_external: unsafe extern "C" fn(*mut StepHandle, *mut RawCompletion) -> Failure,
        parallel: Unused,
        valid: Unused,
        state: unsafe extern "C" fn(*mut StepHandle, *mut *mut StateHandle) -> Failure,
        set_local: Unused,
        local: Unused,
        signal: Unused,
        last_error: unsafe extern "C" fn(*mut StepHandle) -> Failure,
    }
    CompletionApi = "steptree_completion_api" {
        size: u32,
        reserved: u32,
        keep: unsafe extern "C" fn(RawCompletion) -> RawCompletion,
        drop: unsafe extern "C" fn(RawCompletion),
        success: unsafe extern "C" fn(RawCompletion, *const RawValue, usize) -> i32,
        error: unsafe extern "C" fn(RawCompletion, Text, Text) -> i32,
        fail: unsafe extern "C" fn(RawCompletion, Failure) -> i32,
    }
    StateApi = "steptree_state_api" {
        size: u32,
        reserved: u32,
        get: unsafe extern "C" fn(*mut StateHandle, Text, *mut RawValue) -> Failure,
        set: unsafe extern "C" fn(*mut StateHandle, Text, *const RawValue) -> Failure,
        has: unsafe extern "C" fn(*mut StateHandle, Text) -> i32,
        erase: unsafe extern "C" fn(*mut StateHandle, Text) -> Failure,
    }
    RawOutcome = "steptree_outcome" {
        size: u32,
        kind: u32,
        values: *const RawValue,
        count: usize,
        error: Failure,
        code: Text,
        reason: Text,
    }
    DefineApi = "steptree_define_api" {
        size: u32,
        reserved: u32,
        keep: unsafe extern "C" fn(*const Definition),
        drop: unsafe extern "C" fn(*const Definition),
        step: unsafe extern "C" fn(*const Closure, *mut *const Definition) -> Failure,
        steps: Unused,
        parallel: Unused,
        all: Unused,
        race: Unused,
        any: Unused,
        repeat_until_break: Unused,
        repeat: Unused,
        for_each: Unused,
        for_each_of: Unused,
        sync: Unused,
        sync_key: Unused,
        delay: unsafe extern "C" fn(f64, *mut *const Definition) -> Failure,
        shield: Unused,
        retry: Unused,
        hedge: Unused,
        map: Unused,
        timeout: unsafe extern "C" fn(*const Definition, f64, Text, *mut *const Definition) -> Failure,
        on_error: Unused,
        named: unsafe extern "C" fn(*const Definition, Text, *mut *const Definition) -> Failure,
        bound: unsafe extern "C" fn(
            *const Definition,
            *const RawValue,
            usize,
            *mut *const Definition,
        ) -> Failure,
    }
    HostApi = "steptree_host_api" {
        size: u32,
        reserved: u32,
        make: Unused,
        drop: Unused,
        load: Unused,
        step: Unused,
        unload: Unused,
        list: Unused,
        offer: unsafe extern "C" fn(*mut HostHandle, Text, *const Definition) -> Failure,
        withdraw: unsafe extern "C" fn(*mut HostHandle, Text) -> Failure,
        service: unsafe extern "C" fn(*mut HostHandle, Text, *mut *const Definition) -> Failure,
    }
    Api = "steptree_api" {
        size: u32,
        version: u32,
        release: Text,
        error: *const ErrorApi,
        value: Unused,
        add: *const AddApi,
        step: *const StepApi,
        completion: *const CompletionApi,
        awaiter: Unused,
        canceller: Unused,
        state: *const StateApi,
        flow: Unused,
        tool: Unused,
        handle: Unused,
        define: *const DefineApi,
        guard: Unused,
        channel: Unused,
        signal: Unused,
        scope: Unused,
        observe: Unused,
        host: *const HostApi,
    }
    PluginHandler = "steptree_plugin_handler" {
        name: Text,
        description: Text,
        least: u32,
        most: u32,
        body: Body,
        data: *mut c_void,
    }
    PluginInfo = "steptree_plugin_info" {
        size: u32,
        abi: u32,
        name: Text,
        version: Text,
        handlers: *const PluginHandler,
        count: u32,
        handler_size: u32,
        start: Start,
        stop: unsafe extern "C" fn(*mut c_void),
        data: *mut c_void,
    }
}

#[cfg(test)]
mod tests {
    use super::places;
    use std::collections::HashMap;

    #[test]
    fn everything_stands_where_the_c_interface_has_it() {
        let recorded = include_str!("../../../cpp/cabi/test/layout.c");
        let mut known = HashMap::new();
        for line in recorded.lines() {
            let line = match line.trim_start().strip_prefix("AT(") {
                Some(line) => line,
                None => continue,
            };
            let parts: Vec<_> = line.split(')').next().unwrap().split(", ").collect();
            let number = |i: usize| parts[i].parse::<usize>().unwrap();
            known.insert((parts[0], parts[1]), (number(2), number(3)));
        }
        for (name, member, place, size) in places() {
            assert_eq!(known.get(&(name, member)), Some(&(place, size)), "{}.{}", name, member);
        }
    }
}
