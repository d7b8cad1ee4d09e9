package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.EndedTransaction;
import dev.skipjack.sql.FollowUp;
import dev.skipjack.sql.OwnConnections;
import dev.skipjack.sql.ReadOnlyServer;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs.Promoted;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes workers for jobs that are due immediately.
 *
 * <p>NOTIFY takes a lock on the whole server at commit, so it is sent rarely. After the queue's own
 * transactions, and after callers' transactions with deferred wake-ups, it is sent at most once per
 * queue within a few milliseconds, because a woken worker polls again soon. Wake-ups for ordering
 * keys are not limited in this way. Other callers' transactions that began in the same tenth of a
 * second compete for an advisory lock of the queue, and only its holder sends a wake-up. Safe for
 * any number of threads.
 */
final class WakeUpSender {

  private static final Logger LOG = LoggerFactory.getLogger(WakeUpSender.class);

  /** The delay after which a woken worker lists the lanes again. */
  private static final long QUIET = Duration.ofMillis(5).toNanos();

  /**
   * The interval below which successive jobs of a lane count as a stream. A worker polls 5 to 6 ms
   * after each claim from a stream, so it needs no wake-up.
   */
  private static final long DENSE = Duration.ofNanos(2_500_000).toNanos();

  /** The interval between wake-ups during a stream, for workers that do not claim from it yet. */
  private static final long QUIET_IN_STREAM = Duration.ofMillis(25).toNanos();

  /** The maximum number of ordering keys for which a call sends wake-ups. */
  private static final int MOST_KEYS = 100;

  private static final String NOTIFY =
      "SELECT pg_catalog.pg_notify(?::pg_catalog.text, ?::pg_catalog.text)";

  /**
   * Sends a wake-up in its own transaction. Its commit is not flushed to disk: if a crash loses the
   * wake-up, polling finds the jobs.
   */
  static final String SEND = NOTIFY + ", pg_catalog.set_config('synchronous_commit', 'off', true)";

  /**
   * Sends a wake-up unless another transaction holds the lock. The key of the lock depends on when
   * the transaction began, so that a long transaction does not suppress the wake-ups of later ones.
   */
  private static final String SEND_UNLESS_ANOTHER_DOES =
      NOTIFY
          + " WHERE pg_catalog.pg_try_advisory_xact_lock(?::bigint OPERATOR(pg_catalog.#)"
          + " pg_catalog.floor((pg_catalog.date_part('epoch', pg_catalog.now())"
          + " OPERATOR(pg_catalog.*) 10::double precision))::bigint)";

  private final OwnConnections connections;
  private final WakeUpChannel channel;
  private final Set<String> silent;
  private final Consumer<List<WakeUp>> local;
  private final LongSupplier clock;
  private final Map<String, Recent> recent = new ConcurrentHashMap<>();

  /**
   * @param silent the queues whose workers are not woken
   * @param local receives the wake-ups that will be sent after a commit
   * @param clock replaces {@link System#nanoTime()}
   */
  WakeUpSender(
      DataSource dataSource,
      WakeUpChannel channel,
      Set<String> silent,
      Consumer<List<WakeUp>> local,
      LongSupplier clock) {
    this.connections = new OwnConnections(dataSource);
    this.channel = channel;
    this.silent = Set.copyOf(silent);
    this.local = local;
    this.clock = clock;
  }

  /**
   * Returns a query that wakes workers when the caller's transaction with this job commits, or null
   * if none is necessary.
   */
  @Nullable FollowUp within(NewJob job) {
    return wakes(job) ? within(wakeUp(job)) : null;
  }

  /** Returns a query that sends {@code wakeUp} when the caller's transaction commits. */
  FollowUp within(WakeUp wakeUp) {
    return new FollowUp(
        SEND_UNLESS_ANOTHER_DOES,
        List.of(channel.name(), channel.text(wakeUp), channel.lock(wakeUp.lane().queue())));
  }

  /**
   * Wakes workers for jobs whose transaction has committed. If that fails, polling finds the jobs.
   *
   * @param promoted the result of the promotion after the commit. Workers promote the jobs of the
   *     keys that were left
   */
  void committed(List<NewJob> jobs, List<EnqueueResult> results, Promoted promoted) {
    List<WakeUp> wakeUps = dueNow(jobs, results);
    wakeUps.removeIf(
        wakeUp -> wakeUp.orderingKey() != null && !promoted.left().contains(wakeUp.orderingKey()));
    wakeUps.addAll(promoted.wakeUps());
    removeUnneeded(wakeUps);
    if (!wakeUps.isEmpty()) {
      local.accept(wakeUps);
      send(wakeUps);
    }
  }

  /**
   * Removes the wake-ups of silent queues. Keeps at most one per queue of those without an ordering
   * key, and none if the queue does not need one now.
   */
  private void removeUnneeded(List<WakeUp> wakeUps) {
    Set<String> queues = new HashSet<>();
    wakeUps.removeIf(
        wakeUp -> {
          String queue = wakeUp.lane().queue();
          return silent.contains(queue)
              || (wakeUp.orderingKey() == null && (!queues.add(queue) || !isNeeded(wakeUp)));
        });
  }

  /**
   * Wakes workers after a change to a schedule was committed. If that fails, the workers find the
   * change within a minute.
   */
  void schedulesChanged() {
    send(List.of(WakeUp.SCHEDULES));
  }

