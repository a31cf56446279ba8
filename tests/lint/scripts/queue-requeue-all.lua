-- Puts everything back that a dead worker has left.
local jobs = redis.call('LRANGE', KEYS[1], 0, -1)
for _, job in ipairs(jobs) do
  redis.call('RPUSH', KEYS[2], job)
end
redis.call('DEL', KEYS[1])
return #jobs
