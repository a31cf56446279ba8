local picked = {}
for i = 1, tonumber(ARGV[1]) do
  picked[i] = redis.call('SRANDMEMBER', KEYS[1])
end
return picked
