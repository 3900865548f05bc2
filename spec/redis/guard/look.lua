#!lua flags=allow-oom
-- uses: guard/_keys guard/_entries guard/_state guard/_session guard/_lines
-- It's time: those who wait are let in.
-- KEYS: base. ARGV: those of `_keys`.
-- Answer: looks.
if isQuiet then
  return -1
end
purge()
letIn()
return keep(looks())
