#include "pki/testing/openssl_program.hpp"

#include "base/files.hpp"
#include "base/subprocess.hpp"

#include <stdexcept>

#include <stdlib.h>

namespace slipway::pki::testing {

namespace fs = std::filesystem;

OpensslProgram::OpensslProgram() {
    std::string name = (fs::temp_directory_path() / "slipway-pki-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
    folder_ = name;
}

OpensslProgram::~OpensslProgram() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::string OpensslProgram::file(const std::string& name, std::string_view content) const {
    atomic_write(folder_ / name, content);
    return path(name);
}

std::string OpensslProgram::read(const std::string& name) const {
    return read_file(folder_ / name);
}

std::string OpensslProgram::run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "openssl");
    Subprocess program({.argv = std::move(arguments)});
    program.close_in();
    std::string out = read_all(program.out(), "openssl");
    program.wait();
    return out;
}

}  // namespace slipway::pki::testing
