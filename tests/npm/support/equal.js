// What `assert.deepEqual` does, for values of the examples, in a browser.
export function deepEqual(one, other) {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (one.constructor !== other.constructor) return false;
  const [these, those] = [entries(one), entries(other)];
  return these.length === those.length && these.every(([key, value], at) => deepEqual(key, those[at][0]) && deepEqual(value, those[at][1]));
}

function entries(object) {
  return object instanceof Map ? [...object] : object instanceof Set ? [...object].entries().toArray() : Object.entries(object);
}
