-- How many may enter in a time: as js/src/admission.ts and cpp/src/admission.hpp say, in the same whole numbers. ARGV[5] to ARGV[8]: `fixed`,
-- `sliding`, `bucket` or empty, which is no limit; so many; in so many ms; and what a bucket holds. A clock that goes back closes nothing for longer than a period.
local algorithm, rate, period, burst = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
-- Spends an entry, if there is one. `delay`: how long till there is one. `rest`: till nothing is to be remembered. `tick`: somebody waits.
local function enter()
  return true
end
local function delay()
  return 0
end
local rest, tick = delay, delay
-- Two numbers, which are read at most once.
local one, two
local function fetch(first, second)
  if not one then
    local found = redis.call('HMGET', state, first, second)
    one, two = tonumber(found[1]), tonumber(found[2])
  end
end
local function store(first, second)
  redis.call('HSET', state, first, whole(one), second, whole(two))
  last(rest())
end
if algorithm == 'fixed' then
  -- When the period ends, and how many have entered in it.
  local function load()
    fetch('end', 'entered')
    one, two = one or 0, two or 0
    if one > at + period then
      one = at + period
      redis.call('HSET', state, 'end', whole(one))
    end
  end
  function enter()
    load()
    if at < one then
      if two < rate then
        two = redis.call('HINCRBY', state, 'entered', 1) -- what is remembered lasts as long already
        return true
      end
      return false
    end
    one, two = at + period, 1
    store('end', 'entered')
    return true
  end
  function delay()
    load()
    return one - at
  end
  rest = delay
  function tick()
    load()
    if at >= one then
      one, two = at + period - (at - one) % period, 0
      store('end', 'entered')
    end
  end
elseif algorithm == 'sliding' then
  function delay()
    local over = redis.call('LLEN', times) - rate
    if over < 0 then
      return 0
    end
    return math.min(redis.call('LINDEX', times, whole(over)) + period - at, period)
  end
  function enter()
    if delay() > 0 then
      return false
    end
    if redis.call('RPUSH', times, whole(at)) > rate then
      redis.call('LTRIM', times, whole(-rate), -1)
    end
    expire(times, period)
    return true
  end
elseif algorithm == 'bucket' then
  local full = burst * period
  -- What is in it, and when it was looked at: now.
  local function load()
    fetch('level', 'filled')
    one, two = math.min(full, (one or full) + math.max(0, at - (two or at)) * rate), at
  end
  function rest()
    load()
    return math.ceil((full - one) / rate)
  end
  function enter()
    load()
    if one < period then
      return false
    end
    one = one - period
    store('level', 'filled')
    return true
  end
  function delay()
    load()
    return math.ceil((period - one) / rate)
  end
end
