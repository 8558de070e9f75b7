#!/usr/bin/env python3
"""Slipway killed with SIGKILL at random moments while it makes a cluster: what goes on afterwards ends healthy.

3 kills, or with SLIPWAY_FULL=1 24, spread over whole installations; some are continued by `resume`, some by `apply`.
SLIPWAY_SEED repeats a run."""

import os
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import checks  # noqa: E402
import clusters  # noqa: E402

ROUNDS = 8 if clusters.FULL else 1
KILLS_A_ROUND = 3
FIRST_SECONDS = 45  # about what the whole takes; later rounds use what was seen


class Killed(clusters.Case):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("SLIPWAY_SEED") or random.SystemRandom().randrange(10**6))
        self.random = random.Random(self.seed)

    def test_killed_at_random_moments_it_ends_healthy(self):
        self.say(f"SLIPWAY_SEED={self.seed}")
        cluster = self.cluster(self.control_plane("node1"), self.worker("node2"))
        kills = 0
        while kills < ROUNDS * KILLS_A_ROUND:
            kills += self.round(cluster)
            cluster.reset().expect(0)

    def round(self, cluster):
        """One installation; returns how often it was killed."""
        kills = 0
        for _ in range(KILLS_A_ROUND):
            moment = self.random.uniform(0.5, FIRST_SECONDS / KILLS_A_ROUND)
            kills += self.killed(cluster, self.word(cluster), moment)
        self.finish(cluster)
        checks.healthy(cluster)
        self.assert_nothing_changes(cluster)
        self.assertGreater(kills, 0, "it was never killed")
        return kills

    def word(self, cluster):
        """What a user might type next; there is nothing to resume before anything has begun."""
        begun = cluster.journal.exists() and cluster.query("SELECT 1 FROM runs WHERE finished_ms = 0")
        return self.random.choice(["resume", "apply"]) if begun else "apply"

    def killed(self, cluster, word, moment):
        process = cluster.start(word, *self.options(cluster, word))
        try:
            process.wait(timeout=moment)
        except clusters.subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        self.say(f"{word}: {'killed' if process.returncode == -9 else f'ended with {process.returncode}'} after {moment:.1f} s")
        self.assertIn(process.returncode, (-9, 0))
        return process.returncode == -9

    def finish(self, cluster):
        word = self.word(cluster)
        result = cluster.timed(word, *self.options(cluster, word)).expect(0)
        self.say(f"{word}: finished after {result.seconds:.1f} s")

    @staticmethod
    def options(cluster, word):
        return ["--yes", "--key", cluster.key] if word == "apply" else []


if __name__ == "__main__":
    clusters.main(count=2)
