package dev.skipjack.store.jooq.internal;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.api.spi.UniqueUntil;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Jobs that differ from a plain one in a single value. */
public final class OtherJobs {

  private static final JobType<Object> TYPE = JobType.of("work", Object.class);

  /** A job for which the caller set nothing. */
  public static final NewJob PLAIN = of(TYPE, EnqueueOptions.none());

  private OtherJobs() {}

  /** Returns a job for each value that a caller can set, except for the payload. */
  public static List<NewJob> all() {
    return List.of(
        of(TYPE, EnqueueOptions.none().onQueue("other")),
        of(JobType.of("other", Object.class), EnqueueOptions.none()),
        of(TYPE.payloadVersion(7), EnqueueOptions.none()),
        of(TYPE, EnqueueOptions.none().priority(7)),
        of(TYPE, EnqueueOptions.none().maxAttempts(7)),
        of(TYPE, EnqueueOptions.none().at(Instant.parse("2100-01-01T00:00:00Z"))),
        PLAIN.delayed(Duration.ofHours(7)),
        PLAIN.tagged(List.of("other")),
        PLAIN.withHeaders(Map.of("tenant", "other")),
        PLAIN.unique(new UniqueKey("other", "other", UniqueUntil.DEAD)),
        of(TYPE, EnqueueOptions.none().group("other")),
        of(TYPE, EnqueueOptions.none().orderingKey("other")),
        of(TYPE.orderingPolicy(OrderingPolicy.PARK), EnqueueOptions.none().orderingKey("other")));
  }

  private static NewJob of(JobType<?> type, EnqueueOptions options) {
    return NewJob.of(type, "{}", options);
  }
}
