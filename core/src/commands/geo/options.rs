//! What GEOSEARCH and GEORADIUS take behind their operands.

use std::cmp::Ordering;

use crate::Bytes;
use crate::commands::args::{self, Cursor};
use crate::error::CommandError;
use crate::value::ZSetValue;
use crate::value::geo::{Place, Shape, Unit};
use crate::value::number::parse_f64;

use super::{place, place_of, unit};

/// Whose options are read: not every command takes every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grammar {
    Search,
    SearchStore,
    Radius,
    /// GEORADIUS_RO, which cannot store.
    RadiusReadOnly,
}

/// Where the center was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    Member,
    Place,
}

#[derive(Default)]
pub(super) struct Options {
    pub with_distance: bool,
    pub with_hash: bool,
    pub with_coordinates: bool,
    pub any: bool,
    /// ASC or DESC.
    pub order: Option<Ordering>,
    pub count: Option<usize>,
    pub store_distance: bool,
    pub destination: Option<Bytes>,
    pub from: Option<From>,
    /// None also where the member's key is missing.
    pub center: Option<Place>,
    pub shape: Option<(Shape, Unit)>,
}

impl Options {
    pub(super) fn parse(
        mut self,
        options: &[Bytes],
        grammar: Grammar,
        set: Option<&ZSetValue>,
    ) -> Result<Self, CommandError> {
        let searches = matches!(grammar, Grammar::Search | Grammar::SearchStore);
        let mut words = Cursor::new(options);
        while !words.is_done() {
            let known = self.take_flag(&mut words)
                || self.take_count(&mut words)?
                || (grammar == Grammar::Radius && self.take_destination(&mut words)?)
                || (searches && (self.take_center(&mut words, set)? || self.take_shape(&mut words)?));
            if known {
                continue;
            }
            if grammar == Grammar::SearchStore && words.take_word("storedist") {
                self.store_distance = true;
            } else {
                return Err(CommandError::Syntax);
            }
        }
        Ok(self)
    }

    /// Whether a center was named at all, be there such a member or not.
    pub(super) fn has_center(&self) -> bool {
        self.from.is_some()
    }

    pub(super) fn shows_more_than_members(&self) -> bool {
        self.with_distance || self.with_hash || self.with_coordinates
    }

    fn take_flag(&mut self, words: &mut Cursor<'_>) -> bool {
        if words.take_word("withdist") {
            self.with_distance = true;
        } else if words.take_word("withhash") {
            self.with_hash = true;
        } else if words.take_word("withcoord") {
            self.with_coordinates = true;
        } else if words.take_word("any") {
            self.any = true;
        } else if words.take_word("asc") {
            self.order = Some(Ordering::Less);
        } else if words.take_word("desc") {
            self.order = Some(Ordering::Greater);
        } else {
            return false;
        }
        true
    }

    fn take_count(&mut self, words: &mut Cursor<'_>) -> Result<bool, CommandError> {
        if !words.take_word("count") {
            return Ok(false);
        }
        let count = args::int(words.next()?)?;
        let count = usize::try_from(count).ok().filter(|&count| count > 0);
        self.count = Some(count.ok_or(CommandError::Line("ERR COUNT must be > 0".into()))?);
        Ok(true)
    }

    fn take_destination(&mut self, words: &mut Cursor<'_>) -> Result<bool, CommandError> {
        let store_distance = words.take_word("storedist");
        if !store_distance && !words.take_word("store") {
            return Ok(false);
        }
        self.store_distance = store_distance;
        self.destination = Some(words.next()?.clone());
        Ok(true)
    }

    fn take_center(&mut self, words: &mut Cursor<'_>, set: Option<&ZSetValue>) -> Result<bool, CommandError> {
        if words.remaining().len() > 1 && self.from != Some(From::Place) && words.take_word("frommember") {
            let member = words.next()?;
            self.from = Some(From::Member);
            if set.is_some() {
                self.center = Some(place_of(set, member).ok_or(CommandError::NoSuchPlace)?);
            }
            return Ok(true);
        }
        if words.remaining().len() > 2 && self.from != Some(From::Member) && words.take_word("fromlonlat") {
            self.from = Some(From::Place);
            self.center = Some(place(words.next()?, words.next()?)?);
            return Ok(true);
        }
        Ok(false)
    }

    fn take_shape(&mut self, words: &mut Cursor<'_>) -> Result<bool, CommandError> {
        let has = |wanted: fn(&Shape) -> bool| self.shape.as_ref().is_some_and(|(shape, _)| wanted(shape));
        let is_box = has(|shape| matches!(shape, Shape::Box { .. }));
        let is_circle = has(|shape| matches!(shape, Shape::Circle { .. }));
        if words.remaining().len() > 2 && !is_box && words.take_word("byradius") {
            self.shape = Some(circle(words.next()?, words.next()?)?);
            return Ok(true);
        }
        if words.remaining().len() > 3 && !is_circle && words.take_word("bybox") {
            self.shape = Some(rectangle(words.next()?, words.next()?, words.next()?)?);
            return Ok(true);
        }
        Ok(false)
    }
}

pub(super) fn circle(radius: &[u8], word: &[u8]) -> Result<(Shape, Unit), CommandError> {
    let radius = parse_f64(radius).ok_or(CommandError::Line("ERR need numeric radius".into()))?;
    if radius < 0.0 {
        return Err(CommandError::Line("ERR radius cannot be negative".into()));
    }
    let unit = unit(word)?;
    Ok((Shape::Circle { radius_m: radius * unit.metres() }, unit))
}

fn rectangle(width: &[u8], height: &[u8], word: &[u8]) -> Result<(Shape, Unit), CommandError> {
    let width = parse_f64(width).ok_or(CommandError::Line("ERR need numeric width".into()))?;
    let height = parse_f64(height).ok_or(CommandError::Line("ERR need numeric height".into()))?;
    if width < 0.0 || height < 0.0 {
        return Err(CommandError::Line("ERR height or width cannot be negative".into()));
    }
    let unit = unit(word)?;
    let metres = unit.metres();
    Ok((Shape::Box { width_m: width * metres, height_m: height * metres }, unit))
}
