for _, session in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  redis.call('DEL', session)
end
return redis.call('DEL', KEYS[1])
