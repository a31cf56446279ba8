-- The names are made from numbers; in a cluster the two accounts lie anywhere.
local from, to = 'account:' .. ARGV[1], 'account:' .. ARGV[2]
redis.call('DECRBY', from, ARGV[3])
redis.call('INCRBY', to, ARGV[3])
return 1
