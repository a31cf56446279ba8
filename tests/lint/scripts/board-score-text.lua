return redis.call('ZSCORE', KEYS[1], ARGV[1])
