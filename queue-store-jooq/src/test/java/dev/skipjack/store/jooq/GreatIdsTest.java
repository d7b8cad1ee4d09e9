package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests a queue that has already had three billion jobs, so that no id fits into 32 bits. */
@QueueTest
class GreatIdsTest {

  @Test
  void everyStatementAcceptsIdsBeyond32Bits(QueueDatabase database) {
    Fixture fixture = new Fixture(database);
    fixture.execute("ALTER SEQUENCE @jobs_id_seq RESTART 3000000000");
    fixture.execute("ALTER SEQUENCE @job_execution_id_seq RESTART 3000000000");

    JobId first = fixture.queue.enqueue(Fixture.WORK, new Work(1), job -> job.idempotencyKey("a"));
    fixture.enqueue(3);
    assertThat(first).isEqualTo(new JobId(3_000_000_000L));
    assertThat(fixture.queue.enqueueOnce(Fixture.WORK, new Work(2), job -> job.idempotencyKey("a")))
        .isEqualTo(new AlreadyQueued(first));
    assertThat(fixture.value("SELECT @enqueue('work', '{\"number\": 5}')")).isEqualTo("3000000004");

    List<Execution> claimed = fixture.claim(5).stream().map(ClaimedJob::execution).toList();
    assertThat(claimed)
        .hasSize(5)
        .allSatisfy(each -> assertThat(each.id().value()).isGreaterThanOrEqualTo(3_000_000_000L));
    assertThat(fixture.store.heartbeat(claimed, Fixture.EXPIRED))
        .containsOnly(new Renewal(Verdict.DONE, false));
    assertThat(fixture.store.complete(claimed.subList(0, 1))).containsExactly(Verdict.DONE);
    assertThat(
            fixture.store.fail(
                List.of(new Failure(claimed.get(1), JobError.of("no luck"), Duration.ZERO, false))))
        .containsExactly(new Ended(Verdict.DONE, JobStatus.PENDING));
    assertThat(
            fixture.store.requeue(
                List.of(new Requeue(claimed.get(2), ExecutionStatus.RELEASED, Duration.ZERO))))
        .containsExactly(new Ended(Verdict.DONE, JobStatus.PENDING));
    assertThat(fixture.store.rescue(Duration.ZERO, 10)).hasSize(2);
  }
}
