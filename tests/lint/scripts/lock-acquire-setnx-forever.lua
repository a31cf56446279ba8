return redis.call('SETNX', KEYS[1], ARGV[1])
