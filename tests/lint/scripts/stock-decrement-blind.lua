local left = redis.call('DECR', KEYS[1])
if left < 0 then
  error('sold out')
end
return left
