local cout = redis.call('INCR', KEYS[1])
return count
