-- lint: allow key-not-declared -- a fixed name, used by the monitoring
redis.call('INCR', 'stats:calls')
return redis.call('INCR', KEYS[1])
