// Scans, declared in scan.hpp: the choice of a scan, and the enumeration of its candidates.
#include "query/exec/scan.hpp"

#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

using storage::id_record;

namespace {

std::uint64_t count_tables(const id_record& relation) noexcept {
    // An estimate: most pairs are in few tables.
    return relation.active_pairs + (relation.active_pairs == 0 ? 0 : relation.pairs[0]->active);
}

bool is_inherited(const storage::store& data, const term& term) noexcept {
    if (data.bases->pairs.empty() || !term.inherits()) {
        return false;
    }
    return is_open(term.id) ||
           !(traits::describe_id(data, term.id).traits & traits::trait_dont_inherit);
}

// Tables with several pairs of a relationship are listed several times, and lists have no order. So
// with so many pairs, and so few tables for each, a scan visits each table of the world once: most
// are rejected by their signatures. Builds with KITH_ASSERTS do so early, so that small tests cover
// it.
#if defined(KITH_ASSERTS) && KITH_ASSERTS
constexpr std::uint32_t many_pairs = 4;
constexpr std::uint32_t tables_per_pair = 64;
#else
constexpr std::uint32_t many_pairs = 256;
constexpr std::uint32_t tables_per_pair = 16;
#endif

// True if the pair at the position is the first of its relationship: pairs of one relationship are
// neighbours in a type.
bool is_first_pair(const storage::table& type, std::uint32_t position) noexcept {
    return position == 0 || type.ids[position - 1] >> 32 != type.ids[position] >> 32;
}

}  // namespace

bool starts_with_owners(const term& term) noexcept {
    return term.flags & Self && !(term.flags & Down) && (!term.follows_up() || term.trav == IsA);
}

scan_choice choose_scan(const storage::store& data, const term& term) noexcept {
    scan_choice choice{scan_kind::everything, &term, nullptr, data.tables.number_limit()};
    if (!starts_with_owners(term)) {
        choice.by = nullptr;
        return choice;
    }
    std::uint64_t inheritors = 0;
    if (is_inherited(data, term)) {
        inheritors = count_tables(*data.bases);
    }
    if (!is_open(term.id)) {
        bool any_target = is_pair(term.id) && is_wildcard_element(pair_second(term.id));
        if (is_pair(term.id)) {
            if (const storage::link_store* links = storage::find_links(data, pair_first(term.id))) {
                choice.kind = any_target ? scan_kind::linked : scan_kind::sources;
                choice.record = data.ids.find(make_pair(pair_first(term.id), Wildcard));
                choice.candidates =
                    inheritors + (any_target ? links->source_count()
                                             : links->sources(pair_second(term.id)).size);
                return choice;
            }
        }
        choice.record =
            data.ids.find(any_target ? make_pair(pair_first(term.id), Wildcard) : term.id);
        choice.kind = any_target ? scan_kind::pairs : scan_kind::tables;
        choice.candidates = inheritors;
        if (!choice.record) {
            return choice;
        }
        if (choice.record->sparse) {
            choice.kind = scan_kind::sparse_values;
            choice.candidates += choice.record->sparse->count();
        } else {
            choice.candidates += any_target ? count_tables(*choice.record) : choice.record->active;
        }
        return choice;
    }
    choice.by = nullptr;
    if (is_pair(term.id) && !is_wildcard_element(pair_second(term.id))) {
        for (const id_record* relation : data.link_ids) {
            if (relation->links->is_target(pair_second(term.id))) {
                return choice;
            }
        }
        choice.by = &term;
        choice.kind = scan_kind::relationships;
        choice.record = data.ids.first_with_target(pair_second(term.id));
        choice.candidates = inheritors;
        for (const id_record* pair = choice.record; pair && choice.candidates < 64;
             pair = data.ids.next_with_target(*pair)) {
            choice.candidates += pair->active;
        }
    }
    return choice;
}

std::uint64_t count_candidates(const storage::store& data, const scan_choice& choice) noexcept {
    if (choice.kind >= scan_kind::sparse_values) {
        return choice.candidates;
    }
    auto tables_of = [](const id_record& record) {
        std::uint64_t count = record.tables.size();
        for (const id_record* pair : record.pairs) {
            count += pair->tables.size();
        }
        return count;
    };
    std::uint64_t count = is_inherited(data, *choice.by) ? tables_of(*data.bases) : 0;
    if (choice.kind == scan_kind::relationships) {
        for (const id_record* pair = choice.record; pair; pair = data.ids.next_with_target(*pair)) {
            count += tables_of(*pair);
        }
    } else if (choice.record) {
        count += tables_of(*choice.record);
    }
    return count;
}

scan_choice choose_scan(const storage::store& data, const query_model& model,
                        std::uint64_t usable) {
    scan_choice best;
    best.candidates = std::uint64_t{data.tables.number_limit()} + 1;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        if (!((usable >> i) & 1) || !term.is_required() || term.from != source_kind::self) {
            continue;
        }
        scan_choice choice = choose_scan(data, term);
        if (choice.by && choice.candidates < best.candidates) {
            best = choice;
        }
    }
    return best;
}

