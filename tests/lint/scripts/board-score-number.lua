-- Meant to answer 12.5, answers 12.
return tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]))
