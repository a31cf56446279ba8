//! When a value leaves its compact encoding: the limits of the configuration and what differs between server versions.

use crate::profile::Version;

/// The configuration that decides encodings, with the defaults of a server started without a configuration file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EncodingLimits {
    pub version: Version,
    /// Above 0 the elements in a list node, below 0 its size: -1 is 4 kB, -2 is 8 kB … -5 is 64 kB.
    pub list_max_listpack_size: i64,
    pub set_max_intset_entries: usize,
    pub set_max_listpack_entries: usize,
    pub set_max_listpack_value: usize,
    pub hash_max_listpack_entries: usize,
    pub hash_max_listpack_value: usize,
    pub zset_max_listpack_entries: usize,
    pub zset_max_listpack_value: usize,
    /// Bytes in a stream node; 0 means no limit.
    pub stream_node_max_bytes: usize,
    /// Entries in a stream node; 0 means no limit.
    pub stream_node_max_entries: usize,
    /// Bytes up to which a HyperLogLog stays sparse.
    pub hll_sparse_max_bytes: usize,
}

impl EncodingLimits {
    pub fn new(version: Version) -> Self {
        Self {
            version,
            list_max_listpack_size: -2,
            set_max_intset_entries: 512,
            set_max_listpack_entries: 128,
            set_max_listpack_value: 64,
            hash_max_listpack_entries: 512,
            hash_max_listpack_value: 64,
            zset_max_listpack_entries: 128,
            zset_max_listpack_value: 64,
            stream_node_max_bytes: 4096,
            stream_node_max_entries: 100,
            hll_sparse_max_bytes: 3000,
        }
    }

    /// Since 7.2 small lists and sets are listpacks too, and a command's number of arguments counts as the size to come.
    pub(super) fn has_listpack_lists_and_sets(&self) -> bool {
        self.version >= Version::V7_2
    }

    /// Whether a list node of this size and length is over `list-max-listpack-size`.
    pub(super) fn list_node_exceeds(&self, bytes: usize, len: usize) -> bool {
        /// A node limited by its length still has to stay below this size.
        const COUNTED_NODE_BYTES_MAX: usize = 8192;
        match usize::try_from(self.list_max_listpack_size) {
            Ok(count) => len > count.max(1) || bytes > COUNTED_NODE_BYTES_MAX,
            Err(_) => bytes > self.list_node_bytes_max(),
        }
    }

    /// Whether a list that shrinks becomes a listpack again. The size does not matter where the length is limited.
    pub(super) fn list_fits_half_a_node(&self, bytes: usize, len: usize) -> bool {
        match usize::try_from(self.list_max_listpack_size) {
            Ok(count) => len <= count.max(1) / 2,
            Err(_) => bytes <= self.list_node_bytes_max() / 2,
        }
    }

    /// The size of a list node for a negative `list-max-listpack-size`.
    fn list_node_bytes_max(&self) -> usize {
        const SMALLEST: usize = 4096;
        SMALLEST << (-self.list_max_listpack_size - 1).clamp(0, 4)
    }
}

impl Default for EncodingLimits {
    fn default() -> Self {
        Self::new(Version::default())
    }
}
