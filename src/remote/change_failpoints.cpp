#include "remote/change_failpoints.hpp"

namespace slipway::remote {

const Failpoint kBeforeChange("host.before-change", Failpoint::Where::apply,
                              "a call is about to change a host", true);
const Failpoint kAfterChange("host.after-change", Failpoint::Where::apply,
                             "a call has changed a host and not yet returned", true);

}  // namespace slipway::remote
