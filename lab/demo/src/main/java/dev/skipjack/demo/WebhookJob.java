package dev.skipjack.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The payload of a delivery's job: the whole delivery.
 *
 * @param salt the salt of the run, from which the handler derives the {@link Fate}
 */
record WebhookJob(
    UUID delivery,
    String event,
    @Nullable String action,
    @Nullable String repository,
    JsonNode payload,
    long salt) {

  /** The queue of all jobs of the demo. */
  static final String QUEUE = "webhooks";

  /**
   * The job type. The backoff is short, to let the demo end quickly. The maximum number of attempts
   * is high, because killing the demo uses up attempts; the handler ends a poisoned job long
   * before.
   */
  static final JobType<WebhookJob> TYPE =
      JobType.of("webhook.received", WebhookJob.class)
          .onQueue(QUEUE)
          .maxAttempts(25)
          .retry(Backoff.fixed(Duration.ofMillis(200)).jitter(0.5));

  private static final int URGENT = 10;

  static WebhookJob of(Delivery delivery, long salt) {
    return new WebhookJob(
        delivery.id(),
        delivery.event(),
        delivery.action(),
        delivery.repository(),
        delivery.payload(),
        salt);
  }

  /** Returns the priority of a delivery's job. Jobs with a higher priority are served first. */
  static int priority(Delivery delivery) {
    return delivery.isUrgent() ? URGENT : TYPE.priority().orElse(0);
  }
}
