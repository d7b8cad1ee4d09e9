package dev.skipjack.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.PayloadException;
import dev.skipjack.store.jooq.JobQueue;
import java.math.BigDecimal;
import java.util.Collections;

/**
 * Refuses a delivery when it is read if the queue or PostgreSQL would later refuse its job. The
 * input then ends at exactly this line, whatever other threads send at the time.
 */
final class StorableCheck {

  /**
   * The maximum number of digits before the decimal point in PostgreSQL's {@code numeric}, in which
   * {@code jsonb} stores numbers.
   */
  private static final int MOST_DIGITS = 131_072;

  /** The maximum number of digits after the decimal point. */
  private static final int MOST_DECIMALS = 16_383;

  /** The salt whose decimal form is longest. */
  private static final long LONGEST_SALT = Long.MIN_VALUE;

  /**
   * A queue that runs its usual checks but writes nothing, because its interceptor returns a result
   * without calling the database. The queue never connects, so it need not be closed.
   */
  private static final JobQueue REHEARSAL =
      JobQueue.builder(new HikariDataSource())
          .interceptor(
              (jobs, next) ->
                  Collections.nCopies(jobs.size(), new EnqueueResult.Enqueued(new JobId(1))))
          .build();

  private StorableCheck() {}

  /**
   * Returns the delivery if its job can be stored.
   *
   * @throws IllegalArgumentException if it cannot be stored; the message is meant for the sender
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
