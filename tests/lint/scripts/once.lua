-- The first caller computes, the others get the result.
local done = redis.call('GET', KEYS[1])
if done then
  return {0, done}
end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return {1, ARGV[1]}
