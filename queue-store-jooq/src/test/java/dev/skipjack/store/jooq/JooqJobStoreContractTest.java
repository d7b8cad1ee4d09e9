package dev.skipjack.store.jooq;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WorkerRegistry;
import dev.skipjack.testkit.JobStoreContract;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.StorePorts;
import java.sql.Connection;

/** The store fulfils the contract of its interfaces. */
// snippet: contract
class JooqJobStoreContractTest extends JobStoreContract {

  @Override
  protected StorePorts portsOn(QueueDatabase database) {
    return new Ports(JobQueue.builder(database.dataSource()).schema(database.schema()).build());
  }

  private record Ports(JobQueue queue) implements StorePorts {

    @Override
    public JobStore store() {
      return queue.store();
    }

    @Override
    public JobEnqueuer enqueuer() {
      return queue;
    }

    // end of snippet

    @Override
    public JobEnqueuer enqueuerIn(Connection transaction) {
      return queue.in(transaction);
    }

    @Override
    public QueueAdmin admin() {
      return queue.admin();
    }

    @Override
    public JobReader reader() {
      return queue.reader();
    }

    @Override
    public Maintenance maintenance() {
      return queue.maintenance();
    }

    @Override
    public WorkerRegistry workers() {
      return queue.workers();
    }
  }
}
