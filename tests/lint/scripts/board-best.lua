-- Keeps the best score only.
local old = redis.call('ZSCORE', KEYS[1], ARGV[2])
if not old or tonumber(ARGV[1]) > tonumber(old) then
  redis.call('ZADD', KEYS[1], ARGV[1], ARGV[2])
  return 1
end
return 0
