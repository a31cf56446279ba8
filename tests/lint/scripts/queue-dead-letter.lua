local tries = redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
if tries >= tonumber(ARGV[2]) then
  redis.call('HDEL', KEYS[1], ARGV[1])
  redis.call('RPUSH', KEYS[3], ARGV[1])
  return 'dead'
end
redis.call('RPUSH', KEYS[2], ARGV[1])
return 'again'
