package dev.skipjack.dedup;

import dev.skipjack.api.spi.NewJob;

/** Among which jobs keys are compared. */
enum Scope {
  KIND {
    @Override
    String of(NewJob job) {
      return "kind/" + job.kind();
    }
  },
  QUEUE {
    @Override
    String of(NewJob job) {
      return "queue/" + job.queue();
    }
  },
  GLOBAL {
    @Override
    String of(NewJob job) {
      return "global";
    }
  };

  /** The scope as stored keys name it; kinds and queues hold neither '/' nor '#'. */
  abstract String of(NewJob job);
}
