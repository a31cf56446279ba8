-- A lock that its holder may take several times: a hash of token and depth.
local token, ttl = ARGV[1], tonumber(ARGV[2])
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'token', token, 'depth', 1)
  redis.call('PEXPIRE', KEYS[1], ttl)
  return 1
end
if redis.call('HGET', KEYS[1], 'token') == token then
  local depth = redis.call('HINCRBY', KEYS[1], 'depth', 1)
  redis.call('PEXPIRE', KEYS[1], ttl)
  return depth
end
return 0
