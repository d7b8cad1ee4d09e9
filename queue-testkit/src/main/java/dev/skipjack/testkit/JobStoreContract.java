package dev.skipjack.testkit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The guarantees of every store of the queue, as tests. An implementation of a store extends this
 * class and runs it against every version of PostgreSQL that it supports:
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
 * <p>The tests cover the guarantees of {@link dev.skipjack.api.spi.JobStore}, {@link
 * dev.skipjack.api.spi.Maintenance}, {@link dev.skipjack.api.spi.WorkerRegistry}, {@link
 * dev.skipjack.api.JobEnqueuer}, {@link dev.skipjack.api.QueueAdmin} and {@link
 * dev.skipjack.api.JobReader}, grouped by their methods; plans, speed and the text of statements
 * must be tested by the store itself. Jobs are read through the store's reader. Rows are locked, as
 * another transaction would lock them, with plain SQL on the table {@code jobs} of the schema.
 *
 * <p>The tests run one after another on a database of their own, which {@link QueueTest} provides:
 * its server is chosen as {@link QueueDatabase} describes. They carry the tag {@value #TAG}, so
 * that a build can run them, and nothing else, on another server. JUnit's parameters ({@code
 * junit-jupiter-params}) must be on the class path; an application that only uses {@link QueueTest}
 * does not need them.
 */
@QueueTest
@Tag(JobStoreContract.TAG)
public abstract class JobStoreContract {

  /** The tag of the tests. */
  public static final String TAG = "store-contract";

  private StoreFixture prepared;

  /** For the class that extends this. */
  protected JobStoreContract() {}

  /**
   * The store under test. Called before each test; may return the same ports each time.
   *
   * @param database migrated, its tables empty
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
