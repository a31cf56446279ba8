-- The key of the job comes from the list: nobody has declared it.
local id = redis.call('RPOPLPUSH', KEYS[1], KEYS[2])
if not id then
  return false
end
return redis.call('HGETALL', id)
