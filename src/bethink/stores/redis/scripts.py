"""What must happen all at once, in Lua: Redis runs a script alone, and writes it down whole.

All keys of a user have one hash tag, so that a cluster keeps them on one node. A script is told
the user's keys and where the keys of records begin, since which records it will touch is known
to nobody before it runs.

A user's keys, in the order in which scripts are told them:

1. ``meta``: ``space``, the vector space that this user's records are in; ``epoch``, the switch
   that put them there; ``number``, which no two users and no user twice ever has; ``change``, the
   newest one's number; ``floor``, the change from which on deletions are on record; ``server``,
   which life of which server that was. Without ``change`` there is no user: only a mark that
   keeps late writers out, for an hour.
2. ``changes``: ids by their newest change.
3. ``dead``: the ids of deleted records by the change that deleted them.
4. ``expiring``: ids by the millisecond in which they expire.
5. ``earlier``: the ids of earlier states, in alphabetical order.
6. ``index``, ``said``, ``words``, ``vectors``: what `bethink.stores.redis.index` makes of them
   when it is first asked for candidates. In ``index``, ``:`` and an id leads to what is known of
   a record there, ``@for`` names the engine and the space, ``@at`` the newest change taken over,
   and ``@docs`` what the keys of the query engine's documents begin with.

A record is a hash: ``r`` is its row, ``m`` the rest of it, both in JSON, ``v`` its version, ``t``
its terms, ``x:`` and a space its vectors there, ``n`` and ``l`` its use count and last use, and
``e`` the microseconds that its expiry has beyond the millisecond.
"""

import hashlib
from typing import NamedTuple

_TOMBSTONES = 1000
"""Kept for each user; an index that is further behind reads everything."""
_MARK = 3_600_000
"""Milliseconds for which late writers are kept out: far longer than any of them may take."""

_SHED = 25
"""Records whose documents one script takes out of the query engine, which is slow at that."""

_HEAD = f"""
local meta, changes, dead, expiring, earlier = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local records = ARGV[1]

-- The number after which those of new changes begin. They follow the clock, so that a server that
-- lost its last moments in a crash gives none of them out again; and after a crash or a failover
-- nothing before is on record, since an index may know what was lost.
local function advance(change)
  local now = redis.call('TIME')
  local base = math.max(change, now[1] * 1000000 + now[2])
  local info = redis.pcall('INFO', 'replication')  -- which some servers keep from scripts
  local server = type(info) == 'string' and string.match(info, 'master_replid:(%x+)') or ''
  if redis.call('HGET', meta, 'server') ~= server then
    redis.call('HSET', meta, 'server', server, 'floor', base)
    redis.call('UNLINK', dead)
  end
  return base
end

local function drop_documents(docs, name, known)
  for part = 1, struct.unpack('<H', known) do
    redis.call('UNLINK', docs .. part .. name)
  end
end

local function drop_index()
  local docs = redis.call('HGET', KEYS[6], '@docs')
  if docs then
    local known = redis.call('HGETALL', KEYS[6])
    for at = 1, #known, 2 do
      if string.sub(known[at], 1, 1) == ':' then
        drop_documents(docs, known[at], known[at + 1])
      end
    end
  end
  redis.call('UNLINK', KEYS[6], KEYS[7], KEYS[8], KEYS[9])
end

-- All that goes when these ids go: they and the earlier states of each.
local function family(ids)
  local all, seen = {{}}, {{}}
  local function add(id)
    if not seen[id] then
      seen[id] = true
      all[#all + 1] = id
    end
  end
  for _, id in ipairs(ids) do
    add(id)
    if not string.find(id, '@', 1, true) then
      local states = redis.call('ZRANGEBYLEX', earlier, '[' .. id .. '@', '(' .. id .. 'A')
      for _, state in ipairs(states) do add(state) end
    end
  end
  return all
end

local function bury(ids)
  local all = family(ids)
  -- First of all what takes no memory: a server that is full allows this, and then the rest.
  for _, id in ipairs(all) do redis.call('UNLINK', records .. id) end
  local change = advance(tonumber(redis.call('HGET', meta, 'change')))
  for _, id in ipairs(all) do
    change = change + 1
    redis.call('ZREM', changes, id)
    redis.call('ZREM', expiring, id)
    redis.call('ZREM', earlier, id)
    redis.call('ZADD', dead, change, id)
  end
  redis.call('HSET', meta, 'change', change)
  local extra = redis.call('ZCARD', dead) - {_TOMBSTONES}
  if extra > 0 then
    local oldest = redis.call('ZRANGE', dead, extra - 1, extra - 1, 'WITHSCORES')
    redis.call('HSET', meta, 'floor', oldest[2])
    redis.call('ZREMRANGEBYRANK', dead, 0, extra - 1)
  end
end
"""


