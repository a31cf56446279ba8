-- One server, no cluster: meant so.
redis.call('INCR', 'stats:calls') -- lint: allow key-not-declared
return redis.call('GET', KEYS[1])
