// Can hosts reach one another? One holds ports open (listen), the others knock (probe). Both know a
// nonce: an answer proves that it was our own listener and no other program, no proxy in between.
//
// A probe sends the nonce, by TCP or at the head of a datagram; a listener answers
// "slipway-ok NONCE".
#pragma once

#include "agent/request.hpp"

#include <string>

namespace slipway::agent {

inline std::string probe_answer(const std::string& nonce) { return "slipway-ok " + nonce; }

// Opens all ports, sends once which of them could not be opened and why, and answers until the
// request is cancelled (which is how it ends, not a failure) or its deadline passes. Nothing is
// left of it afterwards, not even in the kernel's list of old connections.
void listen(const wire::Listen& wanted, Request& request);

// Knocks at all targets beside each other. Answers come in the order of the targets, with a reason
// in words where ours did not answer: refused, timed out, no route, too big for the path, another
// program answers, …
wire::ProbeAnswers probe(const wire::Probe& wanted, Request& request);

}  // namespace slipway::agent
