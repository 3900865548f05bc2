#!lua flags=allow-oom
-- uses: _time guard/_state guard/_entries guard/_lines
-- It's time: those who wait are let in.
-- KEYS: base. ARGV: those of `_state`.
-- Answer: looks.
purge()
letIn()
return looks()
