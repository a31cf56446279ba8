if redis.call('SADD', KEYS[1], ARGV[1]) == 0 then
  return redis.error_reply('VOTED already')
end
return redis.call('INCR', KEYS[2])
