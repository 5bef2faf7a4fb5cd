// Pipelines: queries that find the systems of a frame, and the frames of a world.
//
//   kith::entity physics = world.pipeline().with(kith::System).with<Physics>().build();
//   world.set_pipeline(physics);
//   while (world.progress()) {}
//
// The compiled part is src/schedule.
//
// Covered by tests/features/systems/.
#pragma once

#include <kith/system.hpp>

namespace kith {

// The entity of a pipeline. The end of the entity ends the pipeline; its systems live on.
template <class... Ts>
class pipeline : public entity {
public:
    constexpr pipeline() noexcept = default;
    constexpr explicit pipeline(world_t* world, entity_t value) noexcept : entity(world, value) {}

    // See statistics.hpp.
    pipeline_stats stats() const;
};

// Describes a pipeline: a query for systems, which must ask for System. build() makes it. Disabled
// systems match as well: they keep their places and do not run.
template <class... Ts>
class pipeline_builder : public builder_base<pipeline_builder<Ts...>, kith::query<Ts...>, Ts...> {
    using base = builder_base<pipeline_builder<Ts...>, kith::query<Ts...>, Ts...>;

public:
    explicit pipeline_builder(world_t* world, entity_t entity = 0)
        : base(world, cache_policy::tables), entity_(entity) {}

    // More sync points than the access of systems needs.
    pipeline_builder& sync(kith::sync points) {
        points_ = points;
        return *this;
    }
    // An error if no term asks for System on $this. Called for an entity that is a pipeline
    // already, build() replaces that pipeline.
    kith::pipeline<Ts...> build() const {
        return kith::pipeline<Ts...>(
            this->world_,
            detail::make_pipeline(this->world_, entity_, this->description(), points_));
    }

private:
    entity_t entity_;
    kith::sync points_ = kith::sync::declared;
};

// A failure of systems: the first one, and how many there were. Without one: false. `frame` counts
// frames from 1; `message` is the text of the exception.
struct failure {
    kith::entity system;
    std::int64_t frame = 0;
    string message;
    std::int32_t count = 0;

    explicit operator bool() const noexcept { return count != 0; }
};

inline pipeline_builder<> world::pipeline() const {
    return pipeline_builder<>(world_);
}
template <class P>
pipeline_builder<> world::pipeline() const {
    return pipeline_builder<>(world_, type_entity<P>());
}
inline pipeline<> world::pipeline(text_view terms) const {
    return pipeline_builder<>(world_).expr(terms).build();
}
inline pipeline<> world::pipeline(kith::entity e) const {
    detail::check_pipeline(world_, e, "pipeline");
    return kith::pipeline<>(world_, e);
}
inline void world::set_pipeline(entity_t pipeline) const {
    detail::set_pipeline(world_, pipeline);
}
template <class P>
void world::set_pipeline() const {
    set_pipeline(type_entity<P>());
}
inline entity world::get_pipeline() const {
    return kith::entity(world_, detail::get_pipeline(world_));
}
inline bool world::progress(float delta_time) const {
    return detail::progress(world_, delta_time);
}
inline bool world::progress(nanoseconds delta_time) const {
    return detail::progress(world_, delta_time);
}
inline void world::run_pipeline(entity_t pipeline, float delta_time) const {
    detail::run_pipeline(world_, pipeline, delta_time);
}
template <class P>
void world::run_pipeline(float delta_time) const {
    run_pipeline(type_entity<P>(), delta_time);
}
inline failure world::last_failure() const {
    const detail::failure_info first = detail::last_failure(world_);
    return {kith::entity(world_, first.system), first.frame, string(first.message), first.count};
}
inline void world::watch_schedule(bool watched) const {
    detail::watch_schedule(world_, watched);
}

}  // namespace kith
