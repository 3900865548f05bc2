#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- The jobs of a worker are its own for another lease.
-- KEYS: base
-- ARGV: time, lease (ms), then of each job: id, token
-- Answers: the ids of those whose leases were lost
local lost = {}
for i = 3, #ARGV, 2 do
  if isHeldBy(ARGV[i], ARGV[i + 1]) then
    redis.call('ZADD', held, time + tonumber(ARGV[2]), ARGV[i])
  else
    lost[#lost + 1] = ARGV[i]
  end
end
return lost
