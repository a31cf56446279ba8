local size = redis.call('ZCARD', KEYS[1])
local surplus = size - tonumber(ARGV[1])
if surplus > 0 then
  redis.call('ZREMRANGEBYRANK', KEYS[1], 0, surplus - 1)
end
return surplus
