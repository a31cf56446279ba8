local user = ARGV[1]
redis.call('HSET', KEYS[1], 'user', user, 'since', ARGV[2])
redis.call('EXPIRE', KEYS[1], 1800)
redis.call('SADD', KEYS[2], KEYS[1])
return KEYS[1]
