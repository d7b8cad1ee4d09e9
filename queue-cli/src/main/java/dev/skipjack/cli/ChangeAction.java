package dev.skipjack.cli;

import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.store.jooq.JobQueue;
import picocli.CommandLine.Mixin;

/** A command that changes something in a queue, which is recorded with its actor. */
abstract class ChangeAction extends QueueAction {

  @Mixin private Actor actor;

  @SuppressWarnings("NullAway.Init") // picocli sets the field before the command runs
  ChangeAction() {
    super(Access.WRITE);
  }

  final Actor actor() {
    return actor;
  }

  final QueueAdmin admin(JobQueue queue) {
    return actor.admin(queue);
  }
}
