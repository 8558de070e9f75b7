// Blobs on their way into the store: written as they come, hashed on the way, kept over a restart.
#pragma once

#include "registry/store.hpp"

#include <map>
#include <memory>

namespace slipway::registry {

// One blob being written. It belongs to whoever holds the pointer: while one request writes to it,
// a second is refused. One that only looks is soon done: others wait for it.
class Upload {
  public:
    Upload(const std::filesystem::path& folder, std::string id, std::string repository,
           oci::Algorithm algorithm);
    Upload(const Upload&) = delete;
    Upload& operator=(const Upload&) = delete;

    const std::string& id() const { return id_; }
    const std::string& repository() const { return repository_; }
    std::uint64_t size() const { return size_; }

    void append(std::string_view bytes);  // throws StateError STORE-WRITE
    // Ends it: true when the bytes are those of the digest, and on disk.
    bool finish(const oci::Digest& wanted);
    const std::filesystem::path& file() const { return file_; }

  private:
    void hash_what_is_there();
    // Between requests it needs no descriptor: there may be as many uploads as a program may have
    // files open.
    void open();
    void close() { fd_.reset(); }
    friend class Uploads;

    const std::string id_, repository_;
    const std::filesystem::path file_;
    Fd fd_;
    std::uint64_t size_ = 0;
    oci::Algorithm algorithm_;
    std::unique_ptr<oci::Hasher> hasher_;
};

class Uploads {
  public:
    Uploads(Store& store, std::size_t most);

    // One request's hold on an upload; gives it back at the end.
    class Hold {
      public:
        Hold(Uploads& all, std::shared_ptr<Upload> upload)
            : all_(&all), upload_(std::move(upload)) {}
        ~Hold();
        Hold(Hold&& other) noexcept = default;
        Hold& operator=(Hold&&) = delete;
        Upload* operator->() const { return upload_.get(); }
        Upload& operator*() const { return *upload_; }
        // It is over: the file goes with it unless the store has taken it.
        void end();

      private:
        Uploads* all_;
        std::shared_ptr<Upload> upload_;
        bool ended_ = false;
    };

    // nullopt when there are too many. Before that the oldest to which nothing was ever written is
    // given up: beginning uploads costs a client nothing.
    std::optional<Hold> begin(const std::string& repository, oci::Algorithm algorithm);
    enum class Missing { unknown, busy };
    enum class For { looking, writing };
    std::variant<Hold, Missing> take(const std::string& repository, const std::string& id,
                                     For purpose = For::writing);

    std::size_t count() const;
    // Those nobody has written to within `age`.
    std::size_t expire(std::chrono::seconds age);

  private:
    void give_back(const std::string& id, bool ended);
    std::variant<Hold, Missing> reopen(const std::string& repository, const std::string& id);
    std::shared_ptr<Upload> find_on_disk(const std::string& repository, const std::string& id);

    struct Known {
        std::shared_ptr<Upload> upload = {};
        bool held = false;
        For held_for = For::writing;
        std::uint64_t last_held = 0;  // counts up: the smallest is the oldest
    };
    bool give_up_an_empty_one() SLIPWAY_REQUIRES(mutex_);
    static void remove_files(const std::filesystem::path& file);

    Store& store_;
    const std::size_t most_;
    mutable Mutex mutex_;
    Condition given_back_;
    std::map<std::string, Known> entries_ SLIPWAY_GUARDED_BY(mutex_);
    std::uint64_t holds_ SLIPWAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace slipway::registry
