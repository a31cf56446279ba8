-- How much is left: meant with decimals.
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(state[1] or ARGV[1])
return {1, tokens / 1000}
