-- Moves one job into the worker's own list.
local job = redis.call('LMOVE', KEYS[1], KEYS[2], 'LEFT', 'RIGHT')
if not job then
  return false
end
redis.call('HSET', KEYS[3], job, ARGV[1])
return job
