//! HyperLogLog: a string that estimates how many different elements were added to it.
//!
//! The bytes are the server's own, so that GET, STRLEN, DUMP and PFDEBUG agree: a header of 16 bytes (`HYLL`, the encoding, three
//! unused bytes, the cached estimate) and 16384 registers of 6 bits, run-length coded ("sparse") while they are few, else packed ("dense").
//! Estimator: Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches", 2017. All functions work on a
//! string's bytes; whoever calls keeps them where the key is.

mod dense;
mod estimate;
mod hash;
mod sparse;

use sparse::Change;

/// Registers of a HyperLogLog.
pub const REGISTERS: usize = 1 << INDEX_BITS;
const INDEX_BITS: u32 = 14;
const HEADER_BYTES: usize = 16;
const MAGIC: &[u8] = b"HYLL";
const ENCODING_AT: usize = 4;
/// The cached estimate, low byte first; the highest bit says that it is stale.
const CACHE_AT: usize = 8;
const STALE_BIT: u64 = 1 << 63;
const DENSE: u8 = 0;
const SPARSE: u8 = 1;

/// The registers are not what they should be: the server answers `INVALIDOBJ Corrupted HLL object detected`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupted;

/// A HyperLogLog without elements.
pub fn new() -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.resize(HEADER_BYTES, 0);
    bytes[ENCODING_AT] = SPARSE;
    bytes.extend(sparse::all_zero());
    mark_stale(&mut bytes);
    bytes
}

/// Whether a string can be a HyperLogLog. If not the server answers `WRONGTYPE Key is not a valid HyperLogLog string value.`
pub fn is_valid(bytes: &[u8]) -> bool {
    if bytes.len() < HEADER_BYTES || !bytes.starts_with(MAGIC) {
        return false;
    }
    match bytes[ENCODING_AT] {
        DENSE => bytes.len() == HEADER_BYTES + dense::BYTES,
        encoding => encoding == SPARSE,
    }
}

pub fn is_sparse(bytes: &[u8]) -> bool {
    bytes[ENCODING_AT] == SPARSE
}

/// PFADD of one element to a valid string: whether a register changed. `sparse_bytes_max` is `hll-sparse-max-bytes`.
pub fn add(bytes: &mut Vec<u8>, element: &[u8], sparse_bytes_max: usize) -> Result<bool, Corrupted> {
    let (register, value) = register_of(element);
    raise(bytes, register, value, sparse_bytes_max)
}

/// The estimate cached in the string, unless it is stale.
pub fn cached_count(bytes: &[u8]) -> Option<u64> {
    let cached = u64::from_le_bytes(bytes[CACHE_AT..HEADER_BYTES].try_into().expect("eight bytes"));
    (cached & STALE_BIT == 0).then_some(cached)
}

/// Caches an estimate, as PFCOUNT of a single key does.
pub fn cache_count(bytes: &mut [u8], count: u64) {
    bytes[CACHE_AT..HEADER_BYTES].copy_from_slice(&count.to_le_bytes());
}

/// The registers' values, each 0 to 63.
pub fn registers(bytes: &[u8]) -> Result<Vec<u8>, Corrupted> {
    let body = &bytes[HEADER_BYTES..];
    if is_sparse(bytes) { sparse::registers(body) } else { Ok(dense::registers(body)) }
}

/// The estimate for registers as [`registers`] gives them.
pub fn count(registers: &[u8]) -> u64 {
    estimate::count(registers)
}

/// Raises registers to those of another one: the union.
pub fn unite(registers: &mut [u8], other: &[u8]) {
    for (register, other) in registers.iter_mut().zip(other) {
        *register = (*register).max(*other);
    }
}

/// PFMERGE: raises the string's registers to these. `to_dense` when one of the sources is dense.
pub fn merge(
    bytes: &mut Vec<u8>,
    registers: &[u8],
    to_dense: bool,
    sparse_bytes_max: usize,
) -> Result<(), Corrupted> {
    if to_dense {
        make_dense(bytes)?;
    }
    for (register, &value) in registers.iter().enumerate() {
        if value > 0 {
            raise(bytes, register, value, sparse_bytes_max)?;
        }
    }
    mark_stale(bytes);
    Ok(())
}

/// PFDEBUG TODENSE: false when it is dense already.
pub fn make_dense(bytes: &mut Vec<u8>) -> Result<bool, Corrupted> {
    if !is_sparse(bytes) {
        return Ok(false);
    }
    let registers = registers(bytes)?;
    bytes.truncate(HEADER_BYTES);
    bytes[ENCODING_AT] = DENSE;
    bytes.extend(dense::pack(&registers));
    Ok(true)
}

