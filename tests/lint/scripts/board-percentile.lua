local rank = redis.call('ZRANK', KEYS[1], ARGV[1])
if not rank then
  return false
end
local total = redis.call('ZCARD', KEYS[1])
return 100 * (rank + 1) / total
