package dev.skipjack.torture;

import dev.skipjack.api.Backoff;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.RecordedEvent;
import dev.skipjack.outbox.Relay;
import dev.skipjack.outbox.http.HttpEndpoint;
import dev.skipjack.outbox.http.HttpPublisher;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.torture.Destination.Response;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The relay of a process, with the servers to which it sends. All processes together have more
 * relay threads than can hold shards at once, so idle threads take over every lease that expires.
 */
final class EventRelay implements AutoCloseable {

  /** The number of connections that a relay and its destination need. */
  static final int CONNECTIONS = 6;

  private static final int THREADS = 3;
  private static final int SHARDS = 8;
  private static final int BATCH = 50;
  private static final Duration BACKOFF = Duration.ofMillis(100);
  private static final Duration LONGEST_BACKOFF = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(200);

  /** The destination is unavailable for one batch in this number. */
  private static final int UNAVAILABLE = 20;

  private final DestinationServer servers;
  private final HttpPublisher http;
  private final Relay relay;

  private EventRelay(DestinationServer servers, HttpPublisher http, Relay relay) {
    this.servers = servers;
    this.http = http;
    this.relay = relay;
  }

  /**
   * Starts a relay.
   *
   * @param overHttp whether events are sent over HTTP, several at a time; otherwise one by one
   */
  static EventRelay start(
      JobQueue queue, String name, Destination destination, Duration lease, boolean overHttp) {
    DestinationServer servers = new DestinationServer(destination);
    Set<UUID> begun = ConcurrentHashMap.newKeySet();
    HttpPublisher http =
        HttpPublisher.to(
                event -> {
                  begun.add(event.id());
                  return HttpEndpoint.of(servers.uri(manner(event)));
                })
            .timeout(Manner.TIMEOUT)
            .allowPrivateAddresses()
            .build();
    Relay relay =
        Outbox.on(queue)
            .relay(
                overHttp
                    ? sometimesUnavailable(recordingUnanswered(http, begun, destination))
                    : oneByOne(destination))
            .name(name)
            .threads(THREADS)
            .shards(SHARDS)
            .batchSize(BATCH)
            .lease(lease)
            .publishTimeout(lease)
            .backoff(Backoff.exponential(BACKOFF).atMost(LONGEST_BACKOFF))
            .maxAttempts(Work.MANY_ATTEMPTS)
            .pollInterval(POLL)
            .build()
            .start();
    return new EventRelay(servers, http, relay);
  }

  private static Manner manner(RecordedEvent event) {
    return Manner.of(event.aggregate().type(), event.aggregate().id());
  }

  /**
   * Returns {@link Publisher#each} unwrapped. Otherwise a relay would not record the events that
   * were sent before a failure.
   */
  private static Publisher oneByOne(Destination destination) {
    return Publisher.each(
        event -> {
          if (ThreadLocalRandom.current().nextInt(UNAVAILABLE * BATCH) == 0) {
            throw new IOException("The destination is unavailable, as planned.");
          }
          return result(
              destination.receive(
                  manner(event), event.id().toString(), event.text(), event.failures()));
        });
  }

  private static PublishResult result(Optional<Response> response) throws IOException {
    return switch (response.orElseThrow(() -> new IOException("No response, as planned."))) {
      case ACCEPTED -> PublishResult.sent();
      case BUSY -> PublishResult.retry("busy, as planned");
      case REJECTED -> PublishResult.dead("rejected, as planned");
    };
  }

  private static Publisher sometimesUnavailable(Publisher publisher) {
    return batch -> {
      if (ThreadLocalRandom.current().nextInt(UNAVAILABLE) == 0) {
        throw new IOException("The destination is unavailable, as planned.");
      }
      return publisher.publish(batch);
    };
  }

  /**
   * Records the events for which no response arrived. The relay sends them again, so they may
   * arrive more than once, even without a fault: on a busy machine, a destination may respond later
   * than the relay waits.
   *
   * @param begun the events whose endpoints were looked up, which precedes each request
   */
  private static Publisher recordingUnanswered(
      Publisher publisher, Set<UUID> begun, Destination destination) {
    return batch -> {
      List<PublishResult> results = publisher.publish(batch);
      for (int i = 0; i < results.size(); i++) {
        UUID event = batch.events().get(i).id();
        if (begun.remove(event) && !isAnswered(results.get(i))) {
          destination.unanswered(event.toString());
        }
      }
      return results;
    };
  }

  private static boolean isAnswered(PublishResult result) {
    return result.kind() == PublishResult.Kind.SENT || result.reason().contains("HTTP status");
  }

  @Override
  public void close() {
    relay.close();
    http.close();
    servers.close();
  }
}
