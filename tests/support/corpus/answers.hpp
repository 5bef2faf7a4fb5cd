// Answers to the questions of the corpus, in the ways in which a query can be evaluated.
#pragma once

#include <kith/kith.hpp>

#include "support/corpus/corpus.hpp"
#include "support/corpus/oracle.hpp"

namespace corpus {

// In the order of their numbers, without $this.
std::vector<std::string> variables_of(const kith::iterable<>& query);

line_list rows_of(const kith::world& world, const kith::iterable<>& query,
                  const std::vector<wildcard_field>& wildcards);

// Nothing is left out but what says nothing about results: access, the order of cascades, and terms
// without a source. `variables` as the query numbers them.
line_list rows_of(const kith::world& world, const oracle_query& query,
                  const std::vector<std::string>& variables);

// -- changing a world

// Takes from entities what the world's text gave them, so that loading it again brings it back.
// Names and places in the hierarchy stay: the text finds entities by them. So does what prefabs
// copied, of which the text knows nothing.
class forgetting {
public:
    explicit forgetting(const kith::world& world) : world_(world) {}

    // One of two shares of the entities.
    void run(std::size_t share);

private:
    bool is_copied(kith::entity_t one) const;
    bool is_kept(kith::id_t id) const;
    void forget(kith::entity_t one, const std::vector<kith::id_t>& ids);

    kith::world world_;
};

}  // namespace corpus
