-- Arithmetic on a key that may be missing.
local value = redis.call('GET', KEYS[1]) + ARGV[1]
redis.call('SET', KEYS[1], value)
return value
