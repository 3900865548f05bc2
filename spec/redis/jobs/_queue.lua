-- The keys of a queue, and what several scripts do with them. KEYS[1] is the base of all: it has the hash tag, so they are on one node.
--
--   BASE:job:ID      hash: v (1, the format), payload, key, unique, keep, at, due, deadline, version, attempts, losses, causes, progress;
--                    of one that is held: entry, token, worker
--   BASE:ready       stream: jobs that may begin, and those that are held; its group `workers` says which worker has which
--   BASE:due         sorted set: jobs that wait for a time
--   BASE:held        sorted set: jobs that have begun, by when their leases end. All in the stream that aren't here may begin
--   BASE:lanes       hash: of each key, the job whose turn it is; BASE:lane:KEY: list of those behind it
--   BASE:unique:KEY  the job that was enqueued under this idempotency key
--   BASE:size        how many jobs there are; BASE:token: the last fencing token
--   BASE:dead        stream: dead letters
--   BASE:idle        sorted set: workers that have room, by when they looked; BASE:keeper: that of them whose timer is right
--   BASE:wake:WORKER channel: a worker is to look
local base = KEYS[1]
local ready, due, held = base .. ':ready', base .. ':due', base .. ':held'
local idle, keeper = base .. ':idle', base .. ':keeper'
local group = 'workers'
local time = now()

local function job(id)
  return base .. ':job:' .. id
end

local function number(text)
  return tonumber(text or '') or 0
end

-- A worker that has gone: nothing shows it any more, once none of its jobs does.
local function forget(worker)
  local pending = redis.pcall('XPENDING', ready, group, '-', '+', 1, worker)
  if not pending.err and #pending == 0 then
    redis.pcall('XGROUP', 'DELCONSUMER', ready, group, worker)
  end
end

local function tell(worker)
  return redis.call('PUBLISH', base .. ':wake:' .. worker, '') > 0
end

-- One worker that has room looks. Who doesn't hear has gone, or will look when it is connected again.
local function wake()
  while true do
    local worker = redis.call('ZPOPMIN', idle)[1]
    if not worker or tell(worker) then
      return
    end
    forget(worker)
  end
end

-- The earliest time has changed: who keeps it looks.
local function wakeKeeper()
  local worker = redis.call('GET', keeper)
  if worker and tell(worker) then
    return
  end
  redis.call('DEL', keeper)
  wake()
end

-- Where a job waits whose turn it is.
local function place(id, at)
  if at <= time then
    redis.call('XADD', ready, '*', 'id', id)
    wake()
    return
  end
  redis.call('ZADD', due, at, id)
  if redis.call('ZRANGE', due, 0, 0)[1] == id then
    wakeKeeper()
  end
end

-- It's held no more.
local function letGo(id, entry)
  if entry then
    redis.call('XACK', ready, group, entry)
    redis.call('XDEL', ready, entry)
  end
  redis.call('ZREM', held, id)
end

local function isHeldBy(id, token)
  return redis.call('ZSCORE', held, id) and redis.call('HGET', job(id), 'token') == token
end

-- The next one of the key has its turn.
local function pass(key)
  while true do
    local id = redis.call('LPOP', base .. ':lane:' .. key)
    if not id then
      redis.call('HDEL', base .. ':lanes', key)
      return
    end
    local at = redis.call('HGET', job(id), 'due')
    if at then
      redis.call('HSET', base .. ':lanes', key, id)
      place(id, number(at))
      return
    end
  end
end

-- It's done, or dead.
local function finish(id, entry, isDead)
  letGo(id, entry)
  local name = job(id)
  local known = redis.pcall('HMGET', name, 'key', 'unique', 'keep')
  if redis.call('DEL', name) == 0 then
    return
  end
  redis.call('DECR', base .. ':size')
  if known.err then
    return
  end
  if known[2] and known[2] ~= '' then
    local keep = math.floor(number(known[3]))
    local unique = base .. ':unique:' .. known[2]
    if keep > 0 and not isDead then
      redis.call('PEXPIRE', unique, keep)
    else
      redis.call('DEL', unique)
    end
  end
  if known[1] and known[1] ~= '' then
    pass(known[1])
  end
end

-- It becomes a dead letter, of which there are so many at most. What is too large is left out.
local function bury(id, entry, limits, failure)
  local name = job(id)
  local known = redis.pcall('HMGET', name, 'key', 'version', 'attempts', 'losses', 'at', 'causes')
  if known.err then
    known = {}
  end
  local size = redis.pcall('HSTRLEN', name, 'payload')
  local payload = type(size) == 'number' and size <= limits.bytes and redis.call('HGET', name, 'payload')
  if limits.dead > 0 then
    redis.call('XADD', base .. ':dead', 'MAXLEN', limits.dead, '*', 'id', id, 'payload', payload or '',
      'whole', payload and 1 or 0, 'key', known[1] or '', 'version', known[2] or '', 'attempts', number(known[3]),
      'losses', number(known[4]), 'at', known[5] or '', 'code', failure.code, 'info', failure.info,
      'path', failure.path or '', 'causes', failure.causes or known[6] or '[]', 'died', time)
  end
  finish(id, entry, true)
end
