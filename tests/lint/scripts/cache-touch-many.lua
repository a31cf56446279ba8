local touched = 0
for _, key in ipairs(KEYS) do
  touched = touched + redis.call('EXPIRE', key, ARGV[1])
end
return touched
