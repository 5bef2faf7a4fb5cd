# Damaged memory: handles with random bytes, then single wrong bytes in the structs of a world. Each
# must print something, and nothing may raise.
python
import random
rng = random.Random(440)
inferior = gdb.selected_inferior()
all = gdb.parse_and_eval("all")
place = int(all["random"].address)
whole = bytes(inferior.read_memory(int(all["ship"].address), 16))

def ask(expression):
    return gdb.parse_and_eval(expression).format_string(max_elements=40)

for turn in range(100):
    handle = bytearray(whole)
    for _ in range(rng.choice([1, 2, 16])):
        handle[rng.randrange(16)] = rng.randrange(256)
    if turn % 10 == 0:
        handle = bytes(rng.randrange(256) for _ in range(16))
    inferior.write_memory(place, bytes(handle))
    assert ask("all.random")
    gdb.execute("set $id = all.random.id_")
    gdb.execute("kith name $id", to_string=True)
inferior.write_memory(place, whole)
intact = ask("all.random")

def damage(address, size):
    for _ in range(12):
        at = address + rng.randrange(size)
        before = bytes(inferior.read_memory(at, 1))
        inferior.write_memory(at, bytes([rng.randrange(256)]))
        assert ask("all.ship") and ask("all.table") and ask("*all.world") and ask("all.cached")
        inferior.write_memory(at, before)

store = gdb.parse_and_eval("all.ship.world_->store")
damage(int(store), store.type.target().sizeof)
damage(int(gdb.parse_and_eval("all.table.shape_")), 40)
damage(int(store["rows"]), 512)
damage(int(store["parents"][16]), 4096)
assert ask("all.random") == intact
end
echo damaged memory was survived\n
