//! What is kept in step from write to write, held against a count made afresh. For tests and fuzzing: it looks at everything.

use super::Server;

impl Server {
    /// # Errors
    /// Names the invariant that is broken.
    pub fn audit(&self) -> Result<(), String> {
        let state = &self.state;
        for (index, db) in state.dbs.iter().enumerate() {
            db.audit().map_err(|broken| format!("database {index}: {broken}"))?;
        }
        state.tally.audit(&state.dbs, state.version)?;
        state.audit_waiting()?;
        match self.backlog.iter().find(|arrived| !state.clients.contains_key(&arrived.client)) {
            Some(arrived) => Err(format!("{:?} is gone, and its command waits", arrived.client)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resp::split_args;
    use crate::server::{ClientId, Input, InputKind, Options};

    /// Memory is followed from write to write where there is a limit.
    #[track_caller]
    fn check(commands: &[&str]) {
        let mut server = Server::new(Options::default());
        server.configure("maxmemory", "100mb").unwrap();
        for line in commands {
            let argv = split_args(line.as_bytes()).unwrap();
            let kind = InputKind::Command { client: ClientId(1), argv };
            server.apply(Input { at: server.now(), kind });
            assert_eq!(server.audit(), Ok(()), "after {line}");
        }
    }

    #[test]
    fn a_form_that_a_reader_changes_is_measured_again() {
        check(&["ZADD z 1 a 2 b", "SORT_RO z ALPHA", "SORT_RO z", "GET x"]);
    }

    #[test]
    fn what_comes_and_goes_is_measured() {
        check(&[
            "SET k v PX 100",
            "HSET h f v",
            "HPEXPIRE h 50 FIELDS 1 f",
            "COPY k l",
            "RENAME l m",
            "SWAPDB 0 1",
            "MOVE k 3",
            "FLUSHALL",
        ]);
    }
}
