redis.call('DECRBY', KEYS[1], ARGV[1])
redis.call('INCRBY', KEYS[2], ARGV[1])
assert(tonumber(redis.call('GET', KEYS[1])) >= 0, 'overdrawn')
return 1
