// Named places where a test can kill the program or make it fail.
//
// A place is written once, at namespace scope, and named where it fires:
//
//     static const Failpoint kBeforeIntent("engine.before-intent", Failpoint::Where::apply, "…");
//     kBeforeIntent.hit();
//
// `slipway debug failpoints` lists every one, so the crash suite covers a new place by its being
// there. SLIPWAY_FAILPOINT=NAME[@NODE]=ACTION arms one for a process: ACTION is `kill` (SIGKILL),
// `error` (a fatal error), `transient` (an error that is retried) or `hang`. NODE limits it to one
// step on one host (`cp1/set-hostname`). Append `#K` to fire at the K-th hit. An armed place costs
// a string compare, an unarmed one a single load.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace slipway {

class Failpoint {
  public:
    enum class Where { apply, resume, reset };  // the run in which it can fire

    Failpoint(std::string_view name, Where where, std::string_view description,
              bool per_step = false);

    void hit() const;

    std::string_view name() const { return name_; }
    std::string_view description() const { return description_; }
    Where where() const { return where_; }
    bool per_step() const { return per_step_; }

    static std::vector<const Failpoint*> all();  // by name

    // Arms from SLIPWAY_FAILPOINT; throws UserError when it names no place. Called once by main.
    static void arm_from_environment();
    static void arm(std::string_view text);  // "" disarms
    static bool fired();                     // whether the armed place was reached

  private:
    std::string_view name_;
    Where where_;
    std::string_view description_;
    bool per_step_;
};

std::string_view to_string(Failpoint::Where where);

// Says which node this thread works on, for NODE filters; restores the former on destruction.
class FailpointScope {
  public:
    explicit FailpointScope(std::string_view node);
    ~FailpointScope();
    FailpointScope(const FailpointScope&) = delete;
    FailpointScope& operator=(const FailpointScope&) = delete;

    static std::string_view current();  // the node of this thread; "" outside any

  private:
    std::string_view former_;
};

}  // namespace slipway
