"""The keyspace notifications of lists, hashes, sets, sorted sets and places, as a subscriber sees them."""

from families import geo, hash_expiry, hashes, lists, sets, zsets

CONNECTIONS = 2


def sequence(rng, version, length):
    classes = "KEAmnoc" if version >= "8.2" else "KEAmn"
    sources = [lists, hashes, sets, zsets, geo] + [hash_expiry] * (version >= "8.2")
    steps = [(0, ["CONFIG", "SET", "notify-keyspace-events", classes]), (1, ["PSUBSCRIBE", "__key*"])]
    while len(steps) < length:
        command = rng.choice(sources).command(rng)
        if not ends_soon(command):
            steps.append((0, command))
    return steps


def ends_soon(command):
    """When a field that runs out in the middle of a sequence is taken away, and told, is a matter of the server's timer (`hz`)."""
    words = [str(word).upper() for word in command]
    in_option = any(pair in (("EX", "1"), ("PX", "1")) for pair in zip(words, words[1:]))
    return in_option or words[0] in ("HEXPIRE", "HPEXPIRE") and words[2:3] == ["1"]


SLACK = {}
for family in (hashes, hash_expiry, sets, zsets, geo):
    SLACK.update(family.SLACK)
