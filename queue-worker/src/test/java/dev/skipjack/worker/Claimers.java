package dev.skipjack.worker;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.JobStore;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/** Creates claimers without a worker. */
final class Claimers {

  /** A limit under which no claim is fast, so that marks are used after three claims. */
  static final Duration NEVER_FAST = Duration.ofDays(-1);

  /**
   * A limit under which every claim is fast, even on a busy machine, so that marks are never used.
   */
  static final Duration ALWAYS_FAST = Duration.ofDays(1);

  private Claimers() {}

  /** Returns a claimer for a worker that serves these queues in strict order. */
  static Claimer of(
      JobStore store,
      String kind,
      Duration lease,
      Duration fastClaim,
      LongSupplier clock,
      String... queueNames) {
    PayloadBudget payloads = new PayloadBudget(Long.MAX_VALUE);
    Map<String, ServedQueue> queues = new LinkedHashMap<>();
    for (String name : queueNames) {
      queues.put(
          name, new ServedQueue(name, 1, 0, new Wakeup(), LaneOrder.strict().reserve(), payloads));
    }
    return new Claimer(
        store,
        WorkerId.boot("test"),
        List.of(kind),
        lease,
        queues,
        LaneOrder.strict(),
        new LowWaterMarks(fastClaim),
        payloads,
        clock,
        Claimer.Watch.NOBODY);
  }
}
