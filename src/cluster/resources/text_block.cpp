#include "base/error.hpp"
#include "base/text.hpp"
#include "cluster/resources/file_json.hpp"
#include "cluster/resources/kinds.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace slipway::cluster {

namespace {

constexpr std::string_view kBegin = "# BEGIN slipway";
constexpr std::string_view kEnd = "# END slipway";

// Where our block stands in a text: [from, to), with its marker lines; the lines between them.
struct Block {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string lines;
};

[[noreturn]] void refuse(const Target& target, const std::string& path, std::string_view what) {
    throw RemoteError(
        "BLOCK-DAMAGED", fmt::format("{} on {} {}", path, target.host.name(), what),
        {.cause = fmt::format("the lines '{}' and '{}' enclose what Slipway wrote; one "
                              "of them was edited",
                              kBegin, kEnd),
         .remedy = fmt::format("remove the block and its markers from {}, then resume", path),
         .recovery = Recovery::needs_user});
}

// Cutting at a guess could delete lines that are not ours, so anything but one whole block is
// refused.
std::optional<Block> find_block(const Target& target, const std::string& path,
                                std::string_view text) {
    std::optional<Block> found;
    std::size_t body = std::string_view::npos;  // where the open block's lines begin
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string_view line = trim(text.substr(at, end - at));
        const bool open = body != std::string_view::npos;
        if (line == kBegin) {
            if (found) refuse(target, path, "holds two blocks of Slipway");
            found = Block{at, 0, ""};
            body = end;
        } else if (line == kEnd) {
            if (!open)
                refuse(target, path, "holds the end of a block of Slipway without its beginning");
            found->lines = text.substr(body, at - body);
            found->to = end;
            body = std::string_view::npos;
        }
        at = end;
    }
    if (body != std::string_view::npos) {
        refuse(target, path, "holds the beginning of a block of Slipway without its end");
    }
    return found;
}

class TextBlock : public Resource {
  public:
    TextBlock(std::string path, std::string lines)
        : Resource("block in", std::move(path)), lines_(std::move(lines)) {}

    json::value desired() const override { return json::value(lines_); }

    // {"lines":…|null,"exists":…,"final_newline":…}: the block, and what only its removal needs.
    json::value read(Target& target) const override {
        const auto file = regular_file(target);
        json::object state = {
            {"lines", nullptr}, {"exists", file.has_value()}, {"final_newline", true}};
        if (!file) return state;
        if (const auto block = find_block(target, name(), file->content))
            state["lines"] = bytes_to_json(block->lines);
        state["final_newline"] = file->content.empty() || file->content.back() == '\n';
        return state;
    }

    bool differs(const json::value& now) const override {
        const json::value& lines = now.at("lines");
        return lines.is_null() || bytes_from_json(lines) != lines_;
    }

    engine::Change change(const json::value& now) const override {
        const json::value& lines = now.at("lines");
        return {lines.is_null() ? "create" : "change", describe(),
                line_changes(bytes_from_json(lines), lines_)};
    }

    void apply(Target& target) const override { put(target, lines_, true); }

    void restore(Target& target, const json::value& before) const override {
        const json::object& state = before.as_object();
        if (state.at("lines").is_null()) {
            take_out(target, state);
        } else {
            put(target, bytes_from_json(state.at("lines")), bool_at(state, "final_newline", true));
        }
    }

  private:
    std::optional<remote::FileState> regular_file(Target& target) const {
        auto file = target.host.read_file(name(), target.call);
        if (file && (file->folder || !file->link_target.empty())) {
            throw RemoteError(
                "FILE-NOT-REGULAR",
                fmt::format("{} on {} is no regular file", name(), target.host.name()),
                {.cause = "a folder or a link stands there; Slipway adds a block of lines "
                          "only to a regular file",
                 .remedy = "make it a regular file, or switch this part off in the spec",
                 .recovery = Recovery::needs_user});
        }
        return file;
    }

    void put(Target& target, std::string_view lines, bool final_newline) const {
        auto file = regular_file(target).value_or(remote::FileState{});
        std::string text = fmt::format("{}\n{}{}\n", kBegin, lines, kEnd);
        if (const auto block = find_block(target, name(), file.content)) {
            const bool last = block->to == file.content.size();
            if (last && !final_newline) text.pop_back();
            file.content.replace(block->from, block->to - block->from, text);
        } else {
            if (!file.content.empty() && file.content.back() != '\n') file.content += '\n';
            file.content += text;
        }
        target.host.write_file(name(), file, target.call);
    }

    void take_out(Target& target, const json::object& before) const {
        auto file = regular_file(target);
        const auto block = file ? find_block(target, name(), file->content) : std::nullopt;
        if (!block) return;
        const bool last = block->to == file->content.size();
        file->content.erase(block->from, block->to - block->from);
        // The newline in front of the block is ours when the file had none at its end.
        if (last && !bool_at(before, "final_newline", true) && file->content.ends_with('\n')) {
            file->content.pop_back();
        }
        if (file->content.empty() && !bool_at(before, "exists", true)) {
            target.host.remove_file(name(), target.call);
        } else {
            target.host.write_file(name(), *file, target.call);
        }
    }

    std::string lines_;
};

}  // namespace

ResourcePtr text_block(std::string path, std::string lines) {
    return std::make_shared<TextBlock>(std::move(path), std::move(lines));
}

}  // namespace slipway::cluster
