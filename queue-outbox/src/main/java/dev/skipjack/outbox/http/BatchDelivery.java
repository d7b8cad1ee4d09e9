package dev.skipjack.outbox.http;

import dev.skipjack.outbox.Aggregate;
import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.RecordedEvent;
import java.io.IOException;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends the events of one batch: those of an aggregate in order, and those of different aggregates
 * in parallel. Used by one thread, which starts the requests and waits for them.
 *
 * <p>If events may have different endpoints, slow servers must not delay the others
 * (docs/adr/0048). A request that takes long moves to another slot, so that the next one can begin.
 * Events that do not fit into the time for slow servers are postponed, so that the next batch
 * begins with those of other servers.
 */
final class BatchDelivery {

  /**
   * If an endpoint pauses for longer, its events are postponed, so that the relay reaches the
   * events of other endpoints. A relay that can publish nothing tries again after this time at the
   * latest.
   */
  private static final Duration LONG_PAUSE = Duration.ofSeconds(5);

  private static final Duration SHORTEST_REST = Duration.ofSeconds(1);

  /** The wait before another check for a free slot, which another batch may hold. */
  private static final long SLOT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The wait before another check whether the relay was closed. */
  private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final EventBatch batch;

  private final Duration time;

  private final EventRequests requests;
  private final Settings settings;
  private final Destinations destinations;
  private final List<PublishResult> results;
  private final Set<RunningDelivery> running = new LinkedHashSet<>();

  /** The work that the threads of the pool pass to the thread of the batch. */
  private final BlockingQueue<Runnable> completions = new LinkedBlockingQueue<>();

  /** The failure of the first event whose endpoint was unavailable. */
  private @Nullable String unavailable;

  private boolean isAnySettled;
  private boolean cannotStart;

  BatchDelivery(EventBatch batch, EventRequests requests, Settings settings) {
    this.batch = batch;
    this.time = batch.timeLeft();
    this.requests = requests;
    this.settings = settings;
    this.destinations = new Destinations(batch, settings);
    this.results =
        new ArrayList<>(Collections.nCopies(batch.events().size(), PublishResult.notTried()));
  }

  /**
   * Sends the events. If the thread is interrupted, aborts the requests in progress and returns
   * what is known.
   *
   * @throws IOException if all events have one endpoint, and it was unavailable for each event that
   *     was sent
   */
  List<PublishResult> run() throws IOException {
    Map<Aggregate, Queue<Integer>> aggregates = new LinkedHashMap<>();
    for (int i = 0; i < batch.events().size(); i++) {
      aggregates
          .computeIfAbsent(batch.events().get(i).aggregate(), key -> new ArrayDeque<>())
          .add(i);
    }
    aggregates.values().forEach(each -> enqueueNext(each, destinations.lookups()));
    try {
      sendAll();
      for (Runnable last = completions.poll(); last != null; last = completions.poll()) {
        last.run();
      }
      if (batch.timeLeft().isZero()) {
        noteThoseThatHadTime();
      } else if (!Thread.currentThread().isInterrupted()) {
        List.copyOf(running).forEach(this::takeBack);
      }
    } finally {
      List.copyOf(running).forEach(this::abort);
    }
    destinations.end(this::giveUp);
    if (settings.hasOneEndpoint() && !isAnySettled && unavailable != null) {
      throw new IOException(unavailable);
    }
    return results;
  }

