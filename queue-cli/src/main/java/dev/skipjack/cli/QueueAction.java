package dev.skipjack.cli;

import dev.skipjack.store.jooq.JobQueue;

/** A command on a queue. */
abstract class QueueAction extends DatabaseAction {

  QueueAction(Access access) {
    super(access);
  }

  @Override
  final int run(KeptConnection connections, String schema, Output output) throws Exception {
    return run(JobQueue.builder(connections).schema(schema).codec(new RawJson()).build(), output);
  }

  /** Does the work and returns the exit code. */
  abstract int run(JobQueue queue, Output output) throws Exception;
}
