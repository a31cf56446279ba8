redis.call('INCR', KEYS[2])
local removed = redis.call('LREM', KEYS[1], 1, ARGV[1])
if removed == 0 then
  return {err = 'NOJOB it was not claimed'}
end
return {ok = 'done'}
