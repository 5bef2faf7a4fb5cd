// kith: asks worlds as text questions. See docs/manual/shell.md.
#include "command_line.hpp"
#include "commands.hpp"
#include "output.hpp"

#include <clocale>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include <langinfo.h>

namespace {

// Texts are UTF-8, whatever the locale says; its other parts would only change numbers.
void use_utf8() {
    std::setlocale(LC_CTYPE, "");
    if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0) {
        std::setlocale(LC_CTYPE, "C.UTF-8");
    }
}

}  // namespace

int main(int argc, char** argv) {
    use_utf8();
    try {
        const kith_app::parsed_command_line parsed = kith_app::parse_command_line(argc, argv);
        return parsed.exit_code >= 0 ? parsed.exit_code : kith_app::run_command(parsed.command);
    } catch (const std::bad_alloc&) {
        kith_app::write_error("out of memory");
    } catch (const std::exception& problem) {
        kith_app::write_error(problem.what());
    }
    return 1;
}
