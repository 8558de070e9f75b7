// The output of a command as it comes: whole lines for the listener, a bounded copy for the result.
#pragma once

#include "wire/frame.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace slipway::remote {

class OutputCollector {
  public:
    using OnLine = std::function<void(std::string_view stream, std::string_view line)>;
    explicit OutputCollector(OnLine on_line) : on_line_(std::move(on_line)) {}

    void add(wire::Stream stream, std::string_view bytes);
    void finish();  // the last lines, without a line break

    std::string take_out() { return std::move(out_.kept); }
    std::string take_err() { return std::move(err_.kept); }
    std::uint64_t out_bytes() const { return out_.bytes; }
    std::uint64_t err_bytes() const { return err_.bytes; }

  private:
    struct Side {
        std::string kept;
        std::string line;  // begun and not ended
        std::uint64_t bytes = 0;
    };
    void add_lines(Side& side, std::string_view name, std::string_view bytes);

    OnLine on_line_;
    Side out_, err_;
};

}  // namespace slipway::remote
