//! SHA-1, as RFC 3174 has it: to name content, not to protect it.

pub fn of(bytes: &[u8]) -> [u8; 20] {
    let mut state: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize(padded.len() + (120 - padded.len() % 64) % 64, 0);
    padded.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    for block in padded.chunks(64) {
        add(&mut state, block);
    }
    let mut digest = [0; 20];
    for (to, from) in digest.chunks_mut(4).zip(state) {
        to.copy_from_slice(&from.to_be_bytes());
    }
    digest
}

fn add(state: &mut [u32; 5], block: &[u8]) {
    let mut w = [0u32; 80];
    for (to, from) in w.iter_mut().zip(block.chunks(4)) {
        *to = u32::from_be_bytes([from[0], from[1], from[2], from[3]]);
    }
    for t in 16..80 {
        w[t] = (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (t, word) in w.iter().enumerate() {
        let (f, k) = match t {
            0..=19 => ((b & c) | (!b & d), 0x5a827999),
            20..=39 => (b ^ c ^ d, 0x6ed9eba1),
            40..=59 => ((b & c) | (b & d) | (c & d), 0x8f1bbcdc),
            _ => (b ^ c ^ d, 0xca62c1d6u32),
        };
        let next =
            a.rotate_left(5).wrapping_add(f).wrapping_add(e).wrapping_add(k).wrapping_add(*word);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    for (of, more) in state.iter_mut().zip([a, b, c, d, e]) {
        *of = of.wrapping_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    fn hex(text: &str) -> String {
        of(text.as_bytes()).iter().map(|byte| format!("{:02x}", byte)).collect()
    }

    #[test]
    fn it_is_the_one_of_the_rfc() {
        assert_eq!(hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(long), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(
            hex(&"0123456701234567012345670123456701234567012345670123456701234567".repeat(10)),
            "dea356a2cddd90c7a7ecedc5ebb563934f460452"
        );
    }
}
