local stock = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('PUBLISH', 'stock', stock)
return stock
