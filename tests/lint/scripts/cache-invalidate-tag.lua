local members = redis.call('SMEMBERS', KEYS[1])
for _, key in ipairs(members) do
  redis.call('DEL', key)
end
redis.call('DEL', KEYS[1])
return #members
