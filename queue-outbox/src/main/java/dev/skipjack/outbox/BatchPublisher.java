package dev.skipjack.outbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the application's publisher. If it fails for a batch, publishes the events one by one, to
 * find out whether the destination is unavailable or a single event is at fault.
 */
final class BatchPublisher {

  private static final Logger LOG = LoggerFactory.getLogger(BatchPublisher.class);

  /** The number of failures without any success that mean that the destination is unavailable. */
  private static final int OUTAGE = 3;

  private final Publisher publisher;
  private final Suspects suspects;

  BatchPublisher(Publisher publisher, Suspects suspects) {
    this.publisher = publisher;
    this.suspects = suspects;
  }

  /**
   * Publishes events.
   *
   * @return the result of each event, or empty if the destination is unavailable
   * @throws InterruptedException if the thread was interrupted
   */
  Optional<List<PublishResult>> publish(List<RecordedEvent> events, BooleanSupplier leased)
      throws InterruptedException {
    if (events.isEmpty()) {
      return Optional.of(List.of());
    }
    try {
      return Optional.of(call(events, leased));
    } catch (InterruptedException stopped) {
      throw stopped;
    } catch (Exception | Error failure) {
      LOG.warn("Publisher failed events={}", events.size(), failure);
      return events.size() == 1
          ? afterFailures(events, List.of(retry(failure)))
          : oneByOne(events, leased);
    }
  }

  private Optional<List<PublishResult>> oneByOne(List<RecordedEvent> events, BooleanSupplier leased)
      throws InterruptedException {
    List<PublishResult> results = new ArrayList<>();
    Set<Aggregate> stopped = new HashSet<>();
    int failures = 0;
    boolean anyResult = false;
    for (RecordedEvent event : events) {
      PublishResult result = PublishResult.notTried();
      if (!stopped.contains(event.aggregate()) && leased.getAsBoolean()) {
        try {
          result = call(List.of(event), leased).get(0);
          anyResult |= isResponse(result);
        } catch (InterruptedException interrupted) {
          throw interrupted;
        } catch (Exception | Error failure) {
          result = retry(failure);
          failures++;
        }
      }
      if (result.kind() != PublishResult.Kind.SENT) {
        stopped.add(event.aggregate());
      }
      results.add(result);
      if (!anyResult && failures == OUTAGE) {
        break;
      }
    }
    return anyResult ? Optional.of(results) : afterFailures(events, results);
  }

  private static PublishResult retry(Throwable failure) {
    return PublishResult.retry("Publisher failed: " + failure);
  }

  /**
   * Returns the failures of those events that are at fault, and what was postponed; empty if there
   * is neither.
   *
   * @param results the results of the first events, to none of which the destination has responded
   */
  private Optional<List<PublishResult>> afterFailures(
      List<RecordedEvent> events, List<PublishResult> results) {
    List<PublishResult> counted = new ArrayList<>();
    boolean anyToRecord = false;
    for (int i = 0; i < events.size(); i++) {
      PublishResult result = i < results.size() ? results.get(i) : PublishResult.notTried();
      boolean isRecorded =
          result.kind() == PublishResult.Kind.POSTPONED
              || (result.kind() == PublishResult.Kind.RETRY && suspects.isAtFault(events.get(i)));
      counted.add(isRecorded ? result : PublishResult.notTried());
      anyToRecord |= isRecorded;
    }
    return anyToRecord ? Optional.of(counted) : Optional.empty();
  }

  private List<PublishResult> call(List<RecordedEvent> events, BooleanSupplier leased)
      throws Exception {
    List<PublishResult> results = publisher.publish(new EventBatch(events, leased));
    if (results.size() != events.size()) {
      throw new IllegalStateException(
          "The publisher returned %d results for %d events. Return one for each, in their order."
              .formatted(results.size(), events.size()));
    }
    for (int i = 0; i < results.size(); i++) {
      Objects.requireNonNull(results.get(i), "The publisher returned null for an event.");
    }
    if (results.stream().anyMatch(BatchPublisher::isResponse)) {
      suspects.noteResponse();
    }
    return results;
  }

  private static boolean isResponse(PublishResult result) {
    return result.kind() != PublishResult.Kind.NOT_TRIED
        && result.kind() != PublishResult.Kind.POSTPONED;
  }
}
