-- What a guard over Redis is made of. KEYS[1] is the base of its keys:
--   :m        hash: `used` places, the newest `token`, the number `seq` of who came last, what `_entries` remembers, and who looks when (`_lines`)
--   :q        sorted set: who waits for a place, `session/ticket`, by when he came
--   :b        sorted set: of these who waits for several, by the same numbers
--   :e        sorted set: who has his place and waits for an entry
--   :t        list: when the last ones entered
--   :s        sorted set: sessions, by when their lease ends
--   :h:ID     hash of a session: ticket of each place that it has, its token; and tickets of entries that it may not have heard of
--   :w:ID     set of a session: tickets that wait
-- A session is `process.number`; a ticket is `number.places`: without a place it wants only an entry.
-- The channel {PREFIX:c:PROCESS} is told `number ticket token` of who waited and is let in, and `number ! ms`: its session has to look then.
-- All scripts have the same first arguments. ARGV: time (empty, but in tests: the server's), session, lease in ms, places (empty: any number), and
-- those of `_entries`.
local base, session, lease, max = KEYS[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local state, queue, several, entering = base .. ':m', base .. ':q', base .. ':b', base .. ':e'
local times, sessions = base .. ':t', base .. ':s'
local micros
if ARGV[1] == '' then
  local clock = redis.call('TIME')
  micros = clock[1] * 1000000 + clock[2]
else
  micros = tonumber(ARGV[1]) * 1000
end
local at = math.floor(micros / 1000)
local function heldBy(id)
  return base .. ':h:' .. id
end
local function waitingOf(id)
  return base .. ':w:' .. id
end
-- The two sessions whose leases end first, at once: mostly there are no more.
local firsts = redis.call('ZRANGE', sessions, 0, 1, 'WITHSCORES')
local isQuiet = firsts[1] == nil
-- For how long what is remembered has to last.
local lasts
local function last(ms)
  lasts = math.max(lasts or 0, ms)
end
local function whole(number)
  return string.format('%.0f', number)
end
-- If all processes are killed nothing stays for ever. Time that is given isn't the server's: nothing expires then.
local function expire(key, ms)
  if ARGV[1] == '' then
    redis.call('PEXPIRE', key, whole(math.max(1, ms)))
  end
end
