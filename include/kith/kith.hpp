// kith: an entity-component system whose data model is a graph. This header includes the C++ API,
// except for the optional headers format.hpp, memory_resource.hpp, query_columns.hpp,
// query_literal.hpp and world_text.hpp.
#pragma once

#include <kith/app.hpp>
#include <kith/component.hpp>
#include <kith/entity.hpp>
#include <kith/entity_range.hpp>
#include <kith/error.hpp>
#include <kith/event.hpp>
#include <kith/id.hpp>
#include <kith/iter.hpp>
#include <kith/json_desc.hpp>
#include <kith/log.hpp>
#include <kith/observer.hpp>
#include <kith/pair.hpp>
#include <kith/phase.hpp>
#include <kith/pipeline.hpp>
#include <kith/query.hpp>
#include <kith/query_desc.hpp>
#include <kith/ref.hpp>
#include <kith/relation.hpp>
#include <kith/string.hpp>
#include <kith/system.hpp>
#include <kith/table.hpp>
#include <kith/timer.hpp>
#include <kith/traverse.hpp>
#include <kith/type_info.hpp>
#include <kith/world.hpp>
#include <kith/world_info.hpp>
