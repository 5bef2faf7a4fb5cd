/* kith for Lua 5.4: a module in C over <kith/kith.h>, as an example of a binding.
 *
 *   local kith = require "kith_lua"
 *   local world = kith.world()
 *   local Position = world:component("Position", "x:d y:d")   -- d: number, i: 32-bit integer
 *   local ship = world:entity("Ship"):set(Position, {x = 100, y = 40})
 *   for e, p in world:each("Position") do print(e:name(), p.x, p.y) end
 *
 * Failures are Lua errors with kith's message. A loop that is left early ends its iteration
 * (__close). */
#include <kith/kith.h>

#include <lauxlib.h>
#include <lua.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MEMBERS 16

typedef struct member {
    char name[32];
    char kind; /* 'd' or 'i' */
    size_t offset;
} member;
typedef struct component {
    kith_entity_t id;
    int count;
    size_t size;
    member members[MOST_MEMBERS];
} component;
typedef struct world {
    kith_world_t* raw;
    int component_count;
    component components[64];
} world;
/* A world stays alive as long as an entity refers to it: user value 1. */
typedef struct entity {
    world* of;
    kith_entity_t id;
} entity;
typedef struct loop {
    world* of;
    kith_query_t* query;
    kith_iter_t it;
    int32_t row;
} loop;

static int fail(lua_State* L) {
    return luaL_error(L, "%s", kith_last_message());
}
static void done(lua_State* L, kith_status_t status) {
    if (status != KITH_OK) {
        fail(L);
    }
}

static world* check_world(lua_State* L, int at) {
    world* w = luaL_checkudata(L, at, "kith.world");
    if (!w->raw) {
        luaL_error(L, "the world has ended");
    }
    return w;
}
static entity* check_entity(lua_State* L, int at) {
    entity* e = luaL_checkudata(L, at, "kith.entity");
    if (!e->of->raw) {
        luaL_error(L, "the world has ended");
    }
    return e;
}
/* An entity, or a number such as kith.Wildcard. */
static kith_entity_t check_id(lua_State* L, int at) {
    return lua_isinteger(L, at) ? (kith_entity_t)lua_tointeger(L, at) : check_entity(L, at)->id;
}
/* Pushes an entity; `at` is the world, or something that refers to it by user value 1. */
static int push_entity(lua_State* L, int at, world* of, kith_entity_t id) {
    if (id == 0) {
        lua_pushnil(L);
        return 1;
    }
    if (luaL_testudata(L, at, "kith.world")) {
        lua_pushvalue(L, at);
    } else {
        lua_getiuservalue(L, at, 1);
    }
    entity* e = lua_newuserdatauv(L, sizeof *e, 1);
    e->of = of;
    e->id = id;
    lua_insert(L, -2);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, "kith.entity");
    return 1;
}

static const component* find_component(lua_State* L, const world* w, kith_entity_t id) {
    for (int i = 0; i < w->component_count; i++) {
        if (w->components[i].id == id) {
            return &w->components[i];
        }
    }
    luaL_error(L, "the entity is no component with members");
    return NULL;
}

/* -- values */

static void push_value(lua_State* L, const component* c, const char* bytes) {
    lua_createtable(L, 0, c->count);
    for (int i = 0; i < c->count; i++) {
        const member* m = &c->members[i];
        if (m->kind == 'd') {
            double number;
            memcpy(&number, bytes + m->offset, sizeof number);
            lua_pushnumber(L, number);
        } else {
            int32_t number;
            memcpy(&number, bytes + m->offset, sizeof number);
            lua_pushinteger(L, number);
        }
        lua_setfield(L, -2, m->name);
    }
}
static void read_value(lua_State* L, int at, const component* c, char* bytes) {
    luaL_checktype(L, at, LUA_TTABLE);
    memset(bytes, 0, c->size);
    for (int i = 0; i < c->count; i++) {
        const member* m = &c->members[i];
        lua_getfield(L, at, m->name);
        if (m->kind == 'd') {
            const double number = luaL_optnumber(L, -1, 0);
            memcpy(bytes + m->offset, &number, sizeof number);
        } else {
            const int32_t number = (int32_t)luaL_optinteger(L, -1, 0);
            memcpy(bytes + m->offset, &number, sizeof number);
        }
        lua_pop(L, 1);
    }
}

/* -- worlds */

