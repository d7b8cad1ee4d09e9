package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TimedAccessIT {

  @Test
  void listenerReceivesListingsRescuesAndCompletions() throws Exception {
    List<String> calls = new ArrayList<>();
    TimedAccess.CallListener listener =
        new TimedAccess.CallListener() {
          @Override
          public void claimed(int jobs, boolean marked, long nanos) {
            calls.add("claimed " + jobs);
          }

          @Override
          public void completed(int jobs) {
            calls.add("completed " + jobs);
          }

          @Override
          public void listed(long nanos) {
            calls.add("listed");
          }

          @Override
          public void rescued(long nanos) {
            calls.add("rescued");
          }
        };
    try (QueueDatabase server = QueueDatabase.create();
        BenchmarkDatabase database = BenchmarkDatabase.open(Optional.of(server.jdbcUrl()), 2)) {
      QueueAccess access = TimedAccess.of(database.queue(1), listener);

      access.store().dueLanes(List.of("default"));
      access.store().rescue(Duration.ZERO, 1);
      access.store().complete(List.of());
    }

    assertThat(calls).containsExactly("listed", "rescued", "completed 0");
  }

  @Test
  void aWorkerGetsAllOtherPartsOfTheQueue() throws Exception {
    try (QueueDatabase server = QueueDatabase.create();
        BenchmarkDatabase database = BenchmarkDatabase.open(Optional.of(server.jdbcUrl()), 2)) {
      JobQueue queue = database.queue(1);

      QueueAccess access = TimedAccess.of(queue, (jobs, marked, nanos) -> {});

      assertThat(access.scheduleStore()).isPresent();
      assertThat(access.orderedJobs()).isPresent();
      assertThat(access.wakeUps()).isPresent();
      assertThat(access.poolSize()).isPresent().isEqualTo(queue.poolSize());
      assertThat(access.codec()).isSameAs(queue.codec());
    }
  }
}
