package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs.Promoted;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Tests when an enqueue sends a wake-up, with a clock in milliseconds. */
class WakeUpSenderTest {

  private static final NewJob WORK = job("work", EnqueueOptions.none());
  private static final NewJob OTHER = job("other", EnqueueOptions.none());

  private final List<Long> sent = new ArrayList<>();
  private long now;
  private final WakeUpSender sender =
      new WakeUpSender(
          recording(),
          new WakeUpChannel("skipjack"),
          Set.of(),
          wakeUps -> {},
          () -> Duration.ofMillis(now).toNanos());

  @Test
  void jobsThatArriveOneByOneSendOneWakeUpInFiveMilliseconds() {
    enqueueEvery(3, 30, WORK);

    assertThat(sent).containsExactly(0L, 6L, 12L, 18L, 24L);
  }

  @Test
  void streamSendsOneWakeUpInTwentyFiveMilliseconds() {
    enqueueEvery(1, 60, WORK);

    assertThat(sent).containsExactly(0L, 25L, 50L);
  }

  /** A worker that finds no job polls at longer and longer intervals. */
  @Test
  void firstJobAfterAPauseInAStreamSendsAWakeUp() {
    enqueueEvery(1, 10, WORK);
    now = 12;
    enqueue(WORK);

    assertThat(sent).containsExactly(0L, 12L);
  }

  /** A wake-up names one kind and one lane, and a worker may not serve the others. */
  @Test
  void aMixtureOfKindsOrLanesIsNoStream() {
    enqueueEvery(1, 11, WORK, OTHER);
    assertThat(sent).containsExactly(0L, 5L, 10L);

    sent.clear();
    now = 100;
    enqueueEvery(1, 11, WORK, job("work", EnqueueOptions.none().priority(3)));
    assertThat(sent).containsExactly(100L, 105L, 110L);
  }

  @Test
  void eachQueueHasItsOwnWakeUps() {
    enqueueEvery(1, 3, WORK, job("work", EnqueueOptions.none().onQueue("another")));

    assertThat(sent).containsExactly(0L, 1L);
  }

  private static NewJob job(String kind, EnqueueOptions options) {
    return NewJob.of(JobType.of(kind, String.class), "{}", options);
  }

  /** Enqueues the given jobs in turn. */
  private void enqueueEvery(int millis, int duration, NewJob... jobs) {
    long end = now + duration;
    for (int i = 0; now < end; i++, now += millis) {
      enqueue(jobs[i % jobs.length]);
    }
  }

  private void enqueue(NewJob job) {
    sender.committed(
        List.of(job), List.of(new EnqueueResult.Enqueued(new JobId(1))), Promoted.NOTHING);
  }

  /** Returns a data source that records wake-ups. A wake-up that cannot be sent counts as sent. */
  private DataSource recording() {
    return (DataSource)
        Proxy.newProxyInstance(
            WakeUpSenderTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              sent.add(now);
              throw new SQLException("no connection");
            });
  }
}
