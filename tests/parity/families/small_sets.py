"""Sets as 7.2 and later keep them while they are small: there even the order must be the same."""

from families import sets

PROTOCOLS = (2, 3)
VERSIONS = ("8.2",)


def sequence(rng, version, length):
    steps = []
    while len(steps) < length:
        command = sets.command(rng)
        # A long word makes a hash table, and so does what is stored from one.
        if all(len(word) <= 64 for word in command):
            steps.append((0, command))
    return steps


SLACK = {name: slack for name, slack in sets.SLACK.items() if name in ("SRANDMEMBER", "SPOP", "SUNION", "SDIFF")}