/// PFDEBUG DECODE of a sparse one: `z:7` and `Z:12711` for runs of zeros, `v:2,1` for a value and how often it stands.
pub fn decode(bytes: &[u8]) -> Result<String, Corrupted> {
    sparse::describe(&bytes[HEADER_BYTES..])
}

fn raise(
    bytes: &mut Vec<u8>,
    register: usize,
    value: u8,
    sparse_bytes_max: usize,
) -> Result<bool, Corrupted> {
    let mut is_raised = false;
    if is_sparse(bytes) {
        match sparse::raise(bytes, HEADER_BYTES, register, value, sparse_bytes_max)? {
            Change::None => return Ok(false),
            Change::Raised => is_raised = true,
            Change::TooBig => {
                make_dense(bytes)?;
            }
        }
    }
    if !is_raised {
        is_raised = dense::raise(&mut bytes[HEADER_BYTES..], register, value);
    }
    if is_raised {
        mark_stale(bytes);
    }
    Ok(is_raised)
}

fn mark_stale(bytes: &mut [u8]) {
    bytes[HEADER_BYTES - 1] |= 0x80;
}

/// The register an element falls into, and the value it raises it to: one more than the zeros its hash goes on with.
fn register_of(element: &[u8]) -> (usize, u8) {
    let hash = hash::murmur64a(element);
    let register = hash as usize & (REGISTERS - 1);
    let rest = hash >> INDEX_BITS | 1 << (u64::BITS - INDEX_BITS);
    (register, rest.trailing_zeros() as u8 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPARSE_BYTES_MAX: usize = 3000;

    fn filled(elements: std::ops::Range<u32>) -> Vec<u8> {
        let mut bytes = new();
        for element in elements {
            add(&mut bytes, format!("e{element}").as_bytes(), SPARSE_BYTES_MAX).expect("sound");
        }
        bytes
    }

    /// GET after each command at 7.0.15 and 8.2.3.
    #[test]
    fn the_bytes_are_the_servers() {
        let mut bytes = new();
        assert_eq!(bytes, b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80\x7f\xff");
        assert_eq!(add(&mut bytes, b"a", SPARSE_BYTES_MAX), Ok(true));
        assert_eq!(bytes, b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80q\xa6\x84NW");
        assert_eq!(decode(&bytes), Ok("Z:12711 v:2,1 Z:3672".to_owned()));
        assert_eq!(cached_count(&bytes), None);
        let count = count(&registers(&bytes).expect("sound"));
        cache_count(&mut bytes, count);
        assert_eq!(bytes, b"HYLL\x01\0\0\0\x01\0\0\0\0\0\0\0q\xa6\x84NW");
        assert_eq!(add(&mut bytes, b"a", SPARSE_BYTES_MAX), Ok(false));
        assert_eq!(cached_count(&bytes), Some(1));
    }

    #[test]
    fn many_elements_make_it_dense_without_changing_the_registers() {
        let sparse = filled(0..500);
        assert!(is_sparse(&sparse));
        let mut dense = sparse.clone();
        assert_eq!(make_dense(&mut dense), Ok(true));
        assert_eq!(dense.len(), 12304);
        assert_eq!(registers(&dense), registers(&sparse));
        assert!(!is_sparse(&filled(0..5000)));
    }

    #[test]
    fn a_merge_counts_the_union() {
        let (mut united, other) = (filled(0..300), filled(200..500));
        merge(&mut united, &registers(&other).expect("sound"), false, SPARSE_BYTES_MAX).expect("sound");
        assert_eq!(registers(&united), registers(&filled(0..500)));
    }

    #[test]
    fn strings_that_only_look_like_one_are_told_apart() {
        assert!(!is_valid(b"HYLL"));
        assert!(!is_valid(b"HYLL\x02\0\0\0\0\0\0\0\0\0\0\0"));
        assert!(!is_valid(b"HYLL\0\0\0\0\0\0\0\0\0\0\0\0"));
        let mut cut = b"HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80\x7f\xf0".to_vec();
        assert!(is_valid(&cut));
        assert_eq!(registers(&cut), Err(Corrupted));
        cut.truncate(HEADER_BYTES);
        assert_eq!(add(&mut cut, b"a", SPARSE_BYTES_MAX), Err(Corrupted));
    }
}
