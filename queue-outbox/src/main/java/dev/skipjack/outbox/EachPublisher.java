package dev.skipjack.outbox;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sends events one by one. Stops when less time is left than the slowest event so far took. */
final class EachPublisher implements Publisher {

  private final Sender sender;

  EachPublisher(Sender sender) {
    this.sender = Objects.requireNonNull(sender, "sender");
  }

  @Override
  public List<PublishResult> publish(EventBatch batch) throws Exception {
    return publish(batch, new BatchProgress());
  }

  /**
   * Publishes a batch for a relay that calls this publisher directly, and notes each result at
   * once. If another publisher calls this one, events count as sent only when the other publisher
   * has returned, because it may still have to flush a buffer.
   */
  List<PublishResult> publish(EventBatch batch, BatchProgress progress) throws Exception {
    List<PublishResult> results = new ArrayList<>();
    Set<Aggregate> failed = new HashSet<>();
    Duration longest = Duration.ZERO;
    for (RecordedEvent event : batch.events()) {
      PublishResult result = PublishResult.notTried();
      if (!failed.contains(event.aggregate())
          && batch.isLeased()
          && batch.timeLeft().compareTo(longest) > 0) {
        long began = System.nanoTime();
        result = send(event, progress);
        Duration taken = Duration.ofNanos(System.nanoTime() - began);
        longest = taken.compareTo(longest) > 0 ? taken : longest;
      }
      if (result.kind() != PublishResult.Kind.SENT) {
        failed.add(event.aggregate());
      }
      results.add(result);
    }
    return results;
  }

  private PublishResult send(RecordedEvent event, BatchProgress progress) throws Exception {
    @Nullable PublishResult result = null;
    progress.begin(event);
    try {
      result = Objects.requireNonNull(sender.send(event), "The sender returned null for an event.");
      return result;
    } finally {
      progress.end(event, result);
    }
  }
}
