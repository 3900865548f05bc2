#!lua flags=allow-oom
-- uses: _time calls/_service
-- A server gives back calls that it has taken and not begun: as if it had not taken them.
-- KEYS: base. ARGV: those of `_service`, ids
-- Answers: 1
for i = 4, #ARGV do
  back(ARGV[i])
end
return 1
