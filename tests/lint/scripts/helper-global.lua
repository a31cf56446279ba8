function exists(key)
  return redis.call('EXISTS', key) == 1
end
if exists(KEYS[1]) then
  return 1
end
return 0
