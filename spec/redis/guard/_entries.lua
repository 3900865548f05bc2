-- How many may enter in a time: as js/src/admission.ts and cpp/src/admission.hpp say, in the same whole numbers. ARGV[5] to ARGV[8]: `fixed`,
-- `sliding`, `bucket` or empty, which is no limit; so many; in so many ms; and what a bucket holds. A clock that goes back closes nothing for longer than a period.
local algorithm, rate, period, burst = ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local function whole(number)
  return string.format('%.0f', number)
end
local function number(field)
  return tonumber(redis.call('HGET', state, field) or nil)
end
-- Spends an entry, if there is one. `delay`: how long till there is one. `rest`: till nothing is to be remembered. `tick`: somebody waits.
local function enter()
  return true
end
local function delay()
  return 0
end
local rest, tick = delay, delay
if algorithm == 'fixed' then
  local function ends()
    return math.min(number('end') or 0, at + period)
  end
  function enter()
    local stop, entered = ends(), number('entered') or 0
    if at >= stop then
      stop, entered = at + period, 0
    end
    if entered >= rate then
      return false
    end
    redis.call('HSET', state, 'end', whole(stop), 'entered', whole(entered + 1))
    return true
  end
  function delay()
    return ends() - at
  end
  rest = delay
  function tick()
    local late = at - ends()
    if late >= 0 then
      redis.call('HSET', state, 'end', whole(at + period - late % period), 'entered', '0')
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
    redis.call('RPUSH', times, whole(at))
    redis.call('LTRIM', times, whole(-rate), -1)
    expire(times, period)
    return true
  end
elseif algorithm == 'bucket' then
  local full = burst * period
  local function level()
    local last = number('level') or full
    return math.min(full, last + math.max(0, at - (number('filled') or at)) * rate)
  end
  function enter()
    local left = level() - period
    if left < 0 then
      return false
    end
    redis.call('HSET', state, 'level', whole(left), 'filled', whole(at))
    return true
  end
  function delay()
    return math.ceil((period - level()) / rate)
  end
  function rest()
    return math.ceil((full - level()) / rate)
  end
end
