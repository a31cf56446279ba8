-- {1, n}: allowed; {0, n}: at the limit; {2, reason}: bad input.
local limit, window = ARGV[1], ARGV[2]
if not string.match(limit, '^%d+$') or not string.match(window, '^%d+$') then
  return {2, 'limit and window must be whole numbers'}
end
local value = redis.call('GET', KEYS[1])
if value and not string.match(value, '^%d+$') then
  return {2, 'the counter is no whole number'}
end
local count = tonumber(value or '0')
if count >= tonumber(limit) then
  return {0, count}
end
count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('EXPIRE', KEYS[1], window)
end
return {1, count}
