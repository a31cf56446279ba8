local jobs = redis.call('LRANGE', KEYS[1], 0, -1)
if #jobs > 0 then
  redis.call('RPUSH', KEYS[2], unpack(jobs))
  redis.call('DEL', KEYS[1])
end
return #jobs
