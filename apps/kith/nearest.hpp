// "Did you mean …?" for words that do not exist.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kith_app {

// `; did you mean 'query'?` with the word that is nearest, empty if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& words);

}  // namespace kith_app
