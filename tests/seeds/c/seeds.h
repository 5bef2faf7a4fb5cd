/* The C examples of the notes about relationships (R), queries (Q) and the older manual (O),
 * completed to programs with checks. The number behind the letter is the place in the notes. */
#ifndef KITH_TESTS_SEEDS_C_SEEDS_H
#define KITH_TESTS_SEEDS_C_SEEDS_H

#include <kith/ecs.h>

#include "../../capi/harness.h"

/* The number of rows that a run of a query has. */
static inline int32_t rows_of(ecs_world_t* world, kith_query_t* query) {
    kith_iter_t it;
    kith_query_iter(world, query, &it);
    return kith_iter_count(&it);
}
/* True if the results of a query are these entities, in any order. */
static inline int matches_all(ecs_world_t* world, kith_query_t* query, int32_t count,
                              const ecs_entity_t* wanted) {
    int all = query && rows_of(world, query) == count;
    for (int32_t i = 0; i < count; i++) {
        all = all && kith_query_matches(query, wanted[i]);
    }
    return all;
}
#define MATCHES(world, handle, count, ...) \
    CHECK((handle) && matches_all(world, (handle)->query, count, (ecs_entity_t[]){__VA_ARGS__}))
#define MATCHES_NOTHING(world, handle) CHECK((handle) && rows_of(world, (handle)->query) == 0)

#endif
