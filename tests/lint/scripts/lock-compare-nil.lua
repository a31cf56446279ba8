-- Wants to find out whether the lock is free, and never does.
if redis.call('GET', KEYS[1]) == nil then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
return 0
