local jobs = redis.call('LRANGE', KEYS[1], 0, 999)
for i = 1, #jobs, 100 do
  redis.call('RPUSH', KEYS[2], unpack(jobs, i, math.min(i + 99, #jobs)))
end
redis.call('LTRIM', KEYS[1], 1000, -1)
return #jobs