  private void sendAll() {
    try {
      boolean needsSlot = startAll();
      while ((needsSlot || !running.isEmpty())
          && destinations.timeLeft().compareTo(Duration.ZERO) > 0) {
        Runnable completion = completions.poll(nanosToWait(needsSlot), TimeUnit.NANOSECONDS);
        if (completion != null) {
          completion.run();
        }
        watch();
        needsSlot = startAll();
      }
    } catch (InterruptedException interrupt) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Aborts the requests that have run for more than half of the batch's time, and counts an attempt
   * for each. Otherwise an event whose endpoint needs longer would be sent again in each batch.
   */
  private void noteThoseThatHadTime() {
    for (RunningDelivery each : List.copyOf(running)) {
      HttpEndpoint endpoint = each.delivery().endpoint();
      Duration age = each.age();
      if (endpoint != null && age.compareTo(time.dividedBy(2)) > 0) {
        abort(each);
        note(
            each,
            Response.withoutResponse(
                "%s did not respond within %s, when the time of the batch had passed"
                    .formatted(endpoint.host(), age.truncatedTo(ChronoUnit.SECONDS))),
            age);
      }
    }
  }

  /** Ends a request to a slow server because other events wait. No attempt counts. */
  private void takeBack(RunningDelivery delivery) {
    abort(delivery);
    delivery.destination().takeBack(delivery.delivery());
  }

  /** Returns the time until the next check of the requests in progress. */
  private long nanosToWait(boolean needsSlot) {
    long nanos = Math.min(needsSlot ? SLOT_NANOS : CHECK_NANOS, destinations.timeLeft().toNanos());
    for (RunningDelivery each : running) {
      Duration age = each.age();
      Duration next = longest();
      if (age.compareTo(settings.firstPatience()) < 0) {
        next = settings.firstPatience();
      } else if (age.compareTo(settings.patience()) < 0) {
        next = settings.patience();
      }
      nanos = Math.min(nanos, next.minus(age).toNanos());
    }
    return Math.max(1, nanos);
  }

  /** The time after which a request or a lookup counts as failed. */
  private Duration longest() {
    return settings.timeout().plus(settings.patience());
  }

  /** Moves slow requests to slots for slow ones, and aborts those that do not end. */
  private void watch() {
    for (RunningDelivery each : List.copyOf(running)) {
      boolean isLookup = each.delivery().endpoint() == null;
      if (each.age().compareTo(longest()) >= 0) {
        abort(each);
        note(each, isLookup ? lookupNotEnded() : Response.withoutResponse(notSent()), each.age());
      } else if (each.age().compareTo(settings.patience()) >= 0 && !settings.hasOneEndpoint()) {
        each.slot().moveToSlow();
        if (!isLookup) {
          each.destination().noteSlow();
        }
      } else if (each.age().compareTo(settings.firstPatience()) >= 0
          && !isLookup
          && !each.destination().isQuick()
          && !settings.hasOneEndpoint()) {
        each.slot().moveToSlow();
      }
    }
  }

  private Response lookupNotEnded() {
    return Response.settled(
        PublishResult.retry(notSent() + ": the function did not return its endpoint."));
  }

  private String notSent() {
    return "The event was not sent within " + settings.timeout();
  }

  private void abort(RunningDelivery delivery) {
    if (end(delivery)) {
      delivery.abort();
    }
  }

  /** Returns false if the delivery was ended before. */
  private boolean end(RunningDelivery delivery) {
    boolean isRunning = running.remove(delivery);
    if (isRunning) {
      delivery.destination().end();
    }
    return isRunning;
  }

  /** Starts requests and lookups while there are slots. Returns whether a slot was missing. */
  private boolean startAll() {
    while (!cannotStart) {
      DestinationQueue next = destinations.next();
      if (next == null) {
        return false;
      }
      boolean isSlow = next.isSlow() && !settings.hasOneEndpoint();
      RequestSlots.Slot slot = settings.slots().acquire(isSlow);
      if (slot == null) {
        return true;
      }
      start(new RunningDelivery(next.remove(), next, slot));
    }
    return false;
  }

  private void start(RunningDelivery started) {
    HttpEndpoint endpoint = started.delivery().endpoint();
    if (endpoint != null && requests.pause(endpoint).compareTo(Duration.ZERO) > 0) {
      started.slot().free();
      giveUp(started.delivery(), started.destination());
      return;
    }
    running.add(started);
    started.destination().begin();
    try {
      settings
          .threads()
          .execute(() -> started.run(() -> completions.add(carryOut(started, endpoint))));
    } catch (Throwable failure) { // the publisher is closed, or there is no memory for a thread
      cannotStart = true;
      boolean unused = end(started);
      started.slot().free();
    }
  }

  /** Looks up the endpoint or sends the event. Called by a thread of the pool. */
  private Runnable carryOut(RunningDelivery started, @Nullable HttpEndpoint endpoint) {
    RecordedEvent event = batch.events().get(started.delivery().position());
    try {
      if (endpoint == null) {
        HttpEndpoint found = requests.endpoint(event);
        return () -> {
          if (end(started)) {
            enqueue(started.delivery(), found);
          }
        };
      }
      Response attempt = requests.send(event, endpoint, batch);
      return completion(started, attempt);
    } catch (InterruptedException aborted) {
      return completion(started, Response.settled(PublishResult.notTried()));
    } catch (Throwable failure) { // from the application's function or its client
      return completion(
          started,
          Response.settled(PublishResult.retry("The event was not sent: " + description(failure))));
    }
  }

  private Runnable completion(RunningDelivery started, Response attempt) {
    Duration taken = started.age();
    return () -> {
      if (end(started)) {
        note(started, attempt, taken);
      }
    };
  }

  private void note(RunningDelivery ended, Response attempt, Duration taken) {
    int position = ended.delivery().position();
    PublishResult.Kind kind = attempt.result().kind();
    results.set(position, attempt.result());
    if (ended.delivery().endpoint() != null && kind != PublishResult.Kind.NOT_TRIED) {
      boolean tookLong = taken.compareTo(settings.patience()) >= 0;
      ended.destination().note(attempt.isUnavailable(), tookLong);
    }
    if (attempt.isUnavailable()) {
      unavailable = unavailable == null ? attempt.result().reason() : unavailable;
    } else if (kind != PublishResult.Kind.NOT_TRIED) {
      isAnySettled = true;
    }
    if (kind == PublishResult.Kind.SENT) {
      enqueueNext(ended.delivery().later(), ended.destination());
    }
  }

  /** Enqueues the next event of an aggregate, which may have another endpoint. */
  private void enqueueNext(Queue<Integer> positions, DestinationQueue destination) {
    Integer position = positions.poll();
    if (position != null) {
      destination.add(new Delivery(position, positions, null));
    }
  }

  private void enqueue(Delivery delivery, HttpEndpoint endpoint) {
    destinations
        .of(endpoint.server())
        .add(new Delivery(delivery.position(), delivery.later(), endpoint));
  }

  /** If a server is paused, unavailable or slow, postpones its deliveries that wait. */
  private void giveUp(DestinationQueue destination) {
    while (destination.isWaiting()) {
      giveUp(destination.remove(), destination);
    }
  }

  private void giveUp(Delivery delivery, DestinationQueue destination) {
    if (settings.hasOneEndpoint() || destination == destinations.lookups()) {
      return;
    }
    HttpEndpoint endpoint = delivery.endpoint();
    Duration pause = endpoint == null ? Duration.ZERO : requests.pause(endpoint);
    if (pause.compareTo(LONG_PAUSE) > 0) {
      postpone(delivery, pause);
    } else if (destination.isUnavailable()) {
      postpone(delivery, longer(settings.slowServers().restLeft(), LONG_PAUSE));
    } else if (destination.isSlow()) {
      postpone(delivery, longer(settings.slowServers().restLeft(), SHORTEST_REST));
    }
  }

  private void postpone(Delivery delivery, Duration delay) {
    results.set(delivery.position(), PublishResult.postponed(delay));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  /** Describes what the application's function threw, without a URI that may contain secrets. */
  private static String description(Throwable failure) {
    return failure.getCause() instanceof URISyntaxException invalid
        ? "The URI of the endpoint is not valid: %s at index %d"
            .formatted(invalid.getReason(), invalid.getIndex())
        : failure.toString();
  }
}
