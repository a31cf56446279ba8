//! All orders at once: a graph of worlds, in which orders that lead to the same world meet.
//!
//! A world is left only when all ways to it are known, for every move adds to its progress. So counts add up along the
//! edges, and of the worlds only those that can still be reached are kept.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::count::Count;
use super::outcome::{self, Ending};
use super::plan::Plan;
use super::world::{Actor, Key, World};
use super::{CheckReport, Outcome, Report};

/// How a world was reached: by which move and from where. The first world has none.
#[derive(Clone, Copy, Debug)]
struct Trail {
    before: u32,
    actor: Actor,
}

const START: u32 = u32::MAX;

struct Node {
    world: World,
    way: Way,
}

/// How many orders lead here, and one of the shortest.
#[derive(Clone)]
struct Way {
    count: Count,
    trail: u32,
    moves: u32,
}

/// Worlds of the same progress.
#[derive(Default)]
struct Layer {
    nodes: Vec<Node>,
    /// By their key and the checks that have failed on the way.
    places: BTreeMap<(Key, u64), usize>,
    /// What the checks gave, which the key alone decides.
    failing: BTreeMap<Key, u64>,
}

struct Found {
    way: Way,
    ending: Ending,
}

pub(super) struct Graph {
    layers: BTreeMap<usize, Layer>,
    trails: Vec<Trail>,
    found: BTreeMap<Key, Found>,
    schedules: Count,
    states: usize,
    states_max: usize,
    moves: usize,
    stopped: bool,
    ended: bool,
    steps_total: usize,
    least_progress: usize,
}

impl Graph {
    pub(super) fn new(world: World, plan: &Plan, states_max: usize) -> Self {
        let steps_total = plan.programs.iter().map(Vec::len).sum();
        let mut graph = Self {
            layers: BTreeMap::new(),
            trails: Vec::new(),
            found: BTreeMap::new(),
            schedules: Count::ZERO,
            states: 1,
            states_max,
            moves: 0,
            stopped: false,
            ended: false,
            steps_total,
            least_progress: world.progress(),
        };
        let layer = graph.layers.entry(world.progress()).or_default();
        let way = Way { count: Count::ONE, trail: START, moves: 0 };
        layer.nodes.push(Node { world, way });
        graph
    }

    /// Takes about so many moves; whether that was all.
    pub(super) fn advance(&mut self, plan: &Plan, moves: usize) -> bool {
        let until = self.moves + moves;
        while self.moves < until && !self.stopped {
            let Some(mut layer) = self.layers.first_entry() else { return true };
            let progress = *layer.key();
            self.least_progress = progress;
            match layer.get_mut().nodes.pop() {
                Some(node) => self.leave(plan, node),
                None => {
                    layer.remove();
                }
            }
        }
        self.stopped || self.layers.is_empty()
    }

    /// Forgets the worlds that are still to be left.
    pub(super) fn end(&mut self) {
        self.ended |= !self.stopped && !self.layers.is_empty();
        self.layers.clear();
    }

    fn leave(&mut self, plan: &Plan, node: Node) {
        let enabled = node.world.enabled(plan);
        let Some((last, others)) = enabled.split_last() else { return self.finish(plan, node) };
        let Node { world, way } = node;
        for actor in others {
            self.go(plan, world.clone(), &way, *actor);
        }
        self.go(plan, world, &way, *last);
    }

    fn go(&mut self, plan: &Plan, mut world: World, way: &Way, actor: Actor) {
        self.moves += 1;
        world.go(plan, actor, &mut |_| ());
        let key = world.key(plan);
        let layer = self.layers.entry(world.progress()).or_default();
        world.failed |= *layer.failing.entry(key).or_insert_with(|| world.failing(plan));
        let moves = way.moves + 1;
        let mut trail = || {
            self.trails.push(Trail { before: way.trail, actor });
            self.trails.len() as u32 - 1
        };
        match layer.places.get(&(key, world.failed)) {
            Some(place) => {
                let known = &mut layer.nodes[*place].way;
                known.count.add(&way.count);
                if moves < known.moves {
                    (known.trail, known.moves) = (trail(), moves);
                }
            }
            None if self.states == self.states_max => self.stopped = true,
            None => {
                self.states += 1;
                layer.places.insert((key, world.failed), layer.nodes.len());
                let way = Way { count: way.count.clone(), trail: trail(), moves };
                layer.nodes.push(Node { world, way });
            }
        }
    }

    fn finish(&mut self, plan: &Plan, Node { world, way }: Node) {
        let failed = world.all_failed(plan);
        self.schedules.add(&way.count);
        match self.found.entry(outcome::key(&world, plan, &failed)) {
            Entry::Vacant(place) => {
                place.insert(Found { way, ending: Ending::of(&world, plan, failed) });
            }
            Entry::Occupied(mut found) => {
                let known = &mut found.get_mut().way;
                known.count.add(&way.count);
                if way.moves < known.moves {
                    (known.trail, known.moves) = (way.trail, way.moves);
                }
            }
        }
    }

    fn schedule(&self, mut trail: u32) -> Vec<Actor> {
        let mut actors = Vec::new();
        while trail != START {
            let Trail { before, actor } = self.trails[trail as usize];
            actors.push(actor);
            trail = before;
        }
        actors.reverse();
        actors
    }

    pub(super) fn report(&self, plan: &Plan) -> Report {
        let mut outcomes: Vec<Outcome> = self
            .found
            .values()
            .map(|found| Outcome {
                count: found.way.count.clone(),
                ending: found.ending.clone(),
                schedule: self.schedule(found.way.trail),
            })
            .collect();
        Outcome::sort(&mut outcomes);
        let done = self.stopped || self.layers.is_empty();
        let share = self.least_progress as f64 / self.steps_total.max(1) as f64;
        Report {
            done,
            bound: self.stopped.then_some(self.states_max),
            ended: self.ended,
            sampled: false,
            schedules: self.schedules.clone(),
            states: self.states,
            moves: self.moves,
            progress: if done { 1.0 } else { share.min(1.0) },
            checks: CheckReport::of(plan, &outcomes),
            outcomes,
        }
    }
}
