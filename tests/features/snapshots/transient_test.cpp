// Ids with the property Transient: snapshots leave them out, and entities keep them over a restore.
#include <kith/diff.hpp>
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

// A handle of a device, which cannot be copied.
struct Socket {
    Socket() = default;
    explicit Socket(int value) : number(std::make_unique<int>(value)) {}
    std::unique_ptr<int> number;
};
struct Cached {
    int number = 0;
};

int number_of(const kith::entity& e) {
    const Socket* socket = e.get<Socket>();
    return socket && socket->number ? *socket->number : -1;
}

struct harbour {
    harbour() {
        register_all(world);
        world.component<Socket>().add(kith::Transient);
        kept = world.entity("kept").set(Position{1, 1}).emplace<Socket>(1);
        lost = world.entity("lost").set(Position{2, 2}).emplace<Socket>(2);
        plain = world.entity("plain").set(Position{3, 3});
    }
    kith::world world;
    kith::entity kept;
    kith::entity lost;
    kith::entity plain;
};

}  // namespace

TEST_SUITE("features.snapshots.transient") {
    // spec 568
    // spec 317
    TEST_CASE_FIXTURE(harbour, "values that cannot be copied are left out if they are transient") {
        const kith::snapshot taken = world.snapshot().take();
        CHECK(number_of(kept) == 1);
        CHECK(number_of(lost) == 2);
        const kith::world other = taken.open();
        CHECK(other.count<Position>() == 3);
        CHECK(other.count<Socket>() == 0);
        other.check();
    }

    // spec 568
    TEST_CASE("values that cannot be copied are an error that names component and entity") {
        kith::world world;
        world.entity("quay").emplace<Socket>(7);
        const std::string message = message_of([&] { world.snapshot().take(); });
        CHECK(message.find("Socket") != std::string::npos);
        CHECK(message.find("quay") != std::string::npos);
        CHECK(message.find("Transient") != std::string::npos);
        CHECK(error_of([&] { world.snapshot().take(); }) == kith::errc::not_copyable);
        CHECK(error_of([&] { world.snapshot().take(world.query<const Socket>()); }) ==
              kith::errc::not_copyable);
        world.check();
        world.component<Socket>().add(kith::Transient);
        CHECK_NOTHROW(world.snapshot().take());
        CHECK(number_of(world.lookup("quay")) == 7);
    }

    // spec 568
    TEST_CASE_FIXTURE(harbour, "an entity that is alive in both keeps what it has now") {
        const kith::snapshot taken = world.snapshot().take();
        kept.set(Socket(10)).set(Position{9, 9});
        lost.destruct();
        plain.emplace<Socket>(30);
        kith::entity made = world.entity("made").emplace<Socket>(40);
        taken.restore();
        world.check();
        CHECK(kept.get<Position>()->x == 1);
        CHECK(number_of(kept) == 10);
        CHECK(lost.is_alive());
        CHECK(lost.get<Position>()->x == 2);
        CHECK_FALSE(lost.has<Socket>());
        CHECK(number_of(plain) == 30);
        CHECK_FALSE(made.is_alive());
        kept.remove<Socket>();
        taken.restore();
        CHECK_FALSE(kept.has<Socket>());
        world.check();
    }

    // spec 568
    TEST_CASE_FIXTURE(harbour, "a part leaves transient ids as they are") {
        const kith::snapshot part = world.snapshot().take(world.query<const Position>());
        kept.set(Socket(10)).set(Position{9, 9});
        lost.destruct();
        plain.emplace<Socket>(30).set(Position{9, 9});
        part.restore();
        world.check();
        CHECK(kept.get<Position>()->x == 1);
        CHECK(number_of(kept) == 10);
        CHECK(lost.is_alive());
        CHECK_FALSE(lost.has<Socket>());
        CHECK(plain.get<Position>()->x == 3);
        CHECK(number_of(plain) == 30);
    }

    // spec 568
    TEST_CASE_FIXTURE(harbour, "taking a snapshot changes nothing of the world") {
        const Socket* address = kept.get<Socket>();
        const kith::query<const Position> seen = world.query<const Position>();
        int events = 0;
        world.observer<Socket>().event(kith::OnAdd).event(kith::OnRemove).each([&](Socket&) {
            ++events;
        });
        CHECK(seen.changed());
        seen.each([](const Position&) {});
        CHECK_FALSE(seen.changed());
        const std::uint64_t hash = world.hash();
        const kith::snapshot taken = world.snapshot().take();
        CHECK(world.hash() == hash);
        CHECK(kept.get<Socket>() == address);
        CHECK_FALSE(seen.changed());
        taken.restore();
        CHECK(world.hash() == hash);
        CHECK(number_of(kept) == 1);
        CHECK(events == 0);
    }

    // spec 568
    // spec 317
    TEST_CASE("transient ids are left out wherever they are stored") {
        kith::world world;
        register_all(world);
        world.component<Cached>().add(kith::Sparse).add(kith::Transient);
        const kith::entity near = world.entity("near").add(kith::Transient);
        const kith::entity far =
            world.entity("far").add(kith::Transient).add(kith::Sparse).add(kith::Exclusive);
        const kith::entity port = world.entity("port");
        kith::entity bay = world.entity("bay");
        kith::entity a = world.entity("a").set(Position{1, 1}).set(Cached{1});
        kith::entity b = world.entity("b").set(Position{2, 2});
        a.add(near, port).add(far, port).add(near, bay);
        a.disable(near, bay).disable<Cached>();
        const kith::snapshot taken = world.snapshot().take();
        const kith::world other = taken.open();
        CHECK_FALSE(other.lookup("a").has(other.lookup("near"), kith::Wildcard));
        CHECK_FALSE(other.lookup("a").has(other.lookup("far"), kith::Wildcard));
        CHECK_FALSE(other.lookup("a").has<Cached>());
        other.check();

        a.set(Cached{5}).add(far, bay).set(Position{7, 7});
        b.set(Cached{6}).add(far, port).add(near, port);
        taken.restore();
        world.check();
        CHECK(a.get<Position>()->x == 1);
        CHECK(a.get<Cached>()->number == 5);
        CHECK_FALSE(a.enabled<Cached>());
        CHECK(a.has(near, port));
        CHECK(a.has(near, bay));
        CHECK_FALSE(a.enabled(near, bay));
        CHECK(a.target(far) == bay);
        CHECK(b.get<Cached>()->number == 6);
        CHECK(b.target(far) == port);
        CHECK(b.has(near, port));
        bay.destruct();
        taken.restore();
        world.check();
        CHECK(bay.is_alive());
        CHECK_FALSE(a.has(near, bay));
        CHECK_FALSE(a.has(far, bay));
        CHECK(a.has(near, port));
    }

    // spec 568
    TEST_CASE_FIXTURE(harbour, "a property that changed since counts as it was at the capture") {
        world.component<Cached>();
        kept.set(Cached{1});
        const kith::snapshot plain_state = world.snapshot().take();
        world.component<Cached>().add(kith::Transient);
        kept.set(Cached{2});
        const kith::snapshot transient_state = world.snapshot().take();
        plain_state.restore();
        CHECK(kept.get<Cached>()->number == 1);
        CHECK_FALSE(world.component<Cached>().has(kith::Transient));
        kept.set(Cached{3});
        transient_state.restore();
        CHECK(kept.get<Cached>()->number == 3);
        CHECK(world.component<Cached>().has(kith::Transient));
        world.check();
    }

    // spec 568
    TEST_CASE_FIXTURE(harbour, "rows with transient values keep their order") {
        for (int i = 0; i < 20; ++i) {
            kith::entity e = world.entity().set(Position{i, i});
            if (i % 3 != 0) {
                e.emplace<Socket>(i);
            }
        }
        auto list = [&] {
            std::vector<kith::entity_t> found;
            world.each([&](kith::entity e, const Position&) { found.push_back(e); });
            return found;
        };
        const std::vector<kith::entity_t> before = list();
        const kith::snapshot taken = world.snapshot().take();
        CHECK(list() == before);
        world.delete_with<Hot>();
        kept.set(Position{50, 50});
        taken.restore();
        CHECK(list() == before);
        const kith::snapshot again = world.snapshot().take();
        again.restore();
        CHECK(list() == before);
        world.check();
    }

    // spec 568
    // spec 568
    TEST_CASE("an override mark that a restore has kept goes with its target") {
        kith::world world;
        const kith::entity watches = world.entity().add(kith::Transient);
        const kith::entity target = world.entity();
        kith::entity base = world.prefab();
        const kith::snapshot taken = world.snapshot().take();
        base.override(watches, target);
        taken.restore();
        const kith::id_t mark = kith::Override | world.pair(watches, target);
        CHECK(base.owns(mark));
        world.check();
        target.destruct();
        world.check();
        CHECK_FALSE(base.has(kith::Wildcard, kith::Wildcard));
    }

    TEST_CASE_FIXTURE(harbour, "monitors see that entities kept their transient ids") {
        int entered = 0;
        int left = 0;
        kith::query<const Socket> sockets = world.query<const Socket>();
        const kith::monitor enters =
            sockets.on_enter([&](kith::iter& it) { entered += static_cast<int>(it.count()); });
        const kith::monitor leaves =
            sockets.on_leave([&](kith::iter& it) { left += static_cast<int>(it.count()); });
        const kith::snapshot taken = world.snapshot().take();
        CHECK(entered + left == 0);
        plain.set(Position{4, 4});
        taken.restore();
        CHECK(entered + left == 0);
        plain.destruct();
        lost.destruct();
        entered = left = 0;
        taken.restore();
        CHECK(entered + left == 0);
    }
}
