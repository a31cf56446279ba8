#!lua flags=no-writes
local result = {}
for i, key in ipairs(KEYS) do
  result[i] = redis.call('TYPE', key).ok
end
return result
