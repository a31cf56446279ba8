-- Names and values by name: they never arrive.
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
local rank = redis.call('ZREVRANK', KEYS[1], ARGV[1])
return {player = ARGV[1], score = score, rank = rank}
