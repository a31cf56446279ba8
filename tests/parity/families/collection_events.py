"""The keyspace notifications of lists, hashes, sets, sorted sets and places, as a subscriber sees them."""

from families import geo, hash_expiry, hashes, lists, sets, zsets

CONNECTIONS = 2


def sequence(rng, version, length):
    classes = "KEAmnoc" if version >= "8.2" else "KEAmn"
    sources = [lists, hashes, sets, zsets, geo] + [hash_expiry] * (version >= "8.2")
    steps = [(0, ["CONFIG", "SET", "notify-keyspace-events", classes]), (1, ["PSUBSCRIBE", "__key*"])]
    while len(steps) < length:
        steps.append((0, rng.choice(sources).command(rng)))
    return steps


SLACK = {}
for family in (hashes, hash_expiry, sets, zsets, geo):
    SLACK.update(family.SLACK)
