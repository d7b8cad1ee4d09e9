package dev.skipjack.torture;

import dev.skipjack.api.Backoff;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Builds the relay of a process. */
final class EventRelay {

  /** The number of connections that a relay needs. */
  static final int CONNECTIONS = 5;

  private static final int THREADS = 2;
  private static final int SHARDS = 4;
  private static final int BATCH = 20;
  private static final Duration BACKOFF = Duration.ofMillis(100);
  private static final Duration POLL = Duration.ofMillis(200);

  /** The destination is unavailable for one batch in this number. */
  private static final int UNAVAILABLE = 20;

  private EventRelay() {}

  /** Starts a relay. */
  static Relay start(JobQueue queue, String name, Destination destination, Duration lease) {
    return Outbox.on(queue)
        .relay(publisher(destination))
        .name(name)
        .threads(THREADS)
        .shards(SHARDS)
        .batchSize(BATCH)
        .lease(lease)
        .backoff(Backoff.fixed(BACKOFF))
        .maxAttempts(Work.MANY_ATTEMPTS)
        .pollInterval(POLL)
        .build()
        .start();
  }

  private static Publisher publisher(Destination destination) {
    Publisher each =
        Publisher.each(
            event ->
                switch (destination.send(event.id().toString(), event.text(), event.failures())) {
                  case ACCEPTED -> PublishResult.sent();
                  case BUSY -> PublishResult.retry("busy, as planned");
                  case REJECTED -> PublishResult.dead("rejected, as planned");
                });
    return batch -> {
      if (ThreadLocalRandom.current().nextInt(UNAVAILABLE) == 0) {
        throw new IOException("The destination is unavailable, as planned.");
      }
      return each.publish(batch);
    };
  }
}
