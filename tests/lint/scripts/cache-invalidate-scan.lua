local cursor, count = '0', 0
repeat
  local page = redis.call('SCAN', cursor, 'MATCH', ARGV[1])
  cursor = page[1]
  for _, key in ipairs(page[2]) do
    count = count + redis.call('UNLINK', key)
  end
until cursor == '0'
return count
