package dev.skipjack.torture;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.steps.Batch;
import dev.skipjack.steps.Batches;
import dev.skipjack.steps.Signals;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Enqueues batches of {@link StepWork}, and sends signals to it. Immutable. */
final class StepProducer {

  /** The start of the names of the batches. */
  static final String BATCH = "torture-batch";

  private static final int MANNERS = 8;

  /** When the signal is sent to a job. */
  enum When {
    BEFORE,
    AT_ONCE,
    LATER,
    NEVER
  }

  private final Batches batches;
  private final Signals signals;
  private final DataSource dataSource;

  private StepProducer(Batches batches, Signals signals, DataSource dataSource) {
    this.batches = batches;
    this.signals = signals;
    this.dataSource = dataSource;
  }

  static StepProducer of(JobQueue queue, DataSource dataSource) {
    return new StepProducer(Batches.on(queue), Signals.on(queue), dataSource);
  }

  static When when(Work work) {
    if (work.workload() != Workload.STEPS) {
      return When.NEVER;
    }
    int draw = Math.floorMod(work.key().hashCode(), MANNERS * MANNERS);
    return draw == 0
        ? When.NEVER
        : draw % MANNERS < 2 ? When.BEFORE : draw % MANNERS < 4 ? When.AT_ONCE : When.LATER;
  }

  /** Sends the signal of a job. If that fails, the job continues without it. */
  void signal(String key) {
    try {
      Object unused = signals.sendToKey(key, StepWork.SIGNAL, key);
    } catch (StoreException failure) {
      // The checker knows from the table which signals were sent.
    }
  }

  /**
   * Enqueues jobs as a batch with a callback, in one transaction.
   *
   * @throws SQLException if the commit failed, so that it may have succeeded
   * @throws StoreException if the transaction failed before its commit and was rolled back
   */
  List<EnqueueResult> enqueue(List<Work> works) throws SQLException {
    Connection connection;
    try {
      connection = dataSource.getConnection();
    } catch (SQLException failure) {
      throw new StoreException("Could not get a connection.", failure);
    }
    try (connection) {
      List<JobId> jobs;
      try {
        connection.setAutoCommit(false);
        Batches within = batches.in(connection);
        Batch batch = within.open(BATCH + "-" + works.get(0).key());
        Work first = works.get(0);
        jobs = within.add(batch.id(), first.type(), works, first::options);
        batch.onFinish(StepWork.CALLBACK, id -> new StepWork.Callback(id.value())).seal();
      } catch (SQLException failure) {
        throw new StoreException("The enqueue failed and was rolled back.", failure);
      }
      connection.commit();
      return jobs.stream().<EnqueueResult>map(EnqueueResult.Enqueued::new).toList();
    }
  }
}
