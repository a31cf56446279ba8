//! A set. While small it keeps the order of the server's intset (ascending) or listpack (insertion).

use super::encoding::EncodingLimits;
use super::number::parse_i64;
use super::table::{self, Members};
use crate::Bytes;

#[derive(Clone, Debug, PartialEq)]
pub struct SetValue(Form);

#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// Ascending.
    Intset(Vec<i64>),
    /// In order of insertion; a removal closes the gap.
    Listpack(Members),
    /// A removal puts the last member into the gap.
    Table(Members),
}

impl SetValue {
    /// A new set in the form the server makes for a command whose first member is `first` and that may add `expected` members.
    pub fn for_members(first: &[u8], expected: usize, limits: &EncodingLimits) -> Self {
        if !limits.has_listpack_lists_and_sets() {
            return match parse_i64(first) {
                Some(_) => Self::default(),
                None => Self(Form::Table(Members::default())),
            };
        }
        if parse_i64(first).is_some() && expected <= limits.set_max_intset_entries {
            Self::default()
        } else if expected <= limits.set_max_listpack_entries {
            Self(Form::Listpack(Members::default()))
        } else {
            Self(Form::Table(Members::default()))
        }
    }

    /// An empty set that is a listpack, or where so many members would not fit one, a table.
    pub(super) fn new_listpack(len: usize, limits: &EncodingLimits) -> Self {
        let fits = limits.has_listpack_lists_and_sets() && len <= limits.set_max_listpack_entries;
        Self(if fits { Form::Listpack(Members::default()) } else { Form::Table(Members::default()) })
    }

    pub(super) fn new_table() -> Self {
        Self(Form::Table(Members::default()))
    }

