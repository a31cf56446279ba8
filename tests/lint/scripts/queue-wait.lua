-- Waits for a job by asking again and again: nobody can ever bring one.
local job = false
while not job do
  job = redis.call('LPOP', KEYS[1])
end
return job
