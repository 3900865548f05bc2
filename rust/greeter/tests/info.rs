use steptree_plugin::raw::Text;

fn text(of: Text) -> &'static str {
    let bytes = unsafe { std::slice::from_raw_parts(of.data as *const u8, of.size) };
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_plug_in_says_what_it_is() {
    let info = unsafe { &*greeter::steptree_plugin() };
    assert_eq!((info.size, info.abi, info.count, info.handler_size), (80, 0x0001_0000, 2, 56));
    assert_eq!((text(info.name), text(info.version)), ("greeter", "1.0.0 in Rust"));
    let handler = unsafe { &*info.handlers };
    assert_eq!((text(handler.name), handler.least, handler.most), ("greet", 1, 2));
    assert_eq!(text(handler.description), "says hello to a name, after so many milliseconds");
    let other = unsafe { &*info.handlers.add(1) };
    assert_eq!((text(other.name), other.least, other.most), ("welcome", 2, 2));
}

#[test]
fn there_is_nothing_unsafe_in_a_plug_in() {
    let source = include_str!("../src/lib.rs");
    assert!(!source.replace("deny(unsafe_code)", "").contains("unsafe"));
}
