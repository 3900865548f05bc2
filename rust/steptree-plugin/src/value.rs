//! Values on their way between the languages.

use crate::raw;
use std::os::raw::c_char;
use std::{ptr, slice, str};

/// A value that is given to a step, or that a step gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Nothing,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
    Bytes(Vec<u8>),
    List(Vec<Value>),
    Map(Vec<(Value, Value)>),
    /// Of a type that only another language knows; it can't be given on.
    Other,
}

macro_rules! from {
    ($($type:ty: $kind:ident,)*) => {
        $(impl From<$type> for Value {
            fn from(of: $type) -> Value {
                Value::$kind(of.into())
            }
        })*
    };
}
from! { bool: Bool, i64: Integer, i32: Integer, f64: Number, String: Text, &str: Text, }

/// What a body is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Args(pub Vec<Value>);

impl Args {
    /// `None`: there is none, or it is of another type. So for the others.
    pub fn text(&self, i: usize) -> Option<&str> {
        match self.0.get(i) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
    pub fn integer(&self, i: usize) -> Option<i64> {
        match self.0.get(i) {
            Some(Value::Integer(integer)) => Some(*integer),
            _ => None,
        }
    }
    pub fn number(&self, i: usize) -> Option<f64> {
        match self.0.get(i) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }
    pub fn boolean(&self, i: usize) -> Option<bool> {
        match self.0.get(i) {
            Some(Value::Bool(boolean)) => Some(*boolean),
            _ => None,
        }
    }
}

pub(crate) const NO_TEXT: raw::Text = raw::Text { data: ptr::null(), size: 0 };

pub(crate) const fn text_of(text: &str) -> raw::Text {
    raw::Text { data: text.as_ptr() as *const c_char, size: text.len() }
}

/// Empty for what isn't UTF-8, which the host doesn't give.
///
/// # Safety
/// The text is the host's, and lives as long as `'a`.
pub(crate) unsafe fn str_of<'a>(text: raw::Text) -> &'a str {
    str::from_utf8(bytes_of(text)).unwrap_or_default()
}

unsafe fn bytes_of<'a>(text: raw::Text) -> &'a [u8] {
    items_of(text.data as *const u8, text.size)
}

/// # Safety
/// So many of them stand there, and live as long as `'a`.
pub(crate) unsafe fn items_of<'a, T>(items: *const T, count: usize) -> &'a [T] {
    if count == 0 {
        &[]
    } else {
        slice::from_raw_parts(items, count)
    }
}

/// # Safety
/// The value is the host's.
pub(crate) unsafe fn owned(value: &raw::RawValue) -> Value {
    let of = value.of;
    match value.tag {
        raw::BOOL => Value::Bool(of.boolean != 0),
        raw::INT64 => Value::Integer(of.integer),
        raw::DOUBLE => Value::Number(of.number),
        raw::STRING => Value::Text(str_of(of.text).to_owned()),
        raw::BYTES => Value::Bytes(bytes_of(of.text).to_owned()),
        raw::LIST => Value::List(all_owned(items_of(of.list.items, of.list.count))),
        raw::MAP => Value::Map(
            items_of(of.map.entries, of.map.count)
                .iter()
                .map(|entry| (owned(&entry.key), owned(&entry.value)))
                .collect(),
        ),
        raw::OPAQUE => Value::Other,
        _ => Value::Nothing,
    }
}

pub(crate) unsafe fn all_owned(values: &[raw::RawValue]) -> Vec<Value> {
    values.iter().map(|value| owned(value)).collect()
}

/// Values as the host has them, as long as this and they live.
pub(crate) struct Lent<'a> {
    values: Vec<raw::RawValue>,
    // What the values point to; never touched once it's there.
    _inner: Vec<Lent<'a>>,
    _entries: Vec<Vec<raw::Entry>>,
    _of: std::marker::PhantomData<&'a Value>,
}

impl<'a> Lent<'a> {
    pub(crate) fn new(of: &'a [Value]) -> Lent<'a> {
        let mut lent = Lent {
            values: Vec::with_capacity(of.len()),
            _inner: Vec::new(),
            _entries: Vec::new(),
            _of: std::marker::PhantomData,
        };
        for value in of {
            let raw = lent.raw(value);
            lent.values.push(raw);
        }
        lent
    }
    pub(crate) fn pointer(&self) -> *const raw::RawValue {
        self.values.as_ptr()
    }
    pub(crate) fn count(&self) -> usize {
        self.values.len()
    }

    fn raw(&mut self, value: &'a Value) -> raw::RawValue {
        match value {
            Value::Nothing | Value::Other => raw::RawValue::nothing(),
            Value::Bool(of) => made(raw::BOOL, raw::Of { boolean: i64::from(*of) }),
            Value::Integer(of) => made(raw::INT64, raw::Of { integer: *of }),
            Value::Number(of) => made(raw::DOUBLE, raw::Of { number: *of }),
            Value::Text(of) => made(raw::STRING, raw::Of { text: text_of(of) }),
            Value::Bytes(of) => {
                let text = raw::Text { data: of.as_ptr() as *const c_char, size: of.len() };
                made(raw::BYTES, raw::Of { text })
            }
            Value::List(of) => {
                let inner = Lent::new(of);
                let list = raw::List { items: inner.pointer(), count: inner.count() };
                self._inner.push(inner);
                made(raw::LIST, raw::Of { list })
            }
            Value::Map(of) => {
                let mut entries = Vec::with_capacity(of.len());
                for (key, value) in of {
                    entries.push(raw::Entry { key: self.raw(key), value: self.raw(value) });
                }
                let map = raw::Map { entries: entries.as_ptr(), count: entries.len() };
                self._entries.push(entries);
                made(raw::MAP, raw::Of { map })
            }
        }
    }
}

fn made(tag: u32, of: raw::Of) -> raw::RawValue {
    raw::RawValue { tag, reserved: 0, of, owner: ptr::null() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_went() {
        let all = [
            Value::Nothing,
            true.into(),
            Value::from(-7),
            2.5.into(),
            "text".into(),
            Value::Bytes(vec![0, 255]),
            Value::List(vec!["a".into(), Value::List(vec![1.into()])]),
            Value::Map(vec![("k".into(), Value::Map(vec![(1.into(), "".into())]))]),
        ];
        let lent = Lent::new(&all);
        let back = unsafe { all_owned(items_of(lent.pointer(), lent.count())) };
        assert_eq!(back, all);
    }

    #[test]
    fn arguments_of_other_types_are_none() {
        let args = Args(vec!["a".into(), 1.into(), 2.5.into(), true.into()]);
        assert_eq!((args.text(0), args.integer(1)), (Some("a"), Some(1)));
        assert_eq!((args.number(2), args.boolean(3)), (Some(2.5), Some(true)));
        assert_eq!((args.text(1), args.integer(0)), (None, None));
        assert_eq!((args.number(1), args.boolean(4)), (None, None));
    }
}
