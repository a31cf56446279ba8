local items = redis.call('HGETALL', KEYS[1])
local total = 0
for i = 1, #items, 2 do
  total = total + tonumber(items[i + 1])
end
return total
