local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
if not rank then
  return {}
end
local from = math.max(0, rank - 2)
return redis.call('ZREVRANGE', KEYS[1], from, rank + 2, 'WITHSCORES')
