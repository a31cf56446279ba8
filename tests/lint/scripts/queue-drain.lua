-- Empties the whole list: as long as others have filled it.
local jobs = {}
while true do
  local job = redis.call('LPOP', KEYS[1])
  if not job then
    break
  end
  jobs[#jobs + 1] = job
end
return jobs