  private void send(Collection<WakeUp> wakeUps) {
    try (Connection connection = connections.borrow()) {
      try {
        boolean autoCommit = connection.getAutoCommit();
        send(connection, SEND, wakeUps);
        if (!autoCommit) {
          connection.commit();
        }
      } catch (SQLException failure) {
        ReadOnlyServer.abandon(connection, failure);
        throw failure;
      }
    } catch (Throwable failure) {
      notSent(wakeUps, failure);
    }
  }

  private void send(Connection connection, String sql, Collection<WakeUp> wakeUps)
      throws SQLException {
    try (PreparedStatement send = connection.prepareStatement(sql)) {
      for (WakeUp wakeUp : wakeUps) {
        send.setString(1, channel.name());
        send.setString(2, channel.text(wakeUp));
        send.execute();
      }
    }
  }

  /**
   * Logs the failure and throws nothing: the jobs are committed, and an exception would make the
   * caller enqueue them again.
   */
  private static void notSent(Collection<WakeUp> wakeUps, Throwable failure) {
    LOG.debug(
        "Wake-up not sent; workers find the jobs by polling lanes={}",
        wakeUps.stream().map(WakeUp::lane).toList(),
        failure);
  }

  /** Returns a collector for the wake-ups of a caller's transaction. */
  DueJobs collect() {
    return new DueJobs();
  }

  /** Wakes workers for the jobs of {@code transaction} when it commits. */
  void within(Connection transaction, List<NewJob> jobs, List<EnqueueResult> results)
      throws SQLException {
    List<WakeUp> wakeUps = dueNow(jobs, results);
    if (wakeUps.isEmpty()) {
      return;
    }
    try (PreparedStatement send = transaction.prepareStatement(SEND_UNLESS_ANOTHER_DOES)) {
      for (WakeUp wakeUp : wakeUps) {
        send.setString(1, channel.name());
        send.setString(2, channel.text(wakeUp));
        send.setLong(3, channel.lock(wakeUp.lane().queue()));
        send.execute();
      }
    }
  }

  private List<WakeUp> dueNow(List<NewJob> jobs, List<EnqueueResult> results) {
    DueJobs due = new DueJobs();
    due.add(jobs, results);
    return due.wakeUps();
  }

  /**
   * Collects at most one wake-up per queue, because a worker that is woken for one lane finds the
   * others. Also collects one wake-up for each of the first ordering keys. The woken worker
   * searches for the other keys.
   */
  final class DueJobs {

    private final Map<String, WakeUp> byQueue = new LinkedHashMap<>();
    private final Map<String, WakeUp> byKey = new LinkedHashMap<>();

    void add(List<NewJob> jobs, List<EnqueueResult> results) {
      for (int i = 0; i < jobs.size(); i++) {
        NewJob job = jobs.get(i);
        if (results.get(i) instanceof EnqueueResult.Enqueued && wakes(job)) {
          String key = job.orderingKey();
          if (key == null) {
            byQueue.merge(
                job.queue(),
                wakeUp(job),
                (one, other) -> one.lane().priority() >= other.lane().priority() ? one : other);
          } else if (byKey.size() < MOST_KEYS) {
            byKey.putIfAbsent(key, wakeUp(job));
          }
        }
      }
    }

    private List<WakeUp> wakeUps() {
      List<WakeUp> wakeUps = new ArrayList<>(byQueue.values());
      wakeUps.addAll(byKey.values());
      return wakeUps;
    }

    /** Sends the collected wake-ups that are needed, after the commit. Never throws. */
    void send(Connection connection) {
      List<WakeUp> wakeUps = wakeUps();
      byQueue.clear();
      byKey.clear();
      removeUnneeded(wakeUps);
      if (wakeUps.isEmpty()) {
        return;
      }
      local.accept(wakeUps);
      try {
        // SEND would turn off synchronous_commit for an open transaction.
        EndedTransaction.after(
            connection, own -> WakeUpSender.this.send(connection, own ? SEND : NOTIFY, wakeUps));
      } catch (Throwable failure) {
        notSent(wakeUps, failure);
      }
    }
  }

  /** Returns whether a job is due now and wakes a worker. */
  boolean wakes(NewJob job) {
    return job.wakesUp() && !silent.contains(job.queue()) && isDue(job);
  }

  private static WakeUp wakeUp(NewJob job) {
    Integer priority = job.priority();
    return new WakeUp(
        new Lane(job.queue(), priority == null ? 0 : priority), job.kind(), job.orderingKey());
  }

  /**
   * Returns whether a job is due now. Uses this machine's clock, because the result only determines
   * whether a wake-up is sent.
   */
  private static boolean isDue(NewJob job) {
    Instant at = job.scheduledAt();
    return job.delay().isZero() && (at == null || !at.isAfter(Instant.now()));
  }

  private boolean isNeeded(WakeUp wakeUp) {
    long now = clock.getAsLong();
    boolean[] needed = {false};
    recent.compute(
        wakeUp.lane().queue(),
        (queue, last) -> {
          needed[0] = last == null || now - last.sentAt >= last.quiet(wakeUp, now);
          return new Recent(wakeUp, now, needed[0] || last == null ? now : last.sentAt);
        });
    return needed[0];
  }

  /**
   * The latest enqueue into a queue, and the time when a wake-up was last sent for that queue.
   *
   * @param wakeUp the wake-up that would be sent for the enqueue
   */
  private record Recent(WakeUp wakeUp, long enqueuedAt, long sentAt) {

    /** Returns the time after the last wake-up during which the queue needs no further wake-up. */
    long quiet(WakeUp next, long now) {
      return now - enqueuedAt <= DENSE && next.equals(wakeUp) ? QUIET_IN_STREAM : QUIET;
    }
  }
}
