#include "support/model/program.hpp"

namespace model {

const property& property_of(std::int32_t number) {
    static constexpr property all[property_count] = {
        {"Exclusive", kith::Exclusive, 0},
        {"Sparse", kith::Sparse, 0},
        {"Union", kith::Union, 0},
        {"Symmetric", kith::Symmetric, 0},
        {"Acyclic", kith::Acyclic, 0},
        {"Traversable", kith::Traversable, 0},
        {"Transitive", kith::Transitive, 0},
        {"Reflexive", kith::Reflexive, 0},
        {"Tag", kith::Tag, 0},
        {"Final", kith::Final, 0},
        {"DontInherit", kith::DontInherit, 0},
        {"Transient", kith::Transient, 0},
        {"With", kith::With, 0, true},
        {"OneOf", kith::OneOf, 0},
        {"OneOf", kith::OneOf, 0, true},
        {"OnDelete, kith::Remove", kith::OnDelete, kith::Remove},
        {"OnDelete, kith::Delete", kith::OnDelete, kith::Delete},
        {"OnDelete, kith::Panic", kith::OnDelete, kith::Panic},
        {"OnDeleteTarget, kith::Remove", kith::OnDeleteTarget, kith::Remove},
        {"OnDeleteTarget, kith::Delete", kith::OnDeleteTarget, kith::Delete},
        {"OnDeleteTarget, kith::Panic", kith::OnDeleteTarget, kith::Panic},
    };
    return all[static_cast<std::size_t>(number) % property_count];
}
std::vector<property_number> declared(const op& one) {
    std::vector<property_number> chosen;
    auto bits = static_cast<std::uint32_t>(one.number);
    const property* before = nullptr;
    for (std::uint8_t i = 0; i < property_count; ++i) {
        const property& what = property_of(i);
        // One of each group: a description has one field for it.
        bool again = before && before->first == what.first;
        if (bits & (1U << i) && i != union_storage && !again) {
            chosen.push_back(static_cast<property_number>(i));
            before = &what;
        }
    }
    return chosen;
}

// -- text

std::string element_text(std::uint8_t element) {
    static constexpr const char* components[component_count] = {
        "Trivial",      "Text",          "MoveOnly",  "NoDefault",    "Aligned",
        "PlainTag",     "SparseText",    "SparseTag", "DataRelation", "TagRelation",
        "ExclusiveTag", "ExclusiveData", "Color"};
    if (element < slot_count) {
        return "e" + std::to_string(element);
    }
    if (element >= first_component && element < first_component + component_count) {
        return components[element - first_component];
    }
    return element == element_child_of  ? "kith::ChildOf"
           : element == element_is_a    ? "kith::IsA"
           : element == element_slot_of ? "kith::SlotOf"
                                        : "kith::Wildcard";
}
std::string id_text(const op& one) {
    return element_text(one.first) +
           (one.second == no_element ? "" : ", " + element_text(one.second));
}
std::string name_text(std::int32_t number) {
    return "n" + std::to_string(static_cast<std::size_t>(number) % name_count);
}
std::string declared_text(const op& one) {
    std::string text;
    for (property_number each : declared(one)) {
        text += std::string(text.empty() ? "" : ", ") + property_of(each).name;
        text += property_of(each).has_target ? " " + element_text(one.second) : "";
    }
    return text;
}
std::string color_text(const op& one) {
    const std::string value = "Color(" + std::to_string(static_cast<int>(color_of(one))) + ")";
    switch (color_way_of(one)) {
        case color_way::set:
            return ".set(" + value + ");";
        case color_way::get_mut:
            return ".get_mut<Color>() points to " + value + ";";
        case color_way::ensure:
            return ".ensure<Color>() = " + value + ";";
        case color_way::callback:
            return ".set([](Color& color) { color = " + value + "; });";
        default:
            return ".add(" + value + ");";
    }
}
std::string created_values_text(const op& one) {
    static constexpr const char* lists[] = {"Trivial", "Trivial, Text", "NoDefault, MoveOnly",
                                            "Aligned, SparseText", "DataRelation, Text"};
    return lists[static_cast<unsigned>(one.number) % 5];
}
std::string bulk_columns_text(const op& one) {
    static constexpr const char* lists[] = {"Trivial*",
                                            "Trivial*, Text*",
                                            "PlainTag, Trivial*",
                                            "SparseText*, Text*",
                                            "NoDefault",
                                            "MoveOnly*",
                                            "(DataRelation, x)*, (ExclusiveTag, x)",
                                            "(ExclusiveTag, x), (ExclusiveTag, PlainTag)",
                                            "Trivial*, Color*"};
    return lists[static_cast<unsigned>(one.number) % 9];
}

}  // namespace model