static int world_new(lua_State* L) {
    world* w = lua_newuserdatauv(L, sizeof *w, 0);
    memset(w, 0, sizeof *w);
    luaL_setmetatable(L, "kith.world");
    w->raw = kith_init();
    return w->raw ? 1 : fail(L);
}
static int world_close(lua_State* L) {
    world* w = luaL_checkudata(L, 1, "kith.world");
    if (w->raw) {
        done(L, kith_fini(w->raw));
        w->raw = NULL;
    }
    return 0;
}
static int world_entity(lua_State* L) {
    world* w = check_world(L, 1);
    const kith_entity_t made = kith_new_entity(w->raw, luaL_optstring(L, 2, NULL));
    return made ? push_entity(L, 1, w, made) : fail(L);
}
static int world_component(lua_State* L) {
    world* w = check_world(L, 1);
    const char* name = luaL_checkstring(L, 2);
    const char* at = luaL_checkstring(L, 3);
    if (w->component_count == (int)(sizeof w->components / sizeof w->components[0])) {
        return luaL_error(L, "too many components");
    }
    component made;
    memset(&made, 0, sizeof made);
    while (*at) {
        const char* colon = strchr(at, ':');
        if (!colon || made.count == MOST_MEMBERS ||
            (size_t)(colon - at) >= sizeof made.members[0].name ||
            (colon[1] != 'd' && colon[1] != 'i')) {
            return luaL_error(L, "a description of members is like \"x:d count:i\"");
        }
        member* m = &made.members[made.count++];
        memcpy(m->name, at, (size_t)(colon - at));
        m->kind = colon[1];
        const size_t size = m->kind == 'd' ? sizeof(double) : sizeof(int32_t);
        made.size = (made.size + size - 1) / size * size;
        m->offset = made.size;
        made.size += size;
        at = colon + 2 + strspn(colon + 2, " ");
    }
    made.size = (made.size + 7) / 8 * 8;
    kith_component_desc_t desc;
    memset(&desc, 0, sizeof desc);
    desc.name = name;
    desc.size = made.size;
    desc.alignment = made.size ? 8 : 0;
    desc.local = true;
    made.id = kith_component_init(w->raw, &desc);
    if (!made.id) {
        return fail(L);
    }
    w->components[w->component_count++] = made;
    return push_entity(L, 1, w, made.id);
}

/* -- loops: for entity, value in world:each(text) */

static int loop_next(lua_State* L) {
    loop* l = lua_touserdata(L, lua_upvalueindex(1));
    while (l->row >= l->it.count) {
        l->row = 0;
        if (!kith_iter_next(&l->it)) {
            if (l->it.status != KITH_OK) {
                return fail(L);
            }
            return 0;
        }
    }
    const int32_t row = l->row++;
    push_entity(L, lua_upvalueindex(1), l->of, l->it.entities[row]);
    const char* value = l->it.field_count > 0 ? kith_row_field(&l->it, 1, row) : NULL;
    if (!value) {
        return 1;
    }
    const kith_entity_t type = kith_get_typeid(l->of->raw, kith_field_id(&l->it, 1));
    push_value(L, find_component(L, l->of, type), value);
    return 2;
}
static int loop_close(lua_State* L) {
    loop* l = luaL_checkudata(L, 1, "kith.loop");
    if (l->query) {
        kith_iter_fini(&l->it);
        kith_query_fini(l->query);
        l->query = NULL;
    }
    return 0;
}
static int world_each(lua_State* L) {
    world* w = check_world(L, 1);
    const char* text = luaL_checkstring(L, 2);
    loop* l = lua_newuserdatauv(L, sizeof *l, 1);
    memset(l, 0, sizeof *l);
    l->of = w;
    lua_pushvalue(L, 1);
    lua_setiuservalue(L, -2, 1);
    luaL_setmetatable(L, "kith.loop");
    l->query = kith_query_new(w->raw, text);
    if (!l->query) {
        return fail(L);
    }
    done(L, kith_query_iter(w->raw, l->query, &l->it));
    lua_pushvalue(L, -1);
    lua_pushcclosure(L, loop_next, 1);
    lua_pushnil(L);
    lua_pushnil(L);
    lua_pushvalue(L, -4); /* what the loop closes */
    return 4;
}

/* -- entities */

