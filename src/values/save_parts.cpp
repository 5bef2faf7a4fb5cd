// Lists the parts of a save file (kith/save.hpp).
#include <kith/save.hpp>

#include "save_blocks.hpp"
#include "save_contents.hpp"
#include "save_file.hpp"

namespace kith {

void each_save_part(const char* file, void (*visit)(void* context, const save_part& part),
                    void* context, const load_file_options& options) {
    const std::string data = values::read_file(file, options.bytes);
    const values::unpack_limits limits{options.bytes, options.ratio != 0 ? options.ratio : 1};
    // The contents name the columns, which are in the order of their parts.
    const values::saved_world contents = values::read_contents(data, limits);
    const values::saved_names names(contents);
    std::size_t column = 0;
    std::uint32_t flags = 0;
    std::deque<std::string> unpacked;
    for (const values::file_part& part : values::read_parts(data, flags, limits, unpacked)) {
        const values::block_counts blocks =
            part.packed ? values::count_blocks(part.stored) : values::block_counts{};
        const std::string id =
            part.tag == "COLS" ? names.id_text(contents.columns[column++].id) : "";
        visit(context, {part.tag, id, part.offset, part.stored.size(), part.payload.size(),
                        blocks.plain, blocks.zstd, blocks.planes});
    }
}

}  // namespace kith
