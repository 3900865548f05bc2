#!lua flags=allow-oom
-- uses: _time jobs/_queue
-- Gives a worker jobs, each under a lease: first those whose leases have ended, then those that wait, in their order. A worker that gets fewer
-- than it has room for is idle from then on, and is told when there are more.
-- KEYS: base
-- ARGV: time, worker, room, lease (ms), most bytes of a payload, most dead letters, how often a job may be lost
-- Answers: the jobs; in how many ms a job will be due or a lease end, -1: none; 1 if this worker is to look then, 0: a bit later
--   each job: id, token, failed attempts, times that it was lost, payload, ms till its deadline (-1: none), version, order key, causes
local worker, room, lease = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local limits = { bytes = tonumber(ARGV[5]), dead = tonumber(ARGV[6]) }
local mostLosses = tonumber(ARGV[7])
local jobs = {}

local function firstOf(set)
  local first = redis.call('ZRANGE', set, 0, 0, 'WITHSCORES')[2]
  return first and tonumber(first)
end

local function earliest()
  local one, other = firstOf(due), firstOf(held)
  return one and other and math.min(one, other) or one or other
end

local function invalid(id, entry, why)
  bury(id, entry, limits, { code = 'InvalidJob', info = why })
end

-- What anybody may have written there must not stop those behind it.
local function give(id, entry)
  local name = job(id)
  local known = redis.pcall('HMGET', name, 'v', 'attempts', 'losses', 'deadline', 'version', 'key', 'causes', 'payload')
  if known.err then
    return invalid(id, entry, 'it is no job')
  elseif not known[1] and not known[8] then
    return letGo(id, entry)
  elseif known[1] ~= '1' or not known[8] then
    return invalid(id, entry, 'its format is not 1')
  elseif #known[8] > limits.bytes then
    return invalid(id, entry, 'its payload has ' .. #known[8] .. ' bytes')
  end
  local left = -1
  if known[4] and known[4] ~= '' then
    left = number(known[4]) - time
    if left <= 0 then
      return bury(id, entry, limits, { code = 'Timeout', info = 'its deadline has passed before it began' })
    end
  end
  local token = redis.call('INCR', base .. ':token')
  redis.call('HSET', name, 'entry', entry, 'token', token, 'worker', worker)
  redis.call('ZADD', held, time + lease, id)
  jobs[#jobs + 1] = { id, tostring(token), number(known[2]), number(known[3]), known[8], left, known[5] or '',
    known[6] or '', known[7] or '[]' }
end

local function takeOver(id)
  local known = redis.pcall('HMGET', job(id), 'entry', 'losses', 'worker')
  local entry = not known.err and known[1]
  if not entry then
    return letGo(id)
  end
  local losses = number(known[2]) + 1
  redis.call('HSET', job(id), 'losses', losses)
  if losses > mostLosses then
    bury(id, entry, limits, { code = 'LeaseLost', info = 'its workers were lost ' .. losses .. ' times' })
  else
    if redis.pcall('XCLAIM', ready, group, worker, 0, entry, 'JUSTID').err then
      letGo(id)
      redis.call('XADD', ready, '*', 'id', id) -- the stream was lost: it's read from anew
    else
      give(id, entry)
    end
  end
  if known[3] and known[3] ~= worker then
    forget(known[3])
  end
end

local first = earliest()
-- Whoever was to look then has not.
local isLate = first and first < time - lease / 6

while #jobs < room do
  local lost = redis.call('ZRANGEBYSCORE', held, '-inf', time, 'LIMIT', 0, room - #jobs)
  if #lost == 0 then
    break
  end
  for _, id in ipairs(lost) do
    takeOver(id)
  end
end

for _, id in ipairs(redis.call('ZRANGEBYSCORE', due, '-inf', time, 'LIMIT', 0, 1000)) do
  redis.call('ZREM', due, id)
  redis.call('XADD', ready, '*', 'id', id)
end

local function read(count)
  return redis.pcall('XREADGROUP', 'GROUP', group, worker, 'COUNT', count, 'STREAMS', ready, '>')
end

-- Of jobs that were removed there may be any number of entries: it goes on behind some of them with the next take, which comes at once.
local budget = room + 1000
while #jobs < room and budget > 0 do
  local found = read(room - #jobs)
  if found and found.err then
    redis.call('XGROUP', 'CREATE', ready, group, 0, 'MKSTREAM')
    found = read(room - #jobs)
  end
  if not found then
    break
  end
  budget = budget - #found[1][2]
  for _, entry in ipairs(found[1][2]) do
    if entry[2][1] == 'id' then
      give(entry[2][2], entry[1])
    else
      redis.call('XACK', ready, group, entry[1])
      redis.call('XDEL', ready, entry[1])
    end
  end
end

local isMore = #jobs < room and budget <= 0
first = isMore and time or earliest()
local kept = redis.call('GET', keeper)
if #jobs < room then
  redis.call('ZADD', idle, time, worker)
  if isLate or not kept or (kept ~= worker and not redis.call('ZSCORE', idle, kept)) then
    redis.call('SET', keeper, worker)
    kept = worker
  end
else
  redis.call('ZREM', idle, worker)
  if kept == worker then
    redis.call('DEL', keeper)
    wake()
  elseif redis.call('XLEN', ready) > redis.call('ZCARD', held) then
    wake()
  end
end
return { jobs, first and math.max(0, math.ceil(first - time)) or -1, (isMore or kept == worker) and 1 or 0 }
