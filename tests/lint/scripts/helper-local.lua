local function exists(key)
  return redis.call('EXISTS', key) == 1
end
local call = redis.call
if exists(KEYS[1]) then
  return call('INCR', KEYS[1])
end
return 0
