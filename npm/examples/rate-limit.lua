-- At most ARGV[1] calls in ARGV[2] milliseconds for the user of KEYS[1]: {1, calls left} or {0, milliseconds to wait}.
local calls = redis.call('INCR', KEYS[1])
if calls == 1 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
if calls > tonumber(ARGV[1]) then
  return {0, redis.call('PTTL', KEYS[1])}
end
return {1, tonumber(ARGV[1]) - calls}
