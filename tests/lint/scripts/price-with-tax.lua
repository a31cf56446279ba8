local price = tonumber(redis.call('HGET', KEYS[1], 'price') or 0)
return price * 1.19
