package dev.skipjack.demo;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import java.time.Duration;

/** The payload of a delivery's job: the whole delivery, and the fate that its attempts follow. */
record WebhookJob(Delivery delivery, Fate fate) {

  static final String QUEUE = "webhooks";

  /**
   * The job type. The backoff is short, to let the demo end quickly. The maximum number of attempts
   * is high, because killing the demo uses up attempts. The handler ends a poisoned job earlier.
   */
  static final JobType<WebhookJob> TYPE =
      JobType.of("webhook.received", WebhookJob.class)
          .onQueue(QUEUE)
          .maxAttempts(25)
          .retry(Backoff.fixed(Duration.ofMillis(200)).jitter(0.5));
}
