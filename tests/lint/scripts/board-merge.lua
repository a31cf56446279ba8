redis.call('ZUNIONSTORE', KEYS[1], 2, KEYS[2], KEYS[3], 'AGGREGATE', 'MAX')
redis.call('EXPIRE', KEYS[1], ARGV[1])
return redis.call('ZCARD', KEYS[1])
