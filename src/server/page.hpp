// The web page: files put into the program when it was built (cmake/SlipwayPage.cmake), or none.
//
// Names with a hash in them (below assets/) never change what they hold and are cached for good.
// Every other path that is none of the API's is the page itself, which finds its way by it.
#pragma once

#include "net/http_message.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace slipway::server {

struct PageFile {
    std::string_view path = {};  // "/assets/app-3f2a.js"
    std::string_view bytes = {};
    std::string_view gzip = {};  // the same, compressed; empty when that would be no smaller
    std::string_view hash = {};
};

class Page {
  public:
    Page() = default;
    explicit Page(std::span<const PageFile> files);

    void answer(const net::Request& request, net::Response& response) const;
    bool empty() const { return files_.empty(); }

  private:
    std::map<std::string_view, PageFile> files_;
};

// Those of this program.
std::span<const PageFile> embedded_page();

}  // namespace slipway::server
