package dev.skipjack.testkit;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.spi.JobStore;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;

/**
 * The part of {@link JobStoreContract} that needs no database, for in-memory stores that replace a
 * real one in tests. It checks that only the execution that owns a job can change it, and that
 * batches return a verdict for each attempt without waiting.
 */
public abstract class AttemptContract {

  private AttemptFixture prepared;

  /** Constructor for subclasses. */
  protected AttemptContract() {}

  /** {@return the store under test} */
  protected abstract JobStore store();

  /** {@return an enqueuer for the store} */
  protected abstract JobEnqueuer enqueuer();

  /**
   * {@return a job as a reader of the store would return it}
   *
   * @param job the id of the job
   */
  protected abstract JobDetails find(JobId job);

  /**
   * Opens a caller's transaction, which is rolled back when the connection is closed.
   *
   * @return the connection of the transaction
   * @throws SQLException if the transaction cannot be opened
   */
  protected abstract Connection transaction() throws SQLException;

  /**
   * Locks the row of a job until the returned connection is closed.
   *
   * @param job the id of the job
   * @return the connection that holds the lock
   * @throws SQLException if the row cannot be locked
   */
  protected abstract Connection hold(JobId job) throws SQLException;

  @BeforeEach
  void open() {
    prepared =
        new AttemptFixture() {
          @Override
          JobStore store() {
            return AttemptContract.this.store();
          }

          @Override
          JobEnqueuer enqueuer() {
            return AttemptContract.this.enqueuer();
          }

          @Override
          JobDetails find(JobId job) {
            return AttemptContract.this.find(job);
          }

          @Override
          Connection transaction() throws SQLException {
            return AttemptContract.this.transaction();
          }

          @Override
          Connection hold(JobId job) throws SQLException {
            return AttemptContract.this.hold(job);
          }
        };
  }

  @Nested
  class Fence extends FencePromises {
    @Override
    AttemptFixture given() {
      return prepared;
    }
  }

  @Nested
  class Batches extends BatchPromises {
    @Override
    AttemptFixture given() {
      return prepared;
    }
  }
}
