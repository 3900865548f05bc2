#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- How a job stands.
-- KEYS: base
-- ARGV: time, id
-- Answers: state (waits, due, runs), failed attempts, losses, progress (JSON); nothing if it's done, dead, or was never enqueued
local id = ARGV[2]
local known = redis.call('HMGET', job(id), 'v', 'attempts', 'losses', 'progress')
if not known[1] then
  return {}
end
local state = redis.call('ZSCORE', held, id) and 'runs' or redis.call('ZSCORE', due, id) and 'due' or 'waits'
return { state, number(known[2]), number(known[3]), known[4] or '' }
