package dev.skipjack.outbox;

import static dev.skipjack.model.Tables.OUTBOX_PUBLISHED;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.outbox.EventWrites.Block;
import dev.skipjack.outbox.EventWrites.Change;
import dev.skipjack.outbox.FetchStatement.Pending;
import dev.skipjack.outbox.FetchStatement.Retried;
import dev.skipjack.outbox.LeaseWrites.Extension;
import dev.skipjack.outbox.ShardMarks.Sweep;
import dev.skipjack.outbox.SweepStatements.First;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.QueueExtension;
import dev.skipjack.store.jooq.internal.history.DailyPartitions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jooq.DSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The transactions of relays. Safe for any number of threads. */
final class RelayStore {

  private static final Logger LOG = LoggerFactory.getLogger(RelayStore.class);

  private final OwnTransactions transactions;
  private final DailyPartitions history;
  private final boolean keepsHistory;
  private final Statement<LeaseShardsStatement.Request, ShardLease> lease;
  private final Statement<FetchStatement.Request, Pending> pending;
  private final Statement<FetchStatement.Request, Retried> retried;
  private final Statement<List<ShardLease>, Integer> lock;
  private final Statement<Extension, Integer> extend;
  private final Statement<List<ShardLease>, Integer> release;
  private final Statement<List<RecordedEvent>, UUID> publish;
  private final Statement<List<Change>, UUID> change;
  private final Statement<List<Block>, Integer> block;
  private final Statement<List<Aggregate>, Integer> unblock;
  private final Statement<NoRequest, Long> position;
  private final Statement<NoRequest, String> writers;
  private final Statement<NoRequest, First> first;
  private final ShardMarks marks;

  /**
   * @param keepsHistory whether published events are kept
   */
  RelayStore(QueueExtension queue, boolean keepsHistory) {
    this(queue, keepsHistory, new ShardMarks(System::nanoTime, ShardMarks.FAST));
  }

  RelayStore(QueueExtension queue, boolean keepsHistory, ShardMarks marks) {
    Lazy<DSLContext> dialect = queue.dialect();
    this.transactions = queue.transactions();
    this.history = queue.dailyPartitions().of(OUTBOX_PUBLISHED.getName());
    this.keepsHistory = keepsHistory;
    this.lease = Statement.lazily(() -> LeaseShardsStatement.of(dialect.get()));
    this.pending = Statement.lazily(() -> FetchStatement.pending(dialect.get()));
    this.retried = Statement.lazily(() -> FetchStatement.retried(dialect.get()));
    this.lock = Statement.lazily(() -> LeaseWrites.lock(dialect.get()));
    this.extend = Statement.lazily(() -> LeaseWrites.extend(dialect.get()));
    this.release = Statement.lazily(() -> LeaseWrites.release(dialect.get()));
    this.publish =
        Statement.lazily(
            () ->
                keepsHistory
                    ? EventWrites.publish(dialect.get())
                    : EventWrites.discard(dialect.get()));
    this.change = Statement.lazily(() -> EventWrites.change(dialect.get()));
    this.block = Statement.lazily(() -> EventWrites.block(dialect.get()));
    this.unblock = Statement.lazily(() -> EventWrites.unblock(dialect.get()));
    this.position = Statement.lazily(() -> SweepStatements.position(dialect.get()));
    this.writers = Statement.lazily(() -> SweepStatements.writers(dialect.get()));
    this.first = Statement.lazily(() -> SweepStatements.first(dialect.get()));
    this.marks = marks;
  }

  /**
   * Leases shards that have something to publish and reads their events. The transaction has ended
   * when this method returns.
   *
   * @param limit the approximate maximum number of events
   * @param bytes the approximate maximum size of their payloads
   * @return the events; empty if no free shard has any
   */
  Optional<Fetched> next(String relay, int shards, Duration duration, int limit, long bytes) {
    return marked(
        () -> {
          if (marks.beginSweep()) {
            sweep();
          }
          return read(relay, shards, duration, limit, bytes);
        });
  }

