local holder = redis.call('GET', KEYS[1])
if not holder then
  redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
  return ARGV[1]
end
if holder == ARGV[1] then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return holder
