local page, size = tonumber(ARGV[1]), tonumber(ARGV[2])
local from = page * size
return redis.call('ZREVRANGE', KEYS[1], from, from + size - 1, 'WITHSCORES')
