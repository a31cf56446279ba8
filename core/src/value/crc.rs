//! The checksums of Redis: CRC16 names a key's cluster slot, CRC64 ends a DUMP.

/// Slots of a cluster.
pub const SLOTS: u16 = 16384;

/// The slot of a key: what stands between the first `{` and the next `}` counts alone, unless that is nothing.
pub fn key_slot(key: &[u8]) -> u16 {
    crc16(hash_tag(key)) % SLOTS
}

fn hash_tag(key: &[u8]) -> &[u8] {
    let Some(open) = key.iter().position(|&byte| byte == b'{') else { return key };
    match key[open + 1..].iter().position(|&byte| byte == b'}') {
        None | Some(0) => key,
        Some(len) => &key[open + 1..open + 1 + len],
    }
}

/// CRC16 in its XMODEM form: polynomial 0x1021, from 0, highest bit first.
pub fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc, &byte| crc << 8 ^ CRC16[usize::from((crc >> 8) as u8 ^ byte)])
}

/// CRC64 of Jones: polynomial 0xad93d23594c935a9, lowest bit first. Start with 0; a part's checksum goes on with the next part.
pub fn crc64(crc: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(crc, |crc, &byte| crc >> 8 ^ CRC64[usize::from(crc as u8 ^ byte)])
}

const CRC16: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000 != 0 { crc << 1 ^ 0x1021 } else { crc << 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

const CRC64: [u64; 256] = {
    let polynomial = 0xad93_d235_94c9_35a9u64.reverse_bits();
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u64;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 != 0 { crc >> 1 ^ polynomial } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of CLUSTER KEYSLOT.
    #[test]
    fn keys_lie_in_the_servers_slots() {
        let check = |key: &str, slot| assert_eq!(key_slot(key.as_bytes()), slot, "{key}");
        check("foo", 12182);
        check("bar", 5061);
        check("{}foo", 9500);
        check("foo{{bar}}", 4015);
        check("foo{bar}{zap}", 5061);
        check("", 0);
        check("123456789", 12739);
    }

    /// The check value of this CRC64, and the same taken in parts.
    #[test]
    fn checksums_end_a_dump() {
        assert_eq!(crc64(0, b"123456789"), 0xe9c6_d914_c4b8_d9ca);
        let (start, rest) = b"123456789".split_at(4);
        assert_eq!(crc64(crc64(0, start), rest), 0xe9c6_d914_c4b8_d9ca);
    }
}
