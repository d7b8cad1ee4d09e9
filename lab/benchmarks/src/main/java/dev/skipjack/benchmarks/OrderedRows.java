package dev.skipjack.benchmarks;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The preloaded jobs of {@link Ordering}, numbered from 1, to which the ordering keys are assigned
 * in rotation. Also checks the order in which their handlers start. Safe for any number of threads.
 *
 * @param keys number of ordering keys; 0 if the jobs have none
 */
record OrderedRows(long jobs, int keys, AtomicLongArray last, AtomicLong violations) {

  private static final String PAYLOAD = "jsonb_build_object('n', n, 'text', repeat('x', 80))";

  static OrderedRows of(long jobs, int keys) {
    return new OrderedRows(jobs, keys, new AtomicLongArray(Math.max(keys, 1)), new AtomicLong());
  }

  /** Inserts the jobs: the first job of each key as its head, and the others behind it. */
  void insert(BenchmarkDatabase database) throws SQLException {
    if (keys == 0) {
      database.preload(jobs, "'default'", Noop.TYPE.kind(), "0");
    } else {
      database.inSchema(
          "INSERT INTO @jobs (kind, payload, status, ordering_key, ordering_head) SELECT '%s', %s,"
                  .formatted(Noop.TYPE.kind(), PAYLOAD)
              + " CASE WHEN n <= %d THEN 'pending' ELSE 'waiting' END, 'key ' || n %% %d,"
                  .formatted(keys, keys)
              + " CASE WHEN n <= %d THEN true END FROM generate_series(1, %d) AS n"
                  .formatted(keys, jobs));
    }
  }

  /** Inserts jobs of one key: a head that is due in an hour, and {@code waiting} jobs behind it. */
  static void insertHotKey(BenchmarkDatabase database, long waiting) throws SQLException {
    database.inSchema(
        "INSERT INTO @jobs (kind, payload, status, ordering_key, ordering_head, scheduled_at)"
            + " SELECT '%s', %s,".formatted(Noop.TYPE.kind(), PAYLOAD)
            + " CASE WHEN n = 0 THEN 'pending' ELSE 'waiting' END, 'hot', CASE WHEN n = 0 THEN true END,"
            + " now() + CASE WHEN n = 0 THEN interval '1 hour' ELSE interval '0' END"
            + " FROM generate_series(0, %d) AS n".formatted(waiting));
  }

  /** Records that the handler of job {@code n} has started. */
  void started(long n) {
    if (keys > 0 && last.getAndAccumulate((int) (n % keys), n, Math::max) >= n) {
      violations.incrementAndGet();
    }
  }
}
