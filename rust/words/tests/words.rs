use words::counted;

#[test]
fn the_most_frequent_word_comes_first_and_equal_ones_in_order() {
    let text = b"  to be\tor not\nto be\xff ";
    let expected: Vec<(&[u8], i64)> =
        vec![(b"to", 2), (b"be", 1), (b"be\xff", 1), (b"not", 1), (b"or", 1)];
    assert_eq!(counted(text), expected);
    assert!(counted(b" \n").is_empty());
}

#[test]
fn there_is_nothing_unsafe_in_it() {
    for source in [include_str!("../src/lib.rs"), include_str!("../src/sha1.rs")] {
        assert!(!source.replace("deny(unsafe_code)", "").contains("unsafe"));
    }
}
