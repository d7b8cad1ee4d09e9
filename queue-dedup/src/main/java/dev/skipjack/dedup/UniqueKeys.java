package dev.skipjack.dedup;

import dev.skipjack.api.spi.IdempotencyKey;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.StoredKey;
import dev.skipjack.api.spi.UniqueKey;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Assigns unique keys in stored form to jobs, and reads them back. */
final class UniqueKeys {

  private static final String PERIOD = "period/";

  /**
   * The prefix of keys of next jobs. No scope begins with it, so callers cannot request such a key.
   */
  private static final String NEXT = "next/";

  /**
   * The maximum number of waiting jobs that requested the same key: the first one and the next
   * ones.
   */
  static final int MOST_JOBS = 5;

  private UniqueKeys() {}

  /**
   * Returns {@code job} with {@code key} in a scope.
   *
   * @throws IllegalArgumentException if the key is null or invalid, or the job has an idempotency
   *     key
   */
  static NewJob give(NewJob job, Scope scope, Hold hold, @Nullable String key) {
    if (key == null) {
      throw new IllegalArgumentException(
          "Unique key of kind '%s' is null. Return a text, or enqueue the job without a key."
              .formatted(job.kind()));
    }
    if (hold instanceof Hold.ByJob byJob) {
      StoredKey stored = stored(job, scope.of(job), key);
      return job.unique(new UniqueKey(stored.text(), stored.label(), byJob.until()));
    }
    Hold.ForPeriod period = (Hold.ForPeriod) hold;
    return job.once(
        new IdempotencyKey(stored(job, PERIOD + scope.of(job), key).text(), period.length()));
  }

  private static StoredKey stored(NewJob job, String scope, String key) {
    return StoredKey.of("Unique key of kind '" + job.kind() + "'", scope, key);
  }

  /**
   * Returns {@code job} with the next key, to which requests are handed over while the holder of
   * this key is overdue.
   *
   * @return the job, or null if {@code job} has the last key
   */
  static @Nullable NewJob next(NewJob job) {
    return handovers(job) == MOST_JOBS - 1 ? null : rekeyed(job, NEXT + of(job));
  }

  /** Returns {@code job} with the key that it requested. */
  static NewJob asked(NewJob job) {
    int handovers = handovers(job);
    return handovers == 0 ? job : rekeyed(job, of(job).substring(handovers * NEXT.length()));
  }

  /**
   * Returns the job with the requested key, followed by copies with the keys to which the request
   * may be handed over.
   */
  static List<NewJob> all(NewJob asked) {
    return Stream.iterate(asked, Objects::nonNull, UniqueKeys::next).toList();
  }

  /** Returns how many times the request has been handed over. */
  private static int handovers(NewJob job) {
    String key = of(job);
    int handovers = 0;
    while (key.startsWith(NEXT, handovers * NEXT.length())) {
      handovers++;
    }
    return handovers;
  }

  private static NewJob rekeyed(NewJob job, String key) {
    UniqueKey unique = Objects.requireNonNull(job.uniqueKey());
    return job.unique(new UniqueKey(key, unique.label(), unique.until()));
  }

  /** Returns the key of a job that has one. */
  static String of(NewJob job) {
    UniqueKey unique = job.uniqueKey();
    IdempotencyKey period = job.idempotencyKey();
    if (unique != null) {
      return unique.key();
    }
    if (period != null) {
      return period.key();
    }
    throw new IllegalArgumentException("A job of kind '%s' has no key.".formatted(job.kind()));
  }
}
