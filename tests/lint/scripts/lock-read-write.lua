-- Readers count up, a writer needs the count to be zero.
local readers = tonumber(redis.call('GET', KEYS[1]) or '0')
if readers > 0 then
  return 0
end
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
return 0
