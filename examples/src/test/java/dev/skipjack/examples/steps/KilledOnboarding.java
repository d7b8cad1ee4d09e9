package dev.skipjack.examples.steps;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import java.time.Duration;

/** A worker process that is killed at a point of an onboarding. */
final class KilledOnboarding {

  static final int EXIT = 99;

  private KilledOnboarding() {}

  /**
   * Runs the due jobs.
   *
   * @param args a JDBC URL, and the point
   */
  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.open(args[0])) {
      JobQueue queue = JobQueue.on(database.dataSource());
      Onboarding onboarding =
          new Onboarding(
              database.dataSource(),
              queue,
              Duration.ofDays(3),
              point -> {
                if (point.equals(args[1])) {
                  Runtime.getRuntime().halt(EXIT);
                }
              });
      onboarding.worker(queue).build().runUntilIdle();
    }
  }
}
