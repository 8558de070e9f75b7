// Where facts are read from: the machine itself, or a folder that looks like one (testdata).
//
// What is not there reads as empty. Facts are gathered from machines of every kind, and a missing
// file is an answer, never an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace slipway::agent {

class Root {
  public:
    Root() = default;  // this machine
    explicit Root(std::string folder) : folder_(std::move(folder)) {}

    // Whether questions to the kernel that no file answers make sense.
    bool is_machine() const { return folder_.empty(); }

    std::string path(std::string_view absolute) const;

    // A file's content, cut at `limit`: no file of /proc may fill our memory.
    std::string read(std::string_view absolute, std::size_t limit = 8u << 20) const;
    std::string line(std::string_view absolute) const;             // without blanks around it
    std::string link(std::string_view absolute) const;             // where a symbolic link points
    std::vector<std::string> list(std::string_view folder) const;  // names, without . and ..
    // Where the symbolic links in a folder point to, in one walk: /proc has thousands of them.
    std::vector<std::string> links(std::string_view folder) const;

    bool exists(std::string_view absolute) const;
    bool is_folder(std::string_view absolute) const;
    bool is_program(std::string_view absolute) const;
    // A folder with nothing in it does not count.
    bool holds_something(std::string_view absolute) const;

    // The path itself or the nearest folder above it that exists.
    std::string nearest_folder(std::string_view absolute) const;

  private:
    std::string folder_;
};

}  // namespace slipway::agent
