local mine, theirs = KEYS[1], KEYS[2]
local common = redis.call('SINTER', mine, theirs)
return #common
