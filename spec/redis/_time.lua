-- Milliseconds of the server's clock, so that no clock of a process counts. Each script's ARGV[1] is empty, but in tests: then it's the time.
local function now()
  if ARGV[1] ~= '' then
    return tonumber(ARGV[1])
  end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
