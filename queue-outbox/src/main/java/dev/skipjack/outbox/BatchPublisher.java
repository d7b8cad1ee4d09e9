package dev.skipjack.outbox;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the application's publisher. If it fails for a batch, publishes the events one by one, to
 * find out whether the destination is unavailable or a single event is at fault.
 */
final class BatchPublisher {

  private static final Logger LOG = LoggerFactory.getLogger(BatchPublisher.class);

  /** After this number of failures without a response, the destination counts as unavailable. */
  private static final int OUTAGE = 3;

  private final Publisher publisher;
  private final Suspects suspects;
  private final ErrorTexts texts;

  BatchPublisher(Publisher publisher, Suspects suspects, ErrorTexts texts) {
    this.publisher = publisher;
    this.suspects = suspects;
    this.texts = texts;
  }

  /**
   * Publishes events. If the thread is interrupted, returns the results so far, with the interrupt
   * flag set.
   *
   * @param hasMore whether more events are probably waiting
   * @return the result of each event; empty if no result must be recorded, because the destination
   *     seems unavailable or the thread was interrupted
   */
  Optional<List<PublishResult>> publish(
      List<RecordedEvent> events, boolean hasMore, SendingTime time, BatchProgress progress) {
    if (events.isEmpty()) {
      return Optional.of(List.of());
    }
    try {
      return Optional.of(call(new EventBatch(events, hasMore, time), progress));
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
      LOG.warn("Publisher interrupted events={}", events.size());
      return known(progress.results(events));
    } catch (Throwable failure) {
      LOG.warn("Publisher failed events={} error={}", events.size(), texts.trace(failure));
      return events.size() == 1
          ? afterFailures(events, List.of(retry(failure)), Set.of(events.get(0).id()))
          : oneByOne(events, time, progress);
    }
  }

  /**
   * Returns the results of a batch whose publisher has not returned in time. An event that is still
   * being sent counts as failed if the destination has responded to another event of the batch, or
   * if {@link Suspects} finds it at fault.
   */
  List<PublishResult> unfinished(List<RecordedEvent> events, BatchProgress progress) {
    List<PublishResult> results = new ArrayList<>(progress.results(events));
    Set<UUID> failed = new HashSet<>();
    for (int i = 0; i < events.size(); i++) {
      if (progress.isUnfinished(events.get(i))) {
        failed.add(events.get(i).id());
        results.set(i, PublishResult.retry("The publisher did not return in time."));
      }
    }
    return noteResponse(progress.results(events))
        ? results
        : afterFailures(events, results, failed).orElseGet(() -> progress.results(events));
  }

  private Optional<List<PublishResult>> oneByOne(
      List<RecordedEvent> events, SendingTime time, BatchProgress progress) {
    List<PublishResult> results = new ArrayList<>();
    Set<Aggregate> stopped = new HashSet<>();
    Set<UUID> failed = new HashSet<>();
    boolean wasAnyResult = noteResponse(progress.results(events));
    boolean anyResult = false;
    for (RecordedEvent event : events) {
      @Nullable PublishResult known = progress.result(event); // the failed call may have sent it
      PublishResult result = known == null ? PublishResult.notTried() : known;
      boolean mayBeSent = known == null && !stopped.contains(event.aggregate()) && time.isOpen();
      if (mayBeSent && (anyResult || failed.size() < OUTAGE)) {
        progress.begin(event);
        try {
          result = call(new EventBatch(List.of(event), true, time), progress).get(0);
          anyResult |= isResponse(result);
          progress.end(event, result);
        } catch (InterruptedException interrupt) {
          Thread.currentThread().interrupt();
          return known(progress.results(events));
        } catch (Throwable failure) {
          progress.end(event, null);
          result = retry(failure);
          failed.add(event.id());
        }
      }
      if (result.kind() != PublishResult.Kind.SENT) {
        stopped.add(event.aggregate());
      }
      results.add(result);
    }
    boolean isAvailable = anyResult || (wasAnyResult && failed.size() < OUTAGE);
    return isAvailable ? Optional.of(results) : afterFailures(events, results, failed);
  }

  private static PublishResult retry(Throwable failure) {
    return PublishResult.retry("Publisher failed: " + ErrorTexts.describe(failure));
  }

  /** Returns the results, or empty if all events were not tried. */
  private static Optional<List<PublishResult>> known(List<PublishResult> results) {
    return results.stream().anyMatch(each -> each.kind() != PublishResult.Kind.NOT_TRIED)
        ? Optional.of(results)
        : Optional.empty();
  }

  /**
   * Returns the results without the failures of events that are not at fault; empty if nothing must
   * be recorded.
   *
   * @param failed the events on which the publisher failed
   */
  private Optional<List<PublishResult>> afterFailures(
      List<RecordedEvent> events, List<PublishResult> results, Set<UUID> failed) {
    List<PublishResult> counted = new ArrayList<>();
    for (int i = 0; i < events.size(); i++) {
      RecordedEvent event = events.get(i);
      boolean isOutage = failed.contains(event.id()) && !suspects.isAtFault(event);
      counted.add(isOutage ? PublishResult.notTried() : results.get(i));
    }
    return known(counted);
  }

  private List<PublishResult> call(EventBatch batch, BatchProgress progress) throws Exception {
    List<PublishResult> returned =
        publisher instanceof EachPublisher each
            ? each.publish(batch, progress)
            : publisher.publish(batch);
    List<PublishResult> results =
        new ArrayList<>(Objects.requireNonNull(returned, "The publisher returned null."));
    int expected = batch.events().size();
    if (results.size() != expected) {
      throw new IllegalStateException(
          "The publisher returned %d results for %d events. Return one for each, in their order."
              .formatted(results.size(), expected));
    }
    for (PublishResult result : results) {
      Objects.requireNonNull(result, "The publisher returned null for an event.");
    }
    boolean unused = noteResponse(results);
    return results;
  }

  /** Notes whether the destination has responded to any of the events, and returns that. */
  private boolean noteResponse(List<PublishResult> results) {
    boolean isAny = results.stream().anyMatch(BatchPublisher::isResponse);
    if (isAny) {
      suspects.noteResponse();
    }
    return isAny;
  }

  private static boolean isResponse(PublishResult result) {
    return result.kind() != PublishResult.Kind.NOT_TRIED
        && result.kind() != PublishResult.Kind.POSTPONED;
  }
}
