-- The program of README.md in Lua.
local kith = require "kith_lua"
local world <close> = kith.world()
local Position = world:component("Position", "x:d y:d")
local Velocity = world:component("Velocity", "x:d y:d")
local Trades = world:component("Trades", "tons:i")
local Damaged, DockedTo = world:entity("Damaged"), world:entity("DockedTo")

local earth = world:entity("Earth"):set(Position, {x = 0, y = 0})
local ship = world:entity("Ship"):set(Position, {x = 100, y = 40}):add(Damaged)
ship:set(Velocity, {x = -10, y = 5})
ship:add(DockedTo, earth):set(Trades, {tons = 12}, earth)

for e, p in world:each("Position, Velocity") do
    local v = e:get(Velocity)
    e:set(Position, {x = p.x + v.x, y = p.y + v.y})
end
for e, p in world:each("Position") do
    print(string.format("%s is at %g,%g", e:name(), p.x, p.y))
end
print(string.format("Ship is docked to %s and trades %d tons with it", ship:target(DockedTo):name(),
                    ship:get(Trades, earth).tons))
earth:delete()
print("Ship has a dock: " .. (ship:has(DockedTo, kith.Wildcard) and "yes" or "no"))

-- Failures are errors, and a loop that is left early ends.
local ok, message = pcall(earth.add, earth, Damaged)
assert(not ok and message:find("not alive"), message)
for e in world:each("Position") do
    assert(not pcall(e.add, e, DockedTo)) -- the table is locked
    break
end
ship:add(DockedTo)
assert(not pcall(world.each, world, "(("))
assert(not pcall(world.component, world, "Odd", "x"))
ok, message = pcall(function() for e in world:each("Position") do error("left") end end)
assert(not ok and message:find("left"))
ship:remove(DockedTo)
