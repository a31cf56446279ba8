local now, period, burst = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local tat = tonumber(redis.call('GET', KEYS[1]) or now)
tat = math.max(tat, now)
local allow_at = tat + period - burst * period
if allow_at > now then
  return {0, allow_at - now}
end
redis.call('SET', KEYS[1], tat + period, 'PX', math.ceil(tat + period - now) + 1)
return {1, 0}
