#!lua name=stats

redis.register_function('average', function(keys, args)
  local sum = tonumber(redis.call('GET', keys[1]) or '0')
  local count = tonumber(redis.call('GET', keys[2]) or '1')
  return sum / count
end)
