local amount = tonumber(ARGV[1])
local balance = tonumber(redis.call('GET', KEYS[1]) or '0')
if balance < amount then
  return redis.error_reply('FUNDS not enough')
end
redis.call('DECRBY', KEYS[1], amount)
redis.call('INCRBY', KEYS[2], amount)
return balance - amount
