for i, key in ipairs(KEYS) do
  local stock = tonumber(redis.call('GET', key) or '0')
  if stock < tonumber(ARGV[i]) then
    return redis.error_reply('SOLDOUT ' .. key)
  end
end
for i, key in ipairs(KEYS) do
  redis.call('DECRBY', key, ARGV[i])
end
return redis.status_reply('OK')