scan::scan(const storage::store& data, const scan_choice& choice, std::uint32_t hidden) noexcept
    : choice_(choice),
      hidden_(hidden),
      at_(choice.kind == scan_kind::everything),
      chain_(choice.record) {
    if (choice.kind == scan_kind::linked) {
        at_ = 1;
    }
    if (choice.kind == scan_kind::everything) {
        limit_ = data.tables.number_limit();
    } else if (choice.kind == scan_kind::pairs && choice.record) {
        pair_limit_ = choice.record->active_pairs;
        by_number_ = pair_limit_ >= many_pairs &&
                     data.tables.number_limit() / tables_per_pair <= pair_limit_;
        if (by_number_) {
            limit_ = data.tables.number_limit();
        }
    }
}

bool scan::accept_table(const storage::store& data, std::uint32_t number, row_range& range) const {
    const detail::table_rows& rows = data.tables.rows(number);
    if (rows.count == 0 || data.tables.at(number).flags & hidden_) {
        return false;
    }
    range = {number, 0, rows.count};
    return true;
}

bool scan::next_table(const storage::store& data, const id_record& record, row_range& rows) {
    if (at_ == 0) {
        limit_ = record.active;
    }
    const std::uint32_t count = std::min(limit_, record.active);
    while (at_ < count) {
        if (at_ + tables_ahead < count) {
            prefetch_table(data, record.tables[at_ + tables_ahead].table);
        }
        KITH_COUNT(visits);
        const storage::table_entry entry = record.tables[at_++];
        if (data.tables.rows(entry.table).count == 0) {
            continue;
        }
        const storage::table& type = data.tables.at(entry.table);
        const bool first =
            choice_.kind == scan_kind::tables ||
            (choice_.kind == scan_kind::pairs ? is_first_pair(type, entry.position)
                                              : storage::find_match(type, choice_.by->id, 0) ==
                                                    static_cast<std::int32_t>(entry.position));
        if (first && accept_table(data, entry.table, rows)) {
            first_pair_ = static_cast<std::int32_t>(entry.position);
            return true;
        }
    }
    return false;
}

bool scan::next_by_number(const storage::store& data, row_range& rows) {
    const id_t any_target = choice_.record->id;
    const std::uint64_t signature = storage::signature_of(any_target);
    // Most tables that entities passed through have no rows: they are passed quickly.
    const std::uint32_t limit = limit_;
    for (std::uint32_t number = at_; number < limit; ++number) {
        if (number + tables_ahead < limit) {
            prefetch_table(data, number + tables_ahead);
        }
        KITH_COUNT(visits);
        if (data.tables.rows(number).count == 0 ||
            (data.tables.signature(number) & signature) == 0) {
            continue;
        }
        first_pair_ = find_first_pair(data.tables.at(number), any_target);
        if (first_pair_ >= 0 && accept_table(data, number, rows)) {
            at_ = number + 1;
            return true;
        }
    }
    at_ = limit;
    return false;
}

// Tables with several of the pairs are taken at the first.
bool scan::next_pair(const storage::store& data, row_range& rows) {
    if (choice_.kind == scan_kind::relationships) {
        for (; chain_; chain_ = data.ids.next_with_target(*chain_), at_ = 0) {
            if (!is_wildcard(chain_->id) && next_table(data, *chain_, rows)) {
                return true;
            }
        }
        return false;
    }
    if (by_number_) {
        return next_by_number(data, rows);
    }
    for (; pair_ < std::min(pair_limit_, choice_.record->active_pairs); ++pair_, at_ = 0) {
        KITH_COUNT(visits);
        if (next_table(data, *choice_.record->pairs[pair_], rows)) {
            return true;
        }
    }
    return false;
}

bool scan::next_entity(const storage::store& data, row_range& rows) {
    for (;;) {
        entity_t entity = 0;
        if (choice_.kind == scan_kind::sparse_values) {
            const storage::sparse_store* values = choice_.record->sparse;
            if (!values || at_ >= std::min(list_end_, values->count())) {
                return false;
            }
            entity = values->entities()[at_++];
        } else if (const storage::link_store* links = choice_.record->links; !links) {
            return false;
        } else if (choice_.kind == scan_kind::sources) {
            const storage::source_span sources = links->sources(pair_second(choice_.by->id));
            const std::uint32_t end = std::min(list_end_, sources.size);
            while (at_ < end && sources.items[at_] == 0) {
                ++at_;
            }
            if (at_ >= end) {
                return false;
            }
            entity = sources.items[at_++];
        } else {
            at_ = links->next_source(at_);
            if (at_ == 0) {
                at_ = 0xFFFFFFFF;
                return false;
            }
            entity = data.entities.alive_at(at_++);
        }
        const storage::entity_record& record = data.entities.at(index_of(entity));
        if (!(data.tables.at(record.table).flags & hidden_)) {
            rows = {record.table, record.row, 1};
            return true;
        }
    }
}

