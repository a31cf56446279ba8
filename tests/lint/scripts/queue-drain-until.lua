local job
repeat
  job = redis.call('RPOP', KEYS[1])
  if job then
    redis.call('LPUSH', KEYS[2], job)
  end
until not job
return redis.call('LLEN', KEYS[2])
