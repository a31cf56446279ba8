local uses = redis.call('HGET', KEYS[1], 'uses')
if uses == nil then
  return redis.error_reply('NOCOUPON')
end
return redis.call('HINCRBY', KEYS[1], 'uses', -1)