class Script(NamedTuple):
    """A script and the name by which a server knows it."""

    source: str
    sha: str
    reads: bool
    """Whether it changes nothing, so that it may be tried again."""


UNDONE = (b"new", b"space", b"version")
"""How scripts begin their answer when they have changed nothing."""


def _script(source: str, *, reads: bool = False, head: str = _HEAD) -> Script:
    source = head + source
    return Script(source, hashlib.sha1(source.encode()).hexdigest(), reads)  # noqa: S324 (its name)


PUT = _script("""
local space, number, epoch = ARGV[2], ARGV[3], ARGV[4]
local expected, entries = tonumber(ARGV[5]), tonumber(ARGV[6])
local there = redis.call('HMGET', meta, 'space', 'number', 'change')
local change = tonumber(there[3])
if there[1] and there[1] ~= space then return {'space'} end
if not change then
  if number == '' then return {'new'} end
  if entries > 0 and there[2] and tonumber(number) <= tonumber(there[2]) then return {'new'} end
end
local at = 7
for _ = 1, expected do
  local version = redis.call('HGET', records .. ARGV[at], 'v') or '0'
  if version ~= ARGV[at + 1] then return {'version', ARGV[at], version} end
  at = at + 2
end
if entries == 0 then return {'done'} end
if not change then
  change = 0
  redis.call('HSET', meta, 'space', space, 'epoch', epoch, 'number', number, 'floor', 0)
  redis.call('PERSIST', meta)
end
-- First of all the count: a server that is full refuses this, and then nothing is written.
redis.call('HSET', meta, 'change', change)
change = advance(change)
redis.call('HSET', meta, 'change', change + entries)
for _ = 1, entries do
  local id, version, row, rest, terms, keep, vectors, ms, us, drop =
    unpack(ARGV, at, at + 9)
  at = at + 10
  local key = records .. id
  if keep == '0' then
    local uses = redis.call('HMGET', key, 'n', 'l')
    redis.call('UNLINK', key)
    if vectors ~= '' then redis.call('HSET', key, 'x:' .. space, vectors) end
    if uses[1] then redis.call('HSET', key, 'n', uses[1], 'l', uses[2]) end
  end
  redis.call('HSET', key, 'r', row, 'm', rest, 'v', version, 't', terms, 'e', us)
  if ms == '' then
    redis.call('PERSIST', key)
    redis.call('ZREM', expiring, id)
  else
    redis.call('PEXPIREAT', key, drop)
    redis.call('ZADD', expiring, ms, id)
  end
  change = change + 1
  redis.call('ZADD', changes, change, id)
  redis.call('ZREM', dead, id)
  if string.find(id, '@', 1, true) then redis.call('ZADD', earlier, 0, id) end
end
return {'done'}
""")

ATTACH = _script("""
local space, sure = ARGV[2], ARGV[3]
local there = redis.call('HMGET', meta, 'space', 'change')
local change = tonumber(there[2])
if not change then return {'done', 0} end
local in_use = there[1] == space
if not in_use and sure == '0' then return {'space'} end
local count = 0
for at = 4, #ARGV, 3 do
  local id, version, vectors = ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local key = records .. id
  if redis.call('HGET', key, 'v') == version then
    if in_use and count == 0 then change = advance(change) end
    count = count + 1
    if vectors == '' then
      redis.call('HDEL', key, 'x:' .. space)
    else
      redis.call('HSET', key, 'x:' .. space, vectors)
    end
    if in_use then
      change = change + 1
      redis.call('ZADD', changes, change, id)
    end
  end
end
if in_use and count > 0 then redis.call('HSET', meta, 'change', change) end
return {'done', count}
""")

GET = _script(
    """
local found = {}
for at = 2, #ARGV do
  found[at - 1] = redis.call('HMGET', records .. ARGV[at], 'r', 'm', 'v', 'n', 'l')
end
return found
""",
    reads=True,
)

