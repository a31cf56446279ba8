local call = redis.call
total = 0
for i = 1, #KEYS do
  total = total + call('STRLEN', KEYS[i])
end
return total
