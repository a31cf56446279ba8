local days = 0
for i = 0, 6 do
  days = days + redis.call('GETBIT', KEYS[1], tonumber(ARGV[1]) + i)
end
return days
