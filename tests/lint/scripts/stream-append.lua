local id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', 1000, '*', 'event', ARGV[1])
redis.call('HSET', KEYS[2], 'last', id)
return id
