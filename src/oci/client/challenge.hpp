// What a server asks for when it answers 401: the field WWW-Authenticate.
//
//     Bearer realm="https://auth.example/token",service="registry",scope="repository:a/b:pull"
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::oci {

struct Challenge {
    std::string scheme = {};                             // lower case: basic, bearer
    std::map<std::string, std::string> parameters = {};  // names in lower case
};

// What can be understood of it; the rest is passed over. One field may hold several challenges.
std::vector<Challenge> parse_challenges(std::string_view field);

}  // namespace slipway::oci
