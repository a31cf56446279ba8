redis.setresp(3)
if redis.call('GET', KEYS[1]) == nil then
  return 'missing'
end
return 'there'
