// Libraries that are unloaded while the program goes on. See docs/manual/plugins.md.
//
// Covered by tests/features/components/unloaded_library_test.cpp.
#pragma once

namespace kith {

// Ends the use of all types whose functions lie between two addresses: those of a library that the
// program is about to unload. Types that another library or the program has used as well go on with
// the functions of that one. The others become opaque, without functions and descriptions, in all
// worlds of the process, until a library registers a type of the same name, size and alignment.
//
// Throws [in_use] if values of them exist: in a world, in a snapshot of a world that has used them,
// or in commands that wait; or if a hook of another component, or a component that was declared at
// run time, depends on the library. Nothing has changed then. Systems, observers and queries of the
// library have to be deleted before. Requires: no other thread uses kith meanwhile.
void forget_types(const void* from, const void* to);

}  // namespace kith
