local fields = redis.call('HGETALL', KEYS[1])
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], unpack(fields))
return #fields / 2