PAGE = _script(
    """
local space, number, cursor, base, limit =
  ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local there = redis.call('HMGET', meta, 'number', 'change', 'floor')
local change = tonumber(there[2])
if not change then return {'0', 0} end
if number == '' then
  cursor, base = -1, change
elseif number ~= there[1] or base < tonumber(there[3]) or base > change then
  return {there[1], change, 0}
end
local ids = redis.call(
  'ZRANGEBYSCORE', changes, '(' .. string.format('%.0f', cursor), '+inf',
  'WITHSCORES', 'LIMIT', 0, limit)
local rows = {}
for at = 1, #ids, 2 do
  local row = redis.call('HMGET', records .. ids[at], 'r', 't', 'x:' .. space)
  if row[1] then rows[#rows + 1] = {ids[at], row[1], row[2], row[3] or ''} end
end
local gone = false
if #ids < 2 * limit then
  gone = redis.call('ZRANGEBYSCORE', dead, '(' .. string.format('%.0f', base), '+inf')
end
return {there[1], change, 1, base, ids[#ids] or '0', rows, gone}
""",
    reads=True,
)

ROWS = _script(
    """
local packed = {}
for at = 3, #ARGV do
  local row = redis.call('HMGET', records .. ARGV[at], 'r', 't', 'x:' .. ARGV[2])
  if row[1] then
    local vectors = row[3] or ''
    packed[#packed + 1] = struct.pack('<I4I4I4I4', #ARGV[at], #row[1], #row[2], #vectors)
    packed[#packed + 1] = ARGV[at] .. row[1] .. row[2] .. vectors
  end
end
return table.concat(packed)
""",
    reads=True,
)

DELETE = _script("""
local named = {}
for at = 2, #ARGV do
  if redis.call('EXISTS', records .. ARGV[at]) == 1 then named[#named + 1] = ARGV[at] end
end
if #named > 0 then bury(named) end
return #named
""")

SWEEP = _script("""
local ms, us = ARGV[2], tonumber(ARGV[3])
local due = redis.call('ZRANGEBYSCORE', expiring, '-inf', ms, 'WITHSCORES')
local expired, count = {}, 0
for at = 1, #due, 2 do
  local beyond = redis.call('HGET', records .. due[at], 'e')
  -- What the server has dropped by itself has no hash any more, and is not counted.
  if not beyond or tonumber(due[at + 1]) < tonumber(ms) or tonumber(beyond) <= us then
    expired[#expired + 1] = due[at]
    if beyond then count = count + 1 end
  end
end
if #expired > 0 then bury(expired) end
return count
""")

CLEAR = _script(f"""
local there = redis.call('HMGET', meta, 'space', 'epoch', 'number')
local number = math.max(tonumber(ARGV[2]), tonumber(there[3] or '0'))
local count = 0
for _, id in ipairs(redis.call('ZRANGE', changes, 0, -1)) do
  count = count + redis.call('UNLINK', records .. id)
end
redis.call('UNLINK', meta, changes, dead, expiring, earlier)
drop_index()
if number > 0 then
  redis.call('HSET', meta, 'number', number)
  if there[1] then redis.call('HSET', meta, 'space', there[1], 'epoch', there[2]) end
  redis.call('PEXPIRE', meta, {_MARK})
end
return {{count, string.format('%.0f', number)}}
""")

MOVE = _script(f"""
local space, epoch = ARGV[2], tonumber(ARGV[3])
local there = redis.call('HMGET', meta, 'epoch', 'change')
if there[1] and tonumber(there[1]) > epoch then return 0 end
redis.call('HSET', meta, 'space', space, 'epoch', ARGV[3])
local change = tonumber(there[2])
if not change then
  redis.call('PEXPIRE', meta, {_MARK})
  return 0
end
for _, id in ipairs(redis.call('ZRANGE', changes, 0, -1)) do
  for _, field in ipairs(redis.call('HKEYS', records .. id)) do
    if string.sub(field, 1, 2) == 'x:' and field ~= 'x:' .. space then
      redis.call('HDEL', records .. id, field)
    end
  end
end
-- Every index must read everything again: nothing before this change is on record.
change = advance(change) + 1
redis.call('HSET', meta, 'change', change, 'floor', change)
redis.call('UNLINK', dead)
drop_index()
return 1
""")

TOUCH = _script("""
for at = 2, #ARGV, 3 do
  local key = records .. ARGV[at]
  if redis.call('EXISTS', key) == 1 then
    redis.call('HINCRBY', key, 'n', ARGV[at + 1])
    local last = redis.call('HGET', key, 'l')
    if not last or tonumber(ARGV[at + 2]) > tonumber(last) then
      redis.call('HSET', key, 'l', ARGV[at + 2])
    end
  end
end
""")

