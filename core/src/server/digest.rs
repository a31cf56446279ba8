//! A fingerprint of the state: two servers with the same one answer alike from here on.

use std::fmt::{self, Write};

use super::Server;

impl Server {
    /// SHA1 over everything that later replies can depend on. Statistics and unread events are left out.
    pub fn digest(&self) -> [u8; 20] {
        let mut sink = Sink(sha1_smol::Sha1::new());
        self.write_digest(&mut sink).expect("hashing does not fail");
        sink.0.digest().bytes()
    }

    fn write_digest(&self, out: &mut Sink) -> fmt::Result {
        let state = &self.state;
        for (index, db) in state.dbs.iter().enumerate().filter(|(_, db)| !db.is_empty()) {
            write!(out, "db {index}")?;
            for (key, entry) in db.iter() {
                write!(out, "{key:?} {:?} {:?}", entry.expires_at, entry.value)?;
            }
        }
        write!(out, "{:?} {:?} {:?}", state.now, state.config, state.rng)?;
        write!(out, "{:?} {:?}", state.scripts, state.lua)?;
        for library in state.functions.libraries() {
            write!(out, "{:?}", library.source)?;
        }
        for client in state.clients.values() {
            write!(out, "{client:?}")?;
        }
        write!(out, "{:?} {:?} {}", state.running, self.backlog, self.stopped)?;
        write!(out, "{:?}", state.waiting)
    }
}

struct Sink(sha1_smol::Sha1);

impl Write for Sink {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}
