local fresh = {}
for _, id in ipairs(ARGV) do
  if redis.call('SADD', KEYS[1], id) == 1 then
    fresh[#fresh + 1] = id
  end
end
redis.call('EXPIRE', KEYS[1], 86400)
return fresh
