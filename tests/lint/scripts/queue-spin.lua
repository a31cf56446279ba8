while true do
  redis.call('PING')
end