  private void sweep() {
    long start = System.nanoTime();
    try {
      Sweep sweep =
          transactions.inOne(
              session ->
                  new Sweep(
                      session.run(position, NoRequest.NONE).get(0),
                      Set.copyOf(session.run(writers, NoRequest.NONE)),
                      session.run(first, NoRequest.NONE)));
      marks.note(sweep, System.nanoTime() - start);
    } catch (StoreException failure) { // for example because the role may not read the sequence
      marks.drop();
      LOG.debug("Relay continues without marks", failure);
    }
  }

  /**
   * Runs work. Drops the marks if the database fails, because the next connection may lead to
   * another server.
   */
  private <R> R marked(Supplier<R> work) {
    try {
      return work.get();
    } catch (RuntimeException | Error failure) {
      marks.drop();
      throw failure;
    }
  }

  private Optional<Fetched> read(
      String relay, int shards, Duration duration, int limit, long bytes) {
    return transactions.inOne(
        session -> {
          long start = System.nanoTime();
          List<Long> lows = marks.marks();
          // The leases are in the order in which a batch is recorded, so that an extension locks
          // the shards in the same order.
          List<ShardLease> leases =
              session
                  .run(lease, new LeaseShardsStatement.Request(relay, shards, duration, lows))
                  .stream()
                  .sorted(Comparator.comparingInt(ShardLease::shard))
                  .toList();
          if (leases.isEmpty()) {
            marks.noteRead(System.nanoTime() - start, 0);
            return Optional.empty();
          }
          FetchStatement.Request request =
              new FetchStatement.Request(leases, lows, Math.max(1, limit / leases.size()), bytes);
          List<Pending> events = session.run(pending, request);
          List<Retried> retries =
              leases.stream().anyMatch(ShardLease::hasRetries)
                  ? session.run(retried, request)
                  : List.of();
          marks.noteRead(System.nanoTime() - start, events.size() + retries.size());
          return Optional.of(Fetched.of(leases, events, retries, request.isReached(events)));
        });
  }

  /**
   * Records the result of a batch and releases its leases. Records nothing of a shard whose lease
   * was lost, because another relay publishes its events again. The call may be repeated.
   *
   * @return what was recorded
   */
  BatchResult record(List<ShardLease> leases, BatchResult result) {
    return marked(
        () ->
            history
                .healing()
                .run(() -> transactions.inOne(session -> record(session, leases, result))));
  }

  private BatchResult record(Session session, List<ShardLease> leases, BatchResult result)
      throws SQLException {
    Set<Integer> held = new HashSet<>(session.run(lock, leases));
    BatchResult recorded = held.size() == leases.size() ? result : result.within(held);
    run(session, publish, recorded.published());
    run(session, block, recorded.blocks());
    run(session, change, recorded.changes());
    run(session, unblock, recorded.maybeFree());
    run(session, release, leases);
    return recorded;
  }

  private static <Q, R> void run(Session session, Statement<List<Q>, R> statement, List<Q> request)
      throws SQLException {
    if (!request.isEmpty()) {
      List<R> unused = session.run(statement, request);
    }
  }

  /**
   * Extends leases.
   *
   * @return whether all of them are still held
   */
  boolean extend(List<ShardLease> leases, Duration duration) {
    return marked(
        () ->
            transactions.runInOneRoundTrip(extend, new Extension(leases, duration)).size()
                == leases.size());
  }

  CreatedPartitions createPartitions(Duration ahead) {
    return history.createPartitions(ahead);
  }

  /** Removes published events that are older than {@code retention}, in whole partitions. */
  Optional<RemovedPartitions> removePartitions(Duration retention) {
    return keepsHistory ? Optional.of(history.removePartitions(retention)) : Optional.empty();
  }
}
