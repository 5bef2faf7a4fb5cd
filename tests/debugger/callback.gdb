# The stops after the scene: in an observer, and in a hook of a world that is being changed.
python gdb.execute("continue", to_string=True)
print it
kith find Ship
python gdb.execute("continue", to_string=True)
print world
print entity
print value
kith find "Made by a hook"
kith entity entity
