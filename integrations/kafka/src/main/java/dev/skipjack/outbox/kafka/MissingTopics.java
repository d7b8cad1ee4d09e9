package dev.skipjack.outbox.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Topics that the brokers did not know a short time ago. A producer waits for such a topic in the
 * calling thread, for {@code max.block.ms}. Without this class, each event of a missing topic would
 * delay the events of other topics by that time. Thread-safe.
 */
final class MissingTopics {

  private static final long NANOS = Duration.ofSeconds(10).toNanos();

  private final LongSupplier nanoTime;
  private final Map<String, Long> since = new ConcurrentHashMap<>();

  /**
   * @param nanoTime a clock like {@link System#nanoTime}
   */
  MissingTopics(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  void note(String topic) {
    since.put(topic, nanoTime.getAsLong());
  }

  /** Returns whether the topic was missing within the last 10 s. */
  boolean contains(String topic) {
    Long noted = since.get(topic);
    if (noted == null) {
      return false;
    }
    if (nanoTime.getAsLong() - noted < NANOS) {
      return true;
    }
    since.remove(topic, noted);
    return false;
  }
}
