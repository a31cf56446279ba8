local level = tonumber(redis.call('GET', KEYS[1]) or 0)
local leaked = math.max(0, level - tonumber(ARGV[1]))
if leaked + 1 > tonumber(ARGV[2]) then
  return 0
end
redis.call('SET', KEYS[1], leaked + 1, 'EX', ARGV[3])
return 1
