redis.pcall('HINCRBY', KEYS[1], 'hits', 1)
return redis.call('HGET', KEYS[1], 'value')
