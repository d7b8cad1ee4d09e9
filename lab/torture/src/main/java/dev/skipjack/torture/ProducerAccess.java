package dev.skipjack.torture;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.dedup.UniqueEnqueuer;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * The parts of the queue that a producer uses.
 *
 * @param within returns an enqueuer that uses the transaction of a connection
 * @param dataSource supplies connections for {@code within} and for the function {@code enqueue}
 * @param schema the schema of the function {@code enqueue}
 */
record ProducerAccess(
    JobEnqueuer jobs,
    Function<Connection, JobEnqueuer> within,
    UniqueEnqueuer unique,
    QueueAdmin admin,
    JobReader reader,
    StepProducer steps,
    DataSource dataSource,
    String schema) {

  static ProducerAccess of(JobQueue queue, DataSource dataSource, String schema) {
    return new ProducerAccess(
        queue,
        queue::in,
        UniqueJobs.on(queue),
        queue.admin(),
        queue.reader(),
        StepProducer.of(queue, dataSource),
        dataSource,
        schema);
  }
}
