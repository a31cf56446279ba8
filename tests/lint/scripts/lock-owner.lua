-- Who holds the lock, and for how long?
return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}
