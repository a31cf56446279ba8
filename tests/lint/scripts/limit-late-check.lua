-- Counts first and complains afterwards: the count is not taken back.
local count = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
if count > tonumber(ARGV[1]) then
  return redis.error_reply('LIMIT too many requests')
end
return count
