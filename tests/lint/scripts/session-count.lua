return redis.call('SCARD', KEYS[1])
