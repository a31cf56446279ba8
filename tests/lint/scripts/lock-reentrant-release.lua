if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then
  return redis.error_reply('NOTOWNER the lock is held by another')
end
local depth = redis.call('HINCRBY', KEYS[1], 'depth', -1)
if depth <= 0 then
  redis.call('DEL', KEYS[1])
end
return depth
