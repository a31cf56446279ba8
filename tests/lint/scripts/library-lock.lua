#!lua name=locks

local function release(keys, args)
  if redis.call('GET', keys[1]) == args[1] then
    return redis.call('DEL', keys[1])
  end
  return 0
end

local function owner(keys)
  return redis.call('GET', keys[1])
end

redis.register_function('release', release)
redis.register_function{function_name = 'owner', callback = owner, flags = {'no-writes'}}
