//! Commands of the RESP example in Rust: WORDS.COUNT text, WORDS.OF key, WORDS.SHA1 text.
#![deny(unsafe_code)]

mod sha1;

use std::collections::BTreeMap;
use steptree_plugin::{plugin, Args, Error, Host, Step, Value};

/// An argument: a server of the Redis protocol gives bytes.
fn bytes(args: &Args, i: usize) -> &[u8] {
    match args.0.get(i) {
        Some(Value::Bytes(bytes)) => bytes,
        Some(Value::Text(text)) => text.as_bytes(),
        _ => &[],
    }
}

/// Each word with how often it's there, the most frequent first; those that are equally frequent in
/// the order of their bytes.
pub fn counted(text: &[u8]) -> Vec<(&[u8], i64)> {
    let mut counts = BTreeMap::new();
    for word in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        *counts.entry(word).or_insert(0) += 1;
    }
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    all
}

fn give(asi: &Step, text: &[u8]) -> Result<(), Error> {
    let pair =
        |(word, count): (&[u8], i64)| Value::List(vec![Value::Bytes(word.to_vec()), count.into()]);
    asi.success(&[Value::List(counted(text).into_iter().map(pair).collect())])
}

fn count(asi: &Step, args: Args) -> Result<(), Error> {
    give(asi, bytes(&args, 0))
}

/// The text of a key is the server's: a service leaves it.
fn of(asi: &Step, args: Args) -> Result<(), Error> {
    asi.call(&Host::service("keys.get")?, &args.0, |step, text| give(step, bytes(&text, 0)))
}

fn sha1(asi: &Step, args: Args) -> Result<(), Error> {
    let hex: String =
        sha1::of(bytes(&args, 0)).iter().map(|byte| format!("{:02x}", byte)).collect();
    asi.success(&[hex.into()])
}

plugin! {
    name: "words",
    version: "1.0.0",
    handlers: [
        count(1..=1, "each word of a text, and how often it's there"),
        of(1..=1, "the same of the text of a key"),
        sha1(1..=1, "the SHA-1 of some bytes, in hexadecimal digits"),
    ],
}
