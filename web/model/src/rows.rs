//! A long list of which a part is in the document: how high its groups of rows are, and which of them lie where.

use std::ops::Range;

/// The heights of all groups, in pixels: measured, or as good as known.
#[derive(Clone, Debug, PartialEq)]
pub struct Heights {
    groups: Vec<f64>,
    /// Of a group that nobody has measured.
    usual: f64,
}

impl Heights {
    pub fn new(usual: f64) -> Self {
        Self { groups: Vec::new(), usual }
    }

    /// The list has so many groups now.
    pub fn set_count(&mut self, count: usize) {
        self.groups.resize(count, self.usual);
    }

    /// What was measured of a group. One that is not laid out measures nothing.
    pub fn learn(&mut self, group: usize, height: f64) {
        if let Some(known) = self.groups.get_mut(group).filter(|_| height > 0.0) {
            *known = height;
        }
    }

    /// Of all groups before one.
    pub fn before(&self, group: usize) -> f64 {
        self.groups[..group.min(self.groups.len())].iter().sum()
    }

    /// Of a group, and of all behind it.
    pub fn from(&self, group: usize) -> f64 {
        self.groups[group.min(self.groups.len())..].iter().sum()
    }

    /// The groups that have a part between two places, counted from the begin of the list; at least one, where there is one.
    pub fn within(&self, from: f64, to: f64) -> Range<usize> {
        let last = self.groups.len().saturating_sub(1);
        let mut end_of_group = 0.0;
        let ends = self.groups.iter().map(|height| {
            end_of_group += height;
            end_of_group
        });
        let ends: Vec<f64> = ends.collect();
        let first = ends.partition_point(|end| *end <= from).min(last);
        let end = (ends.partition_point(|end| *end < to) + 1).min(self.groups.len());
        first..end.max(first)
    }

    /// The groups that are seen, and a little beyond, where the middle of one is in the middle of a view.
    pub fn around(&self, group: usize, view: f64) -> Range<usize> {
        let middle = self.before(group) + self.groups.get(group).map_or(0.0, |height| height / 2.0);
        self.within(middle - view / 2.0, middle + view / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(count: usize) -> Heights {
        let mut heights = Heights::new(100.0);
        heights.set_count(count);
        heights
    }

    #[test]
    fn a_view_has_the_groups_that_it_touches() {
        let mut heights = list(10);
        assert_eq!(heights.within(150.0, 350.0), 1..4);
        assert_eq!(heights.within(100.0, 300.0), 1..3);
        heights.learn(1, 300.0);
        assert_eq!(heights.within(150.0, 350.0), 1..2);
        assert_eq!((heights.before(2), heights.from(8)), (400.0, 200.0));
    }

    #[test]
    fn a_view_beyond_the_list_has_its_last_group() {
        let heights = list(10);
        assert_eq!(heights.within(-500.0, 50.0), 0..1);
        assert_eq!(heights.within(5_000.0, 6_000.0), 9..10);
        assert_eq!(list(0).within(0.0, 700.0), 0..0);
    }

    #[test]
    fn around_a_group_there_is_as_much_before_as_behind() {
        let mut heights = list(100);
        assert_eq!(heights.around(50, 700.0), 47..54);
        assert_eq!(heights.around(0, 700.0), 0..4);
        assert_eq!(heights.around(99, 700.0), 96..100);
        heights.set_count(51);
        assert_eq!(heights.around(50, 700.0), 47..51);
    }

    #[test]
    fn what_is_not_laid_out_teaches_nothing() {
        let mut heights = list(3);
        heights.learn(1, 0.0);
        heights.learn(7, 50.0);
        assert_eq!(heights, list(3));
    }
}
