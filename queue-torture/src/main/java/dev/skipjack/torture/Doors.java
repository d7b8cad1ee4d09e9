package dev.skipjack.torture;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.QueueAdmin;
import dev.skipjack.dedup.UniqueEnqueuer;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * What a producer sees of the queue.
 *
 * @param within an enqueuer in the transaction that is open on a connection
 * @param dataSource where such connections come from
 */
record Doors(
    JobEnqueuer jobs,
    Function<Connection, JobEnqueuer> within,
    UniqueEnqueuer unique,
    QueueAdmin admin,
    DataSource dataSource) {

  static Doors of(JobQueue queue, DataSource dataSource) {
    return new Doors(queue, queue::in, UniqueJobs.on(queue), queue.admin(), dataSource);
  }
}
