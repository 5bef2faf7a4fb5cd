// expect: the query has no variable of this name
#include <kith/query_literal.hpp>

void wrong(kith::world& world) {
    auto query = world.query<"(Likes, $x)">();
    query.iter().set_var(query.var<"y">(), 1);
}
