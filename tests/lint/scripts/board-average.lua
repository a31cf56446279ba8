local scores = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local sum = 0
for i = 2, #scores, 2 do
  sum = sum + scores[i]
end
return tostring(sum / (#scores / 2))
