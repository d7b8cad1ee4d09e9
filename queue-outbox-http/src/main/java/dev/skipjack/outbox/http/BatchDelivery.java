package dev.skipjack.outbox.http;

import dev.skipjack.outbox.Aggregate;
import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.RecordedEvent;
import java.io.IOException;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** Sends the events of one batch. Each thread takes an aggregate and sends its events in order. */
final class BatchDelivery {

  /**
   * The number of requests in succession to which a server did not respond, after which it gets no
   * more in this batch: each may take as long as the timeout.
   */
  private static final int OUTAGE = 3;

  /**
   * A pause from which on an event is postponed, so that it does not keep the relay from events of
   * other endpoints. A relay that can publish nothing tries again after this time.
   */
  private static final Duration LONG_PAUSE = Duration.ofSeconds(5);

  private final EventBatch batch;
  private final EventRequests requests;
  private final boolean hasOneEndpoint;
  private final Queue<List<Integer>> aggregates = new ConcurrentLinkedQueue<>();
  private final AtomicReferenceArray<PublishResult> results;
  private final Map<String, Integer> failures = new ConcurrentHashMap<>();
  private final AtomicBoolean isAnySettled = new AtomicBoolean();

  /** The latest result of an endpoint that was unavailable. */
  private volatile @Nullable PublishResult unavailable;

  /**
   * @param hasOneEndpoint whether all events have the same endpoint
   */
  BatchDelivery(EventBatch batch, EventRequests requests, boolean hasOneEndpoint) {
    this.batch = batch;
    this.requests = requests;
    this.hasOneEndpoint = hasOneEndpoint;
    this.results = new AtomicReferenceArray<>(batch.events().size());
    Map<Aggregate, List<Integer>> positions = new LinkedHashMap<>();
    for (int i = 0; i < batch.events().size(); i++) {
      results.set(i, PublishResult.notTried());
      positions.computeIfAbsent(batch.events().get(i).aggregate(), key -> new ArrayList<>()).add(i);
    }
    aggregates.addAll(positions.values());
  }

  /**
   * Sends the events.
   *
   * @param concurrency the number of aggregates at once
   * @throws IOException if no endpoint has accepted or refused an event
   * @throws InterruptedException if the thread was interrupted
   */
  List<PublishResult> run(ExecutorService threads, int concurrency)
      throws IOException, InterruptedException {
    Callable<@Nullable Void> sendAggregates =
        () -> {
          for (List<Integer> next = aggregates.poll(); next != null; next = aggregates.poll()) {
            sendAggregate(next);
          }
          return null;
        };
    threads.invokeAll(
        Collections.nCopies(Math.min(concurrency, aggregates.size()), sendAggregates));
    PublishResult failed = unavailable;
    if (failed != null && !isAnySettled.get()) {
      throw new IOException(failed.reason());
    }
    List<PublishResult> inOrder = new ArrayList<>(results.length());
    for (int i = 0; i < results.length(); i++) {
      inOrder.add(results.get(i));
    }
    return inOrder;
  }

  private void sendAggregate(List<Integer> positions) throws InterruptedException {
    for (int position : positions) {
      if (!batch.isLeased()) {
        return;
      }
      PublishResult result = send(batch.events().get(position));
      results.set(position, result);
      if (result.kind() != PublishResult.Kind.SENT) {
        return;
      }
    }
  }

  private PublishResult send(RecordedEvent event) throws InterruptedException {
    Attempt attempt;
    try {
      HttpEndpoint endpoint = requests.endpoint(event);
      String server = endpoint.server();
      Duration pause = requests.pause(endpoint);
      if (pause.compareTo(LONG_PAUSE) > 0 && !hasOneEndpoint) {
        return PublishResult.postponed(pause);
      }
      if (pause.compareTo(Duration.ZERO) > 0 || failures.getOrDefault(server, 0) >= OUTAGE) {
        return PublishResult.notTried();
      }
      attempt = requests.send(event, endpoint);
      if (attempt.isUnavailable()) {
        failures.merge(server, 1, Integer::sum);
      } else {
        failures.remove(server);
      }
    } catch (RuntimeException | Error failure) { // the pool would drop it
      attempt =
          Attempt.settled(PublishResult.retry("The event was not sent: " + description(failure)));
    }
    if (attempt.isUnavailable()) {
      unavailable = attempt.result();
    } else {
      isAnySettled.set(true);
    }
    return attempt.result();
  }

  /** Describes what the application's function threw, without a URI that may contain secrets. */
  private static String description(Throwable failure) {
    return failure.getCause() instanceof URISyntaxException invalid
        ? "The URI of the endpoint is not valid: %s at index %d"
            .formatted(invalid.getReason(), invalid.getIndex())
        : failure.toString();
  }
}
