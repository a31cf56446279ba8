local old = redis.call('GET', KEYS[1])
local new
if not old then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', 60)
  new = ARGV[1]
end
return {new, old, redis.call('TTL', KEYS[1])}
