# What a user asks at the stop in the scene, from a running program or from its core.
print all.ship
print all.earth
print all.moon
print all.deep
print all.wide
print all.instance
print all.base
print all.mooded
print all.renamed
print all.dead
print all.null
print all.without_world
print all.view
print all.observer
print all.component
print all.untyped
print all.pair
print all.wildcard
print all.mark
print all.dead_pair
print *all.world
print *all.no_world
print all.table
print all.no_table
print all.range
print all.cached
print all.uncached
print all.no_query
print all.orphan
print all.ref
print all.sparse_ref
print all.text
print all.text_view
print *all.error
kith entity all.ship
kith entity 4097
kith entity 4096 all.world
kith entity all.dead
kith name all.pair
kith name 4098
kith tables Cargo
kith tree all.earth
kith tree 4099
kith find Moon
kith find Earth.Moon
kith find nobody
