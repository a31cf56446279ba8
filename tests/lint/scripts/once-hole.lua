redis.call('SET', KEYS[1], ARGV[1], 'EX', 60)
return {ARGV[1], nil, 60}
