local reply = redis.pcall('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], 60)
return 1
