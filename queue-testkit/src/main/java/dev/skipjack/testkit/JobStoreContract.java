package dev.skipjack.testkit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * Tests for the guarantees that every implementation of a store must provide. To test an
 * implementation, extend this class and run it on every version of PostgreSQL that the store
 * supports:
 *
 * <pre>{@code
 * class MyJobStoreContractTest extends JobStoreContract {
 *   @Override
 *   protected StorePorts portsOn(QueueDatabase database) {
 *     return new MyPorts(database.dataSource(), database.schema());
 *   }
 * }
 * }</pre>
 *
 * <p>The tests cover {@link dev.skipjack.api.spi.JobStore}, {@link
 * dev.skipjack.api.spi.Maintenance}, {@link dev.skipjack.api.spi.WorkerRegistry}, {@link
 * dev.skipjack.api.JobEnqueuer}, {@link dev.skipjack.api.operations.QueueAdmin} and {@link
 * dev.skipjack.api.operations.JobReader}, and are grouped by method. They do not cover the query
 * plans, the speed or the text of statements. Jobs are read through the reader of the store. To
 * simulate other transactions, the tests lock rows of the schema's {@code jobs} table with plain
 * SQL.
 *
 * <p>The tests run one after another on a separate database, which is provided by {@link
 * QueueTest}; {@link QueueDatabase} describes how its server is chosen. They have the tag {@value
 * #TAG}, so that a build can run only these tests on another server. They require {@code
 * junit-jupiter-params} on the class path, which an application that only uses {@link QueueTest}
 * does not need.
 */
@QueueTest
@Tag(JobStoreContract.TAG)
public abstract class JobStoreContract {

  /** The tag of the tests. */
  public static final String TAG = "store-contract";

  private StoreFixture prepared;

  /** Constructor for subclasses. */
  protected JobStoreContract() {}

  /**
   * {@return the store under test} This method is called before each test and may return the same
   * object each time.
   *
   * @param database a migrated database with empty tables
   */
  protected abstract StorePorts portsOn(QueueDatabase database);

  @BeforeEach
  void open(QueueDatabase database) {
    prepared = new StoreFixture(database, portsOn(database));
  }

  @Nested
  class Enqueue extends EnqueuePromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class EnqueueOnce extends IdempotencyKeyPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class UniqueKeys extends UniqueKeyPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Claim extends ClaimPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Outcomes extends OutcomePromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Batches extends BatchPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Fence extends FencePromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class CompleteIn extends CompleteInPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Rescue extends RescuePromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Cancel extends CancelPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class DeadLetters extends DeadLetterPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Edit extends EditPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Queues extends QueuePromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Read extends ReaderPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Workers extends WorkerPromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }

  @Nested
  class Partitions extends MaintenancePromises {
    @Override
    StoreFixture given() {
      return prepared;
    }
  }
}
