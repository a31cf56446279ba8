//! Whether the server is a master or a replica. No data is replicated: there is only one process here.

use crate::Bytes;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Role {
    #[default]
    Master,
    Replica {
        host: Bytes,
        port: u16,
        /// While the link is down the data may be stale.
        link_up: bool,
    },
}

impl Role {
    pub fn is_replica(&self) -> bool {
        matches!(self, Self::Replica { .. })
    }

    pub fn link_is_down(&self) -> bool {
        matches!(self, Self::Replica { link_up: false, .. })
    }
}
