package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerEvent;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a database whose clock jumps ahead by more than a lease. The test moves the timestamps back
 * instead of moving the clock ahead: every lease has expired, and every due time has passed.
 */
@QueueTest
@Timeout(60)
class ClockStepIT {

  private static final int JOBS = 4;

  @Test
  void stepAheadUsesOneMoreAttemptAndNothingElse(QueueDatabase database) throws Exception {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    EventLog events = new EventLog();
    TaskHandler handler = new TaskHandler(database.dataSource());
    CountDownLatch stepped = new CountDownLatch(1);
    fixture.enqueue(JOBS, Task.Deed.WORK);
    try (Worker worker =
        Worker.on(fixture.queue())
            .handle(
                Task.TYPE,
                (task, context) -> {
                  if (context.attempt() == 1) {
                    stepped.await();
                  }
                  return handler.handle(task, context);
                })
            .queue("default", 2 * JOBS)
            .config(ForkedWorker.config())
            .listener(events)
            .start()) {
      await().until(() -> worker.status().running() == JOBS);
      fixture.execute(
          "UPDATE @jobs SET lease_expires_at = lease_expires_at - interval '1 hour', scheduled_at = scheduled_at - interval '1 hour'");
      await().until(() -> events.all(WorkerEvent.Rescued.class).size() >= 1);
      stepped.countDown();
      fixture.assertAllDoneOnce();
    }
    assertThat(fixture.count("job_executions")).isBetween((long) JOBS, 2L * JOBS);
    assertThat(fixture.count("job_executions WHERE status = 'lost'"))
        .isEqualTo(events.all(WorkerEvent.Rescued.class).size());
  }
}
