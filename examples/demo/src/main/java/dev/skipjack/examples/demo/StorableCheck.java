package dev.skipjack.examples.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.PayloadException;
import dev.skipjack.store.jooq.JobQueue;
import java.math.BigDecimal;
import java.util.Collections;

/**
 * Refuses a delivery while it is read if the queue or PostgreSQL would refuse its job, so that the
 * input ends at exactly its line, whatever other threads send meanwhile.
 */
final class StorableCheck {

  /** Digits before the decimal point of PostgreSQL's numeric, which jsonb keeps numbers as. */
  private static final int MOST_DIGITS = 131_072;

  /** Digits after the decimal point. */
  private static final int MOST_DECIMALS = 16_383;

  /** The salt with the longest text. */
  private static final long LONGEST_SALT = Long.MIN_VALUE;

  /**
   * A queue that runs its usual checks and writes nothing: its interceptor returns a result instead
   * of the database. It never connects, so there is nothing to close.
   */
  private static final JobQueue REHEARSAL =
      JobQueue.builder(new HikariDataSource())
          .interceptor(
              (jobs, next) ->
                  Collections.nCopies(jobs.size(), new EnqueueResult.Enqueued(new JobId(1))))
          .build();

  private StorableCheck() {}

  /**
   * Returns the delivery itself.
   *
   * @throws IllegalArgumentException with the reason, in words for the sender of the line
   */
  static Delivery require(Delivery delivery) {
    requireNumbers(delivery.payload());
    try {
      REHEARSAL.enqueue(WebhookJob.TYPE, WebhookJob.of(delivery, LONGEST_SALT));
    } catch (PayloadException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    }
    return delivery;
  }

  private static void requireNumbers(JsonNode node) {
    if (node.isBigDecimal()) {
      BigDecimal number = node.decimalValue();
      if (number.scale() > MOST_DECIMALS
          || (long) number.precision() - number.scale() > MOST_DIGITS) {
        throw new IllegalArgumentException(
            "field 'payload' holds a number beyond PostgreSQL's: %s".formatted(number));
      }
    }
    node.forEach(StorableCheck::requireNumbers);
  }
}
