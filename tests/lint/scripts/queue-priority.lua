for _, key in ipairs(KEYS) do
  local job = redis.call('LPOP', key)
  if job then
    return {key, job}
  end
end
return false