    pub fn len(&self) -> usize {
        match &self.0 {
            Form::Intset(numbers) => numbers.len(),
            Form::Listpack(members) | Form::Table(members) => members.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn contains(&self, member: &[u8]) -> bool {
        match &self.0 {
            Form::Intset(numbers) => {
                parse_i64(member).is_some_and(|number| numbers.binary_search(&number).is_ok())
            }
            Form::Listpack(members) | Form::Table(members) => members.contains(member),
        }
    }

    /// The member at a position of the set's order; for a random pick the caller draws the position.
    pub fn get(&self, position: usize) -> Option<Bytes> {
        match &self.0 {
            Form::Intset(numbers) => numbers.get(position).map(|&number| text(number)),
            Form::Listpack(members) | Form::Table(members) => members.get_index(position).cloned(),
        }
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Bytes> {
        (0..self.len()).filter_map(|position| self.get(position))
    }

    /// Told before a command adds up to `expected` members to a set that exists: a big enough number turns it into a table at once.
    pub fn expect(&mut self, expected: usize, limits: &EncodingLimits) {
        let most = match self.0 {
            Form::Intset(_) => limits.set_max_intset_entries,
            Form::Listpack(_) => limits.set_max_listpack_entries,
            Form::Table(_) => return,
        };
        if limits.has_listpack_lists_and_sets() && expected > most {
            self.make_table();
        }
    }

    /// True when the member is new.
    pub fn add(&mut self, member: Bytes, limits: &EncodingLimits) -> bool {
        match &mut self.0 {
            Form::Intset(numbers) => {
                let Some(number) = parse_i64(&member) else {
                    self.leave_intset(&member, limits);
                    return self.add(member, limits);
                };
                let Err(place) = numbers.binary_search(&number) else { return false };
                numbers.insert(place, number);
                if numbers.len() > limits.set_max_intset_entries {
                    self.make_table();
                }
                true
            }
            Form::Listpack(members) => {
                if members.contains(&member) {
                    return false;
                }
                let fits = members.len() < limits.set_max_listpack_entries
                    && member.len() <= limits.set_max_listpack_value;
                if !fits {
                    self.make_table();
                    return self.add(member, limits);
                }
                members.insert(member)
            }
            Form::Table(members) => members.insert(member),
        }
    }

    /// True when the member was there.
    pub fn remove(&mut self, member: &[u8]) -> bool {
        match &mut self.0 {
            Form::Intset(numbers) => match parse_i64(member).map(|number| numbers.binary_search(&number)) {
                Some(Ok(place)) => {
                    numbers.remove(place);
                    true
                }
                _ => false,
            },
            Form::Listpack(members) => members.shift_remove(member),
            Form::Table(members) => members.swap_remove(member),
        }
    }

    /// Removes the member at a position of the set's order.
    pub fn remove_at(&mut self, position: usize) -> Option<Bytes> {
        match &mut self.0 {
            Form::Intset(numbers) => (position < numbers.len()).then(|| text(numbers.remove(position))),
            Form::Listpack(members) => members.shift_remove_index(position),
            Form::Table(members) => members.swap_remove_index(position),
        }
    }

    /// One step of SSCAN: the members and the next cursor. A small set comes whole.
    pub fn scan(&self, cursor: u64, count: usize) -> (Vec<Bytes>, u64) {
        match &self.0 {
            Form::Intset(_) | Form::Listpack(_) => (self.iter().collect(), 0),
            Form::Table(members) => {
                let (positions, next) = table::scan_step(cursor, count, members.len());
                (positions.map(|position| members[position].clone()).collect(), next)
            }
        }
    }

    pub fn encoding(&self) -> &'static str {
        match &self.0 {
            Form::Intset(_) => "intset",
            Form::Listpack(_) => "listpack",
            Form::Table(_) => "hashtable",
        }
    }

    /// Bytes that each number of an intset takes.
    pub(super) fn intset_width(&self) -> usize {
        let Form::Intset(numbers) = &self.0 else { return 0 };
        // Ascending, so the ends are the widest.
        let fits = |min: i64, max: i64| {
            numbers.first().is_none_or(|&n| n >= min) && numbers.last().is_none_or(|&n| n <= max)
        };
        if fits(i16::MIN.into(), i16::MAX.into()) {
            2
        } else if fits(i32::MIN.into(), i32::MAX.into()) {
            4
        } else {
            8
        }
    }

    /// The first member that is no integer decides what an intset becomes. The numbers need room in a listpack too.
    fn leave_intset(&mut self, member: &[u8], limits: &EncodingLimits) {
        // Ascending, so one of the ends has the most digits.
        let ends = [0, self.len().saturating_sub(1)].into_iter().filter_map(|position| self.get(position));
        let longest = ends.map(|number| number.len()).fold(member.len(), usize::max);
        let fits = self.len() < limits.set_max_listpack_entries && longest <= limits.set_max_listpack_value;
        let members = self.iter().collect();
        self.0 = if fits && limits.has_listpack_lists_and_sets() {
            Form::Listpack(members)
        } else {
            Form::Table(members)
        };
    }

    fn make_table(&mut self) {
        self.0 = Form::Table(match &mut self.0 {
            Form::Intset(_) => self.iter().collect(),
            Form::Listpack(members) | Form::Table(members) => std::mem::take(members),
        });
    }
}

/// An empty intset, from which the server also builds the results of set operations.
impl Default for SetValue {
    fn default() -> Self {
        Self(Form::Intset(Vec::new()))
    }
}

fn text(number: i64) -> Bytes {
    Bytes::from(number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Version;

    /// What SMEMBERS shows and OBJECT ENCODING says after these additions, one command each (8.2.3).
    #[test]
    fn small_sets_keep_the_servers_order_and_encoding() {
        let limits = EncodingLimits::new(Version::V8_2);
        let check = |commands: &[&str], order: &str, encoding: &str| {
            let first: Vec<&str> = commands[0].split(' ').collect();
            let mut set = SetValue::for_members(first[0].as_bytes(), first.len(), &limits);
            for command in commands {
                let members: Vec<&str> = command.split(' ').collect();
                set.expect(members.len(), &limits);
                for member in members {
                    set.add(Bytes::from(member), &limits);
                }
            }
            let shown: Vec<String> = set.iter().map(|member| member.to_text()).collect();
            assert_eq!((shown.join(" ").as_str(), set.encoding()), (order, encoding), "{commands:?}");
        };
        check(&["3 1 2"], "1 2 3", "intset");
        check(&["3 1 2", "a", "0"], "1 2 3 a 0", "listpack");
        check(&["a 1 b"], "a 1 b", "listpack");
        check(&["a", "a a a"], "a", "listpack");
        check(&[&["a"; 130].join(" ")], "a", "hashtable");
        check(&["1", &["2"; 600].join(" ")], "1 2", "hashtable");
        check(&[&"a".repeat(65)], &"a".repeat(65), "hashtable");
    }

    #[test]
    fn an_intset_of_7_0_becomes_a_table_at_once() {
        let limits = EncodingLimits::new(Version::V7_0);
        let mut set = SetValue::for_members(b"1", 1, &limits);
        set.add(Bytes::from("1"), &limits);
        assert_eq!(set.encoding(), "intset");
        set.add(Bytes::from("a"), &limits);
        assert_eq!(set.encoding(), "hashtable");
    }

    #[test]
    fn an_intset_with_room_for_no_listpack_becomes_a_table() {
        let limits = EncodingLimits::new(Version::V8_2);
        let check = |len: i64, encoding: &str| {
            let mut set = SetValue::default();
            (0..len).for_each(|number| assert!(set.add(text(number), &limits)));
            set.add(Bytes::from("a"), &limits);
            assert_eq!(set.encoding(), encoding, "{len}");
        };
        check(127, "listpack");
        check(128, "hashtable");
    }
}
