# What a user of C asks: ids are plain numbers there, and worlds are incomplete types.
print *it
kith entity ship
kith name it->event
kith name it->fields[1].id
kith tables Position
kith tree
kith entity ship world
kith find Earth it
