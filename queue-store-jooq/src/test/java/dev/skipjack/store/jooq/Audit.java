package dev.skipjack.store.jooq;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.LongToIntFunction;
import java.util.function.Predicate;

/**
 * The attempts in the audit, in the order of their starts. An attempt runs from its start until its
 * end, exclusive. Times are in microseconds since 1970, by the database's clock.
 */
public final class Audit {

  private static final long NEVER = Long.MAX_VALUE;

  private static final String ATTEMPTS =
      "SELECT id, queue, coalesce(group_key, ''), (extract(epoch FROM started_at) * 1e6)::bigint,"
          + " (extract(epoch FROM finished_at) * 1e6)::bigint FROM %s.job_executions";

  /**
   * An attempt.
   *
   * @param group the group; empty if the job has none
   * @param finished when it ended; {@link Long#MAX_VALUE} if it is running
   */
  public record Attempt(long id, String queue, String group, long started, long finished) {}

  private final List<Attempt> attempts;

  private Audit(List<Attempt> attempts) {
    this.attempts =
        attempts.stream()
            .sorted(Comparator.comparingLong(Attempt::started).thenComparingLong(Attempt::id))
            .toList();
  }

  /** Reads the audit. */
  public static Audit read(QueueDatabase database) throws SQLException {
    List<Attempt> attempts = new ArrayList<>();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ATTEMPTS.formatted(database.schema()))) {
      while (row.next()) {
        long finished = row.getLong(5);
        boolean isRunning = row.wasNull();
        attempts.add(
            new Attempt(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getLong(4),
                isRunning ? NEVER : finished));
      }
    }
    return new Audit(attempts);
  }

  static Audit of(List<Attempt> attempts) {
    return new Audit(attempts);
  }

  /** Returns an audit with some of the attempts. */
  public Audit where(Predicate<Attempt> condition) {
    return new Audit(attempts.stream().filter(condition).toList());
  }

  public List<Attempt> attempts() {
    return attempts;
  }

  /** Returns the largest number of attempts that ran at the same time. */
  public int mostRunning() {
    return mostRunning(attempt -> "");
  }

  /** Returns the largest number of attempts of one group that ran at the same time. */
  public int mostRunningOfAGroup() {
    return mostRunning(Attempt::group);
  }

  private int mostRunning(Function<Attempt, String> by) {
    int most = 0;
    Map<String, PriorityQueue<Long>> ends = new HashMap<>();
    for (Attempt attempt : attempts) {
      most =
          Math.max(
              most,
              add(attempt, ends.computeIfAbsent(by.apply(attempt), each -> new PriorityQueue<>())));
    }
    return most;
  }

  /** Returns the attempts that started when more were running than {@code most} allows then. */
  public List<Attempt> startedAbove(LongToIntFunction most) {
    PriorityQueue<Long> ends = new PriorityQueue<>();
    return attempts.stream()
        .filter(attempt -> add(attempt, ends) > most.applyAsInt(attempt.started))
        .toList();
  }

  /** Adds an attempt to those that are running, and returns their number. */
  private static int add(Attempt attempt, PriorityQueue<Long> ends) {
    while (!ends.isEmpty() && ends.peek() <= attempt.started) {
      ends.remove();
    }
    ends.add(attempt.finished);
    return ends.size();
  }

  /** Returns the largest number of attempts that started within any period of this length. */
  public int mostStartsIn(long micros) {
    int most = 0;
    int first = 0;
    for (int last = 0; last < attempts.size(); last++) {
      while (attempts.get(last).started - attempts.get(first).started >= micros) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  /**
   * Returns by how many starts the busiest period exceeds a token bucket, which allows {@code
   * burst} starts and one more for each interval of the period. Returns 0 or less if none exceeds
   * it.
   */
  public int aboveBucket(int burst, long interval) {
    long above = Integer.MIN_VALUE;
    long latest = Long.MIN_VALUE;
    for (int i = 0; i < attempts.size(); i++) {
      // The time of the start if one start per interval were exactly on time.
      long shifted = attempts.get(i).started - i * interval;
      latest = Math.max(latest, shifted);
      above = Math.max(above, 1 - burst - Math.floorDiv(shifted - latest, interval));
    }
    return (int) above;
  }

  /** Returns the largest number of attempts that started in one of the fixed windows. */
  public int mostStartsInWindows(long micros) {
    Map<Long, Integer> windows = new HashMap<>();
    attempts.forEach(
        attempt -> windows.merge(Math.floorDiv(attempt.started, micros), 1, Integer::sum));
    return windows.values().stream().mapToInt(count -> count).max().orElse(0);
  }
}
