/* Prints the sizes of the structs that the binding declares. */
#include <kith/kith.h>

#include <stdio.h>

#define SIZE(T) printf(#T " %zu\n", sizeof(T))

int main(void) {
    SIZE(kith_term_id_t);
    SIZE(kith_term_t);
    SIZE(kith_field_t);
    SIZE(kith_iter_t);
    SIZE(kith_type_hooks_t);
    SIZE(kith_component_desc_t);
    SIZE(kith_enum_desc_t);
    SIZE(kith_relation_desc_t);
    SIZE(kith_order_t);
    SIZE(kith_query_desc_t);
    SIZE(kith_observer_desc_t);
    SIZE(kith_event_desc_t);
    SIZE(kith_monitor_desc_t);
    SIZE(kith_bulk_desc_t);
    SIZE(kith_type_info_t);
    SIZE(kith_load_desc_t);
    SIZE(kith_text_error_t);
    SIZE(kith_world_stats_t);
    SIZE(kith_memory_t);
}
