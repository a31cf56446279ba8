local stock = tonumber(redis.call('GET', KEYS[1]) or '0')
local wanted = tonumber(ARGV[1])
if stock < wanted then
  return {0, stock}
end
return {1, redis.call('DECRBY', KEYS[1], wanted)}
