#!lua flags=allow-oom
-- uses: guard/_keys guard/_entries guard/_state guard/_session guard/_lines
-- How a guard stands. Who has died, and is found here, is in it no more.
-- KEYS: base. ARGV: those of `_keys`, whose session is empty.
-- Answer: {places that are taken, how many wait, how many may enter at once by the rate; -1: there is none}.
local waiting = 0
if not isQuiet then
  purge()
  letIn()
  waiting = redis.call('ZCARD', queue) + redis.call('ZCARD', entering)
end
-- How many of the last ones have entered within a period.
local function recent()
  local low, high = 0, redis.call('LLEN', times)
  local length = high
  while low < high do
    local middle = math.floor((low + high) / 2)
    if tonumber(redis.call('LINDEX', times, whole(middle))) + period > at then
      high = middle
    else
      low = middle + 1
    end
  end
  return length - low
end
local function entries()
  if not rate then
    return -1
  elseif algorithm == 'sliding' then
    return rate - recent()
  end
  delay() -- which reads what is remembered
  if algorithm == 'bucket' then
    return math.floor(one / period)
  end
  return at < one and math.max(0, rate - two) or rate
end
return keep({ number('used') or 0, waiting, entries() })