static kith_id_t pair_of(lua_State* L, const entity* e, int relation, int target) {
    const kith_entity_t first = check_id(L, relation);
    if (lua_isnoneornil(L, target)) {
        return first;
    }
    const kith_id_t pair = kith_make_pair(e->of->raw, first, check_id(L, target));
    if (!pair) {
        fail(L);
    }
    return pair;
}
static int entity_add(lua_State* L) {
    entity* e = check_entity(L, 1);
    done(L, kith_add_id(e->of->raw, e->id, pair_of(L, e, 2, 3)));
    lua_settop(L, 1);
    return 1;
}
static int entity_remove(lua_State* L) {
    entity* e = check_entity(L, 1);
    done(L, kith_remove_id(e->of->raw, e->id, pair_of(L, e, 2, 3)));
    lua_settop(L, 1);
    return 1;
}
static int entity_has(lua_State* L) {
    entity* e = check_entity(L, 1);
    const kith_entity_t first = check_id(L, 2);
    kith_clear_error();
    const bool has = lua_isnoneornil(L, 3)
                         ? kith_has_id(e->of->raw, e->id, first)
                         : kith_has_pair(e->of->raw, e->id, first, check_id(L, 3));
    done(L, kith_last_status());
    lua_pushboolean(L, has);
    return 1;
}
static int entity_set(lua_State* L) {
    entity* e = check_entity(L, 1);
    const component* c = find_component(L, e->of, check_id(L, 2));
    char bytes[MOST_MEMBERS * sizeof(double)];
    read_value(L, 3, c, bytes);
    done(L, kith_set_id(e->of->raw, e->id, pair_of(L, e, 2, 4), c->size, bytes));
    lua_settop(L, 1);
    return 1;
}
static int entity_get(lua_State* L) {
    entity* e = check_entity(L, 1);
    const component* c = find_component(L, e->of, check_id(L, 2));
    kith_clear_error();
    const char* value = kith_get_id(e->of->raw, e->id, pair_of(L, e, 2, 3));
    done(L, kith_last_status());
    if (value) {
        push_value(L, c, value);
    } else {
        lua_pushnil(L);
    }
    return 1;
}
static int entity_target(lua_State* L) {
    entity* e = check_entity(L, 1);
    kith_clear_error();
    const kith_entity_t target =
        kith_get_target(e->of->raw, e->id, check_id(L, 2), (int32_t)luaL_optinteger(L, 3, 0));
    done(L, kith_last_status());
    return push_entity(L, 1, e->of, target);
}
static int entity_name(lua_State* L) {
    entity* e = check_entity(L, 1);
    lua_pushstring(L, kith_get_name(e->of->raw, e->id));
    return 1;
}
static int entity_delete(lua_State* L) {
    entity* e = check_entity(L, 1);
    done(L, kith_delete(e->of->raw, e->id));
    return 0;
}
static int entity_equal(lua_State* L) {
    lua_pushboolean(L, check_entity(L, 1)->id == check_entity(L, 2)->id);
    return 1;
}

static void add_class(lua_State* L, const char* name, const luaL_Reg* functions) {
    luaL_newmetatable(L, name);
    luaL_setfuncs(L, functions, 0);
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "__index");
    lua_pop(L, 1);
}

int luaopen_kith_lua(lua_State* L);
int luaopen_kith_lua(lua_State* L) {
    static const luaL_Reg of_world[] = {{"entity", world_entity},
                                        {"component", world_component},
                                        {"each", world_each},
                                        {"close", world_close},
                                        {"__close", world_close},
                                        {"__gc", world_close},
                                        {NULL, NULL}};
    static const luaL_Reg of_entity[] = {{"add", entity_add},    {"remove", entity_remove},
                                         {"has", entity_has},    {"set", entity_set},
                                         {"get", entity_get},    {"target", entity_target},
                                         {"name", entity_name},  {"delete", entity_delete},
                                         {"__eq", entity_equal}, {NULL, NULL}};
    static const luaL_Reg of_loop[] = {{"__close", loop_close}, {"__gc", loop_close}, {NULL, NULL}};
    static const luaL_Reg module[] = {{"world", world_new}, {NULL, NULL}};
    add_class(L, "kith.world", of_world);
    add_class(L, "kith.entity", of_entity);
    add_class(L, "kith.loop", of_loop);
    luaL_newlib(L, module);
    lua_pushinteger(L, (lua_Integer)KithWildcard);
    lua_setfield(L, -2, "Wildcard");
    lua_pushinteger(L, (lua_Integer)KithPrefab);
    lua_setfield(L, -2, "Prefab");
    return 1;
}
