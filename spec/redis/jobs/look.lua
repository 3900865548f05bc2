#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- How a job stands, or how many jobs there are.
-- KEYS: base
-- ARGV: time, id; empty: of all
-- Answers: state (waits, due, runs), failed attempts, losses, progress (JSON); nothing if it's done, dead, or was never enqueued
--   of all: how many there are, how many of them are due later, run, and how many dead letters there are
local id = ARGV[2]
if id == '' then
  return { number(redis.call('GET', base .. ':size')), redis.call('ZCARD', due), redis.call('ZCARD', held),
    redis.call('XLEN', base .. ':dead') }
end
local known = redis.call('HMGET', job(id), 'v', 'attempts', 'losses', 'progress')
if not known[1] then
  return {}
end
local state = redis.call('ZSCORE', held, id) and 'runs' or redis.call('ZSCORE', due, id) and 'due' or 'waits'
return { state, number(known[2]), number(known[3]), known[4] or '' }
