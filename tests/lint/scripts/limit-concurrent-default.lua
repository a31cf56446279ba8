local running = tonumber(redis.call('GET', KEYS[1]) or '0') + 1
if running > tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[1], running)
return 1
