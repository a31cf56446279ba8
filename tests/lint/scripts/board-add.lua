local score = redis.call('ZINCRBY', KEYS[1], ARGV[1], ARGV[2])
return {score, redis.call('ZREVRANK', KEYS[1], ARGV[2])}
