-- A bucket that fills by ARGV[2] tokens a second, up to ARGV[1].
local capacity, rate, now = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local state = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(state[1] or capacity)
local at = tonumber(state[2] or now)
tokens = math.min(capacity, tokens + (now - at) * rate)
local allowed = 0
if tokens >= 1 then
  tokens = tokens - 1
  allowed = 1
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', ARGV[3])
redis.call('EXPIRE', KEYS[1], math.ceil(capacity / rate) + 1)
return allowed