CHECK = _script(
    """
local there = redis.call('HMGET', meta, 'change', 'floor')
local change, floor = tonumber(there[1]), tonumber(there[2])
local newer, old, alive, unknown = 0, 0, 0, 0
local ids = redis.call('ZRANGE', changes, 0, -1, 'WITHSCORES')
for at = 1, #ids, 2 do
  if tonumber(ids[at + 1]) > (change or 0) then newer = newer + 1 end
  if redis.call('ZSCORE', dead, ids[at]) then alive = alive + 1 end
end
for _, id in ipairs(redis.call('ZRANGE', expiring, 0, -1)) do
  if not redis.call('ZSCORE', changes, id) then unknown = unknown + 1 end
end
if floor and floor > change then old = 1 end
return {newer, alive, unknown, old}
""",
    reads=True,
)

# --- the index that candidates come from

BEHIND = _script(
    """
local space, mark, limit = ARGV[2], ARGV[3], tonumber(ARGV[4])
local there = redis.call('HMGET', meta, 'number', 'change', 'floor')
local change = tonumber(there[2])
if not change then return {'none'} end
mark = mark .. ' ' .. there[1]
local known = redis.call('HMGET', KEYS[6], '@for', '@at')
local at = tonumber(known[2] or '-1')
if known[1] ~= mark or at < tonumber(there[3]) then
  if redis.call('EXISTS', KEYS[6]) == 1 then return {'stale'} end
  at = -1
end
local after = '(' .. string.format('%.0f', at)
local ids = redis.call(
  'ZRANGEBYSCORE', changes, after, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
local rows, upto = {}, change
if #ids == 2 * limit then upto = tonumber(ids[#ids]) end
for i = 1, #ids, 2 do
  local row = redis.call('HMGET', records .. ids[i], 'r', 't', 'x:' .. space)
  rows[#rows + 1] = {
    ids[i], row[1], row[2] or '', row[3] or '', redis.call('HGET', KEYS[6], ':' .. ids[i])}
end
local upper = string.format('%.0f', upto)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', dead, after, upper)) do
  rows[#rows + 1] = {id, false, '', '', redis.call('HGET', KEYS[6], ':' .. id)}
end
return {'rows', mark, known[2] or '', upper, rows, upto == change and 1 or 0}
""",
    reads=True,
)

FOLLOW = _script("""
local mark, before, upto = ARGV[2], ARGV[3], ARGV[4]
local known = redis.call('HMGET', KEYS[6], '@for', '@at')
if (known[2] or '') ~= before or (known[2] and known[1] ~= mark) then return 0 end
if mark ~= ARGV[5] .. ' ' .. (redis.call('HGET', meta, 'number') or '') then return 0 end
if not redis.call('HGET', meta, 'change') then return 0 end
local at = 6
while at <= #ARGV do
  local size = tonumber(ARGV[at])
  redis.call(unpack(ARGV, at + 1, at + size))
  at = at + size + 1
end
redis.call('HSET', KEYS[6], '@for', mark, '@at', upto)
return 1
""")

SHED = _script(f"""
local docs = redis.call('HGET', KEYS[6], '@docs')
if not docs then return 0 end
redis.call('HDEL', KEYS[6], '@for')
local known = redis.call('HRANDFIELD', KEYS[6], {_SHED}, 'WITHVALUES')
local count = 0
for at = 1, #known, 2 do
  if string.sub(known[at], 1, 1) == ':' then
    count = count + 1
    drop_documents(docs, known[at], known[at + 1])
    redis.call('HDEL', KEYS[6], known[at])
  end
end
return count
""")

FORGET = _script("""
drop_index()
""")

# --- what is kept of the whole store, under a tag of its own

ENTER = _script(
    """
local there = redis.call('HMGET', KEYS[1], 'space', 'epoch')
if there[1] ~= ARGV[2] then return {0, there[1]} end
local number = redis.call('HINCRBY', KEYS[1], 'number', 1)
redis.call('HSET', KEYS[2], ARGV[1], number)
return {1, tostring(number), there[2]}
""",
    head="",
)

LEAVE = _script(
    """
if redis.call('HGET', KEYS[2], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[2], ARGV[1]) end
""",
    head="",
)

SWITCH = _script(
    """
local used = redis.call('HGET', KEYS[1], 'space')
local fits = used == ARGV[2] or (ARGV[1] ~= '' and used == ARGV[1]) or (ARGV[1] == '' and not used)
if not fits then return {0, used} end
redis.call('HSET', KEYS[1], 'space', ARGV[2])
return {1, tostring(redis.call('HINCRBY', KEYS[1], 'epoch', 1))}
""",
    head="",
)
