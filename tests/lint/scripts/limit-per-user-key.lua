-- Makes the key itself: fine on one server, wrong in a cluster.
local key = 'limit:' .. ARGV[1]
local count = redis.call('INCR', key)
if count == 1 then
  redis.call('EXPIRE', key, 60)
end
return count
