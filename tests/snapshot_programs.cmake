# Programs about snapshots: the allocations of a rollback ring.
# spec 574

kith_add_program(kith_rollback_allocation rollback_allocation/rollback_allocation.cpp)
kith_add_test(snapshots.rollback_allocation COMMAND kith_rollback_allocation)
