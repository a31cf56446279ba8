local jobs = {}
for i = 1, math.min(tonumber(ARGV[1]), 100) do
  local job = redis.call('LPOP', KEYS[1])
  if not job then
    break
  end
  jobs[i] = job
end
return jobs
