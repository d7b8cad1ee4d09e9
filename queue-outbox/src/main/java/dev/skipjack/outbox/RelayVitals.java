package dev.skipjack.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Records since when threads of a relay have failed, or have waited for an overdue publisher.
 * Thread-safe.
 */
final class RelayVitals {

  /** The time after which a failure is reported. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final LongSupplier nanoTime;
  private final Map<Thread, Trouble> troubles = new ConcurrentHashMap<>();
  private final Map<Thread, Long> overruns = new ConcurrentHashMap<>();

  /**
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  RelayVitals(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /**
   * A failure that lasts.
   *
   * @param since the clock's value at the first failure
   */
  private record Trouble(long since, String error) {}

  void failed(String error) {
    long now = nanoTime.getAsLong();
    troubles.merge(
        Thread.currentThread(),
        new Trouble(now, error),
        (first, latest) -> new Trouble(first.since(), latest.error()));
  }

  /** Notes that a batch of this thread did not fail. */
  void worked() {
    troubles.remove(Thread.currentThread());
  }

  /** Notes that the publisher has not returned in time. */
  void overran(Thread thread) {
    overruns.put(thread, nanoTime.getAsLong());
  }

  void returned(Thread thread) {
    overruns.remove(thread);
  }

  static List<String> dead(List<Thread> threads) {
    return threads.stream().filter(thread -> !thread.isAlive()).map(Thread::getName).toList();
  }

  /** Returns why the relay cannot publish now, one sentence per reason. */
  List<String> reasons() {
    List<String> reasons = new ArrayList<>();
    long now = nanoTime.getAsLong();
    overruns.forEach(
        (thread, since) ->
            reasons.add(
                "The publisher should have returned %s ago in thread '%s'."
                    .formatted(seconds(now - since), thread.getName())));
    troubles.forEach(
        (thread, trouble) -> {
          if (now - trouble.since() > PATIENCE.toNanos()) {
            reasons.add(
                "The relay's thread '%s' has failed for %s. Last error: %s"
                    .formatted(thread.getName(), seconds(now - trouble.since()), trouble.error()));
          }
        });
    return reasons;
  }

  private static Duration seconds(long nanos) {
    return Duration.ofSeconds(nanos / 1_000_000_000);
  }
}