bool scan::next_owned_id(const storage::store& data, row_range& rows) {
    switch (choice_.kind) {
        case scan_kind::everything:
            while (at_ < limit_) {
                std::uint32_t number = at_++;
                if (data.tables.find_number(number) && accept_table(data, number, rows)) {
                    return true;
                }
            }
            return false;
        case scan_kind::given:
            rows = given_;
            return at_++ == 0 && rows.count != 0;
        case scan_kind::tables:
            return choice_.record && next_table(data, *choice_.record, rows);
        case scan_kind::pairs:
        case scan_kind::relationships:
            return choice_.record && next_pair(data, rows);
        default:
            return choice_.record && next_entity(data, rows);
    }
}

// True if the next base has the id of the term.
bool scan::open_base(const storage::store& data) {
    const id_record* bases = data.bases;
    for (; base_ < std::min(base_limit_, bases->active_pairs); ++base_) {
        entity_t base = data.entities.alive_at(pair_second(bases->pairs[base_]->id));
        const location where = locate(data, base);
        if (where.table && (owns_any(data, where, choice_.by->id, visibility::inheritable) ||
                            traits::find_base(data, *where.record, base, choice_.by->id))) {
            return true;
        }
    }
    return false;
}

// Rows that have it from a base: all rows of tables with such a base that do not have it by
// themselves, each table at its first such base.
bool scan::next_inheritor(const storage::store& data, row_range& rows) {
    const id_record* bases = data.bases;
    for (;;) {
        if (!base_open_) {
            at_ = row_ = 0;
            base_open_ = open_base(data);
            if (!base_open_) {
                return false;
            }
        }
        const id_record& pair = *bases->pairs[base_];
        if (at_ == 0 && row_ == 0) {
            limit_ = pair.active;
        }
        while (at_ < std::min(limit_, pair.active)) {
            const storage::table_entry entry = pair.tables[at_];
            const storage::table& type = data.tables.at(entry.table);
            bool taken = storage::find_match(type, choice_.by->id, 0) >= 0;
            for (std::int32_t before = storage::find_match(type, detail::any_base, 0);
                 !taken && before < static_cast<std::int32_t>(entry.position);
                 before = storage::next_match(type, detail::any_base, before)) {
                entity_t other = data.entities.alive_at(pair_second(type.ids[before]));
                const location where = locate(data, other);
                taken = owns_any(data, where, choice_.by->id, visibility::inheritable) ||
                        traits::find_base(data, *where.record, other, choice_.by->id) != 0;
            }
            if (taken || !accept_table(data, entry.table, rows)) {
                ++at_;
                row_ = 0;
                continue;
            }
            if (!by_entity()) {
                ++at_;
                return true;
            }
            // Entities that own the id were proposed before.
            while (row_ < rows.count) {
                entity_t entity = storage::entities_of(type, data.tables.rows(entry.table))[row_++];
                if (!owns_any(data, locate(data, entity), choice_.by->id, visibility::own)) {
                    rows.first = row_ - 1;
                    rows.count = 1;
                    return true;
                }
            }
            ++at_;
            row_ = 0;
        }
        ++base_;
        base_open_ = false;
    }
}

bool scan::next(const storage::store& data, row_range& rows) {
    if (!inheritors_) {
        if (next_owned_id(data, rows)) {
            return true;
        }
        if (!choice_.by || !is_inherited(data, *choice_.by)) {
            return false;
        }
        inheritors_ = true;
        at_ = 0;
        base_limit_ = data.bases->active_pairs;
    }
    return next_inheritor(data, rows);
}

// A list of entities is shared out as if it were the rows of one table. False if there is none.
bool scan::limit_list(row_share& share) noexcept {
    if (inheritors_ || !choice_.record) {
        return false;
    }
    std::uint32_t size = 0;
    if (choice_.kind == scan_kind::sparse_values && choice_.record->sparse) {
        size = choice_.record->sparse->count();
    } else if (choice_.kind == scan_kind::sources && choice_.record->links) {
        size = choice_.record->links->sources(pair_second(choice_.by->id)).size;
    } else {
        return false;
    }
    if (!list_shared_) {
        list_shared_ = true;
        std::uint32_t taken = 0;
        share.take(size, at_, taken);
        list_end_ = at_ + taken;
    }
    return true;
}

// The next source of a link that belongs to the share; sources of other shares are skipped by their
// index alone.
bool scan::next_linked(const storage::store& data, row_share& share, row_range& rows) noexcept {
    const storage::link_store& links = *choice_.record->links;
    while ((at_ = links.next_source(at_)) != 0) {
        const std::uint32_t index = at_++;
        if (!share.takes_one()) {
            continue;
        }
        const storage::entity_record& record = data.entities.at(index);
        if (!(data.tables.at(record.table).flags & hidden_)) {
            rows = {record.table, record.row, 1};
            return true;
        }
    }
    at_ = 0xFFFFFFFF;
    return false;
}

bool scan::next(const storage::store& data, row_share& share, row_range& rows) {
    if (choice_.kind == scan_kind::linked && !inheritors_ && choice_.record &&
        choice_.record->links && next_linked(data, share, rows)) {
        return true;
    }
    const bool is_list = limit_list(share);
    while (next(data, rows)) {
        if ((is_list && !inheritors_) || share_rows(share, rows)) {
            return true;
        }
    }
    return false;
}

}  // namespace kith::queries
