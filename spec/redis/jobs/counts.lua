#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- How many jobs there are.
-- KEYS: base
-- ARGV: time
-- Answers: how many there are, how many of them are due later, run, and how many dead letters there are
return { number(redis.call('GET', base .. ':size')), redis.call('ZCARD', due), redis.call('ZCARD', held),
  redis.call('XLEN', base .. ':dead') }
