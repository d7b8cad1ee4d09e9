package dev.skipjack.dedup;

import dev.skipjack.api.spi.NewJob;

/** The set of jobs among which keys are compared. */
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

  /** Returns the scope's name in stored keys. */
  abstract String of(NewJob job);
}
