// Files that are large or secret: the journal knows their digest, never their content. One that was
// there before is kept on the host itself and put back by undo.
#pragma once

#include "cluster/resources/resource.hpp"

#include <string>

namespace slipway::cluster {

class KeptFile : public Resource {
  public:
    using Resource::Resource;

    // {"sha256":…,"mode":…}, or {"absent":true,"missing":[…]} as read_path() has it.
    json::value read(Target& target) const override;
    void restore(Target& target, const json::value& before) const override;

  protected:
    // Before the file is written: what is there and not ours is put aside, once.
    void put_aside(Target& target) const;
};

// The state of a path without its content.
json::value read_info(Target& target, const std::string& path);
// "may be" when the note is there, else as read_info() has it: with the folders that are missing
// too, an undo that was cut off between a note and its folder is seen not to be over.
json::value read_note(Target& target, const std::string& path);
// Where what was at a path is kept until undo.
std::string place_aside(const std::string& path);
// Removes the file, and the folders that were not there before it.
void remove_with_parents(Target& target, const std::string& path, const json::value& before);

}  // namespace slipway::cluster
