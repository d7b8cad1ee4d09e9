package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.faults.ForkedJvm;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests that a queue logs nothing at INFO, for example jOOQ's logo and tip. */
class QuietStartIT {

  /** Creates a queue in a JVM in which jOOQ has not been used before. */
  static final class Application {

    public static void main(String[] args) {
      JobQueue queue = JobQueue.on(new PGSimpleDataSource());
      System.out.println("made " + queue.getClass().getSimpleName());
      System.out.println("left " + System.getProperty("org.jooq.no-logo"));
    }
  }

  @Test
  void creatingAQueueLogsNothing() throws Exception {
    try (ForkedJvm application = ForkedJvm.of(Application.class).start()) {
      application.awaitLine("left", Duration.ofMinutes(1));

      assertThat(application.lines()).containsExactly("made JobQueue", "left null");
    }
  }
}
