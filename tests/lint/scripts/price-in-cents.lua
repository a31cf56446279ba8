local cents = tonumber(redis.call('HGET', KEYS[1], 'cents') or 0)
return math.floor(cents * 1.19 + 0.5)
