package dev.skipjack.torture;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.dedup.UniqueEnqueuer;
import java.sql.Connection;
import java.util.function.Function;

/** A queue that is broken in one or more parts. The other parts are the real ones. */
interface Broken {

  default JobStore store(JobStore real, Sql sql) {
    return real;
  }

  default ScheduleStore schedules(ScheduleStore real, Sql sql) {
    return real;
  }

  default LeaseKeeper leases(LeaseKeeper real) {
    return real;
  }

  default JobEnqueuer jobs(JobEnqueuer real, Sql sql) {
    return real;
  }

  /**
   * Returns a function that creates the enqueuer of a caller's transaction.
   *
   * @param jobs enqueues in transactions of its own
   */
  default Function<Connection, JobEnqueuer> within(
      Function<Connection, JobEnqueuer> real, JobEnqueuer jobs) {
    return real;
  }

  default UniqueEnqueuer unique(UniqueEnqueuer real, JobEnqueuer jobs) {
    return real;
  }

  default QueueAdmin admin(QueueAdmin real, Sql sql) {
    return real;
  }

  default RowTaker.Claims rows(RowTaker.Claims real) {
    return real;
  }

  /** Returns the jobs that show the violation. */
  default Rig.Jobs jobs() {
    return Rig.Jobs.ALL;
  }

  /** Returns the faults under which the violation occurs. */
  default Rig.Faults faults() {
    return Rig.Faults.ZOMBIES;
  }
}
