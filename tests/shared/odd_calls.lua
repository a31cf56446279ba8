-- Calls every function that a script can reach with many triples of odd values: nothing but errors may come of it.
-- insert and remove are left out: as on a server they may move 2^31 values.
local odd = {0, -1, 2, 2^31 - 1, 2^31, -2^31, 2^53, -2^63, 1/0, 0/0, '', 'a%', '>I33c0', {}, {1, {2}}, false, nil}
local skipped = {
  call = 1, pcall = 1, xpcall = 1, error = 1, register_function = 1, setfenv = 1, getfenv = 1,
  insert = 1, remove = 1,
}
local count = 0
local function try(f)
  for i = 1, 17 do for j = 1, 17 do for k = 1, 17, 4 do
    count = count + 1
    pcall(f, odd[i], odd[j], odd[k])
  end end end
end
for name, value in pairs(_G) do
  if type(value) == 'function' and not skipped[name] then try(value) end
  if type(value) == 'table' and name ~= '_G' then
    for inner, f in pairs(value) do if type(f) == 'function' and not skipped[inner] then try(f) end end
  end
end
return count > 50000 and 'tried'
