// The functions that kith.h inlines, for languages that can only call the library.
#define KITH_NO_INLINE
#include <kith/kith.h>
