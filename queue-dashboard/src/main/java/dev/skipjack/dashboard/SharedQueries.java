package dev.skipjack.dashboard;

import dev.skipjack.api.StoreException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs queries for all viewers: at most two at a time, each of them once even if several viewers
 * ask for it, and not again while its result is fresh. A result that is a little older is shown
 * while the next one is read, so that a page that reloads does not wait. Otherwise, a viewer waits
 * for a limited time, and then gets the last result. Thread-safe.
 *
 * <p>A result stays fresh for at least 20 times as long as it took to read, so that a query uses at
 * most 5 % of a connection, however large the tables are.
 */
final class SharedQueries implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SharedQueries.class);

  /** How many queries run at the same time, each on a connection of its own. */
  static final int THREADS = 2;

  private static final int LONGEST_QUEUE = 200;
  private static final int MOST_RESULTS = 100;
  private static final long IDLE_SECONDS = 10;

  /** The SQLSTATE of a statement that was cancelled, for instance because of its time limit. */
  private static final String CANCELLED = "57014";

  /** For how long a result stays fresh, in multiples of the time that it took. */
  private static final int REST = 20;

  private static final Duration LONGEST_REST = Duration.ofSeconds(30);

  /**
   * How old a result may be that is shown while the next one is read, in multiples of its
   * freshness.
   */
  private static final int RECENT = 3;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition ended = lock.newCondition();
  private final Map<Object, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private final ThreadPoolExecutor threads;
  private final Clock clock;

  /**
   * The number of changes so far. A query that began before the latest change returns no fresh
   * result.
   */
  private long changes;

  private final Duration patience;

  /**
   * @param patience how long a viewer waits
   */
  SharedQueries(Clock clock, Duration patience) {
    this.clock = clock;
    this.patience = patience;
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(LONGEST_QUEUE),
            task -> {
              Thread thread = new Thread(task, "skipjack-dashboard");
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** A query that has been started. */
  interface Started<T> {

    /** Waits for the result. */
    Panel<T> panel();

    /** Returns a query whose result is computed from this one's, for each viewer again. */
    default <R> Started<R> map(Function<T, R> change) {
      return () -> panel().map(change);
    }
  }

  /** The last result of a query, and whether it is running. The lock protects it. */
  private static final class Entry {
    @Nullable Object value;
    @Nullable Instant readAt;
    @Nullable String problem;
    @Nullable Instant endedAt;
    Duration rest = Duration.ZERO;
    boolean running;

    /** The number of changes before the query began to run. */
    long began;

    /** What to run next, because a viewer asked after a change that the running query may miss. */
    @Nullable Supplier<?> next;

    boolean isDue(Instant now, Duration fresh) {
      return !running && (endedAt == null || !now.isBefore(endedAt.plus(longer(fresh))));
    }

    boolean isRecent(Instant now, Duration fresh) {
      return problem == null
          && endedAt != null
          && now.isBefore(endedAt.plus(longer(fresh).multipliedBy(RECENT)));
    }

    private Duration longer(Duration fresh) {
      return rest.compareTo(fresh) > 0 ? rest : fresh;
    }
  }

  /**
   * Starts a query, unless it is running or its last result is fresh.
   *
   * @param key identifies the query: its name, or a list of its name and its parameters
   * @param fresh for how long a result is not read again
   * @param query returns the result
   */
  <T> Started<T> start(Object key, Duration fresh, Supplier<T> query) {
    long deadline = System.nanoTime() + patience.toNanos();
    lock.lock();
    try {
      Entry entry = entries.computeIfAbsent(key, unknown -> new Entry());
      if (entry.isDue(clock.instant(), fresh)) {
        submit(entry, key, query);
      } else if (entry.running && entry.began != changes) {
        entry.next = query;
      }
      dropOldest();
      return () -> await(entry, fresh, deadline);
    } finally {
      lock.unlock();
    }
  }

  private void dropOldest() {
    if (entries.size() > MOST_RESULTS) {
      entries.values().stream()
          .filter(entry -> !entry.running)
          .findFirst()
          .ifPresent(oldest -> entries.values().remove(oldest));
    }
  }

  private void submit(Entry entry, Object key, Supplier<?> query) {
    entry.running = true;
    entry.began = changes;
    try {
      threads.execute(() -> run(entry, key, query));
    } catch (RejectedExecutionException full) {
      entry.running = false;
      entry.problem = "Too many queries are waiting. Try again in a moment.";
    }
  }

  private void run(Entry entry, Object key, Supplier<?> query) {
    begin(entry);
    Instant begin = clock.instant();
    Object value = null;
    String problem = null;
    boolean answered = true;
    try {
      value = query.get();
    } catch (Throwable failure) {
      problem = problemOf(failure);
      answered = isCancelled(failure);
      report(entry, key, failure);
    }
    lock.lock();
    try {
      Instant now = clock.instant();
      if (problem == null) {
        entry.value = value;
        entry.readAt = now;
      }
      entry.problem = problem;
      entry.endedAt = entry.began == changes ? now : null;
      entry.rest = answered ? restAfter(Duration.between(begin, now)) : Duration.ZERO;
      entry.running = false;
      Supplier<?> next = entry.next;
      entry.next = null;
      if (next != null) {
        submit(entry, key, next);
      }
      ended.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static boolean isCancelled(Throwable failure) {
    return failure instanceof StoreException store && stateOf(store).equals(CANCELLED);
  }

  private static String stateOf(StoreException failure) {
    return failure.sqlState().orElse("");
  }

  private static Duration restAfter(Duration took) {
    Duration rest = took.multipliedBy(REST);
    return rest.compareTo(LONGEST_REST) < 0 ? rest : LONGEST_REST;
  }

  private void begin(Entry entry) {
    lock.lock();
    try {
      entry.began = changes;
      entry.next = null; // this run sees all changes so far
    } finally {
      lock.unlock();
    }
  }

  /** Logs the first of several failures, unless the dashboard is being closed. */
  private void report(Entry entry, Object key, Throwable failure) {
    lock.lock();
    try {
      if (entry.problem == null && !(failure instanceof Refusal) && !threads.isShutdown()) {
        Object name = key instanceof List<?> parts ? parts.get(0) : key;
        LOG.warn("Dashboard query failed query={}", name, failure);
      }
    } finally {
      lock.unlock();
    }
  }

  private static String problemOf(Throwable failure) {
    if (failure instanceof Refusal refusal) {
      return refusal.sentence();
    }
    if (!(failure instanceof StoreException store)) {
      return "This could not be read; the log of the dashboard says why.";
    }
    return switch (stateOf(store)) {
      case CANCELLED -> "The query was stopped, because it took longer than 2 s.";
      case "42501" -> "The database role of the dashboard may not read this.";
      case "42P01", "3F000", "42703" ->
          "The schema does not fit this version of the library. Run the migrations, or upgrade.";
      default -> "The database could not be reached or rejected the query.";
    };
  }

  @SuppressWarnings("unchecked") // one key always belongs to one type
  private <T> Panel<T> await(Entry entry, Duration fresh, long deadline) {
    lock.lock();
    try {
      while (entry.running && !entry.isRecent(clock.instant(), fresh)) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return new Panel<>(
              (T) entry.value, entry.readAt, "The database has not responded in time.");
        }
        ended.awaitNanos(left);
      }
      return new Panel<>((T) entry.value, entry.readAt, entry.problem);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return new Panel<>((T) entry.value, entry.readAt, "The dashboard is being stopped.");
    } finally {
      lock.unlock();
    }
  }

  /** Forgets when results were read, so that the page after a change shows it. */
  void refresh() {
    lock.lock();
    try {
      changes++;
      entries.values().forEach(entry -> entry.endedAt = null);
    } finally {
      lock.unlock();
    }
  }

  /** Waits until running queries, which have a time limit, have returned their connections. */
  @Override
  public void close() {
    threads.shutdownNow();
    try {
      if (!threads.awaitTermination(2L * Dashboard.QUERY_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("Dashboard closed while queries were running");
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
