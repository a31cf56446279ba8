local reply = redis.pcall('HINCRBY', KEYS[1], 'hits', 1)
if type(reply) == 'table' and reply.err then
  return reply
end
return redis.call('HGET', KEYS[1], 'value')
