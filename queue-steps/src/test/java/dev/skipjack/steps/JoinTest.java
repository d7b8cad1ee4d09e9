package dev.skipjack.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.steps.JoinFailedException.Failed;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class JoinTest {

  record Order(int items) {}

  record Charge(int item) {}

  record Receipt(int item, String text) {}

  private static final JobType<Order> ORDER =
      JobType.of("order", Order.class)
          .onQueue("orders")
          .maxAttempts(3)
          .retry(Backoff.fixed(Duration.ZERO));
  private static final JobType<Charge> CHARGE =
      JobType.of("charge", Charge.class).onQueue("charges").maxAttempts(1);

  private BatchFixture fixture;

  /** The charges that fail. */
  private final List<Integer> broken = new CopyOnWriteArrayList<>();

  private final AtomicInteger charged = new AtomicInteger();
  private final List<Object> seen = new CopyOnWriteArrayList<>();

  @BeforeEach
  void begin(QueueDatabase database) {
    fixture = new BatchFixture(database);
  }

  private Worker.Builder worker(Handler<Order> order) {
    return Worker.on(fixture.queue)
        .handle(ORDER, order)
        .handle(
            CHARGE,
            (charge, job) -> {
              charged.incrementAndGet();
              return broken.contains(charge.item())
                  ? Outcome.dead("no money for " + charge.item())
                  : Outcome.completed(new Receipt(charge.item(), "a \"b\", [c] {d} \\"));
            })
        .queue("orders", 2)
        .queue("charges", 4);
  }

  private static List<Charge> charges(int count) {
    return IntStream.range(0, count).mapToObj(Charge::new).toList();
  }

  private static List<Receipt> receipts(int count) {
    return charges(count).stream()
        .map(charge -> new Receipt(charge.item(), "a \"b\", [c] {d} \\"))
        .toList();
  }

  private Outcome joinAll(Order order, dev.skipjack.worker.JobContext job) {
    Steps steps = Steps.of(job);
    Children children = steps.enqueueAll("charge", CHARGE, charges(order.items()));
    seen.add(steps.join(children, Receipt.class));
    return Outcome.completed();
  }

  private JobDetails details(JobId job) {
    return fixture.queue.reader().find(job).orElseThrow();
  }

  @Test
  void aJobContinuesWithTheResultsOfItsJobsInTheOrderOfTheirPayloads() {
    JobId order = fixture.queue.enqueue(ORDER, new Order(5));
    worker(this::joinAll).build().runUntilIdle();

    assertThat(seen).containsExactly(receipts(5));
    assertThat(charged).hasValue(5);
    assertThat(details(order).summary().status()).isEqualTo(JobStatus.COMPLETED);
    assertThat(
            fixture.value(
                "SELECT attempts - uncounted_attempts FROM @jobs_archive WHERE kind = 'order'"))
        .isEqualTo("1");
  }

  @Test
  void theLastChildResumesAStartedWorkersJob() {
    try (Worker worker = worker(this::joinAll).start()) {
      for (int i = 0; i < 20; i++) {
        fixture.queue.enqueue(ORDER, new Order(7));
      }
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> seen.size() == 20);
      assertThat(worker.status().stuck()).isZero();
    }
    assertThat(seen).containsOnly(receipts(7));
    assertThat(charged).hasValue(140);
  }

  /** No job is enqueued again, and no result changes, whatever an attempt does after the join. */
  @Test
  void laterAttemptsSeeTheSameJobsAndResults() {
    AtomicInteger attempts = new AtomicInteger();
    fixture.queue.enqueue(ORDER, new Order(3));
    worker(
            (order, job) -> {
              Outcome unused = joinAll(order, job);
              if (attempts.incrementAndGet() == 1) {
                fixture.execute("DELETE FROM @jobs_archive");
                throw new IllegalStateException("after the join");
              }
              return Outcome.completed();
            })
        .build()
        .runUntilIdle();

    assertThat(seen).containsExactly(receipts(3), receipts(3));
    assertThat(charged).hasValue(3);
  }

  @Test
  void severalFanOutsOfAJobAreJoinedSeparately() {
    fixture.queue.enqueue(ORDER, new Order(2));
    worker(
            (order, job) -> {
              Steps steps = Steps.of(job);
              Children late =
                  steps.enqueueAll(
                      "late", CHARGE, charges(2), child -> child.delay(Duration.ofHours(1)));
              Children soon = steps.enqueueAll("soon", CHARGE, charges(3));
              seen.add(steps.join(soon, Receipt.class).size());
              steps.join(late);
              seen.add("late");
              return Outcome.completed();
            })
        .build()
        .runUntilIdle();
    assertThat(seen).as("joined although others of its jobs are live").containsExactly(3);
    assertThat(fixture.batches.unfinished(null, 10))
        .singleElement()
        .satisfies(
            late -> {
              assertThat(late.name()).isEqualTo("late");
              assertThat(late.outer()).isEmpty();
              assertThat(late.joinedBy())
                  .contains(
                      new JobId(
                          Long.parseLong(
                              fixture.value("SELECT id FROM @jobs WHERE kind = 'order'"))));
            });
    fixture.execute("UPDATE @jobs SET scheduled_at = now() WHERE kind = 'charge'");
    worker(
            (order, job) -> {
              Steps steps = Steps.of(job);
              Children late = steps.enqueueAll("late", CHARGE, charges(2));
              steps.join(late);
              seen.add("late");
              return Outcome.completed();
            })
        .build()
        .runUntilIdle();

    assertThat(seen).containsExactly(3, "late");
    assertThat(charged).hasValue(5);
  }

  @Test
  void noJobsAreJoinedAtOnce() {
    fixture.queue.enqueue(ORDER, new Order(0));
    worker(this::joinAll).build().runUntilIdle();
    assertThat(seen).containsExactly(List.of());
  }

  @Test
  void aDeadJobFailsTheJoinAndARedriveRepairsIt() {
    broken.add(1);
    JobId order = fixture.queue.enqueue(ORDER, new Order(3));
    Worker worker = worker(this::joinAll).build();
    worker.runUntilIdle();

    JobDetails dead = details(order);
    assertThat(dead.summary().status()).isEqualTo(JobStatus.DEAD);
    assertThat(dead.summary().lastError())
        .contains("Of the 3 jobs of step 'charge', 1 have not completed")
        .contains("no money for 1");
    assertThat(charged).as("the jobs are enqueued once").hasValue(3);

    broken.clear();
    assertThat(fixture.queue.admin().redriveAll(DeadJobs.all()).redriven()).isEqualTo(2);
    worker.runUntilIdle();

    assertThat(details(order).summary().status()).isEqualTo(JobStatus.COMPLETED);
    assertThat(seen).containsExactly(receipts(3));
    assertThat(charged).hasValue(4);
  }

  @Test
  void aHandlerMayContinueWithoutTheJobsThatHaveNotCompleted() {
    broken.add(0);
    fixture.queue.enqueue(ORDER, new Order(3));
    worker(
            (order, job) -> {
              Steps steps = Steps.of(job);
              Children children = steps.enqueueAll("charge", CHARGE, charges(3));
              try {
                steps.join(children);
              } catch (JoinFailedException failed) {
                seen.addAll(failed.failed());
              }
              return Outcome.completed();
            })
        .build()
        .runUntilIdle();

    assertThat(seen)
        .singleElement()
        .isInstanceOfSatisfying(
            Failed.class,
            failed -> {
              assertThat(failed.status()).isEqualTo(JobStatus.DEAD);
              assertThat(failed.error()).isEqualTo("no money for 0");
            });
  }

  @Test
  void aCancelledJobFailsTheJoin() {
    JobId order = fixture.queue.enqueue(ORDER, new Order(2));
    Worker orders =
        Worker.on(fixture.queue).handle(ORDER, this::joinAll).queue("orders", 1).build();
    orders.runUntilIdle();
    String children =
        fixture.value("SELECT string_agg(id::text, ',') FROM @jobs WHERE kind = 'charge'");
    for (String child : children.split(",", -1)) {
      fixture.queue.admin().cancel(List.of(new JobId(Long.parseLong(child))));
    }
    orders.runUntilIdle();

    assertThat(details(order).summary().lastError()).contains("is cancelled");
  }

  /** The signal of the last child arrives between the query of the join and the suspension. */
  @Test
  void aChildThatEndsDuringTheSuspensionIsNotMissed() {
    fixture.queue.enqueue(ORDER, new Order(1));
    Worker charges =
        worker((order, job) -> Outcome.completed()).build(); // only to run the charges below
    Worker.on(fixture.queue)
        .handle(
            ORDER,
            (order, job) -> {
              try {
                return joinAll(order, job);
              } catch (Error suspended) {
                if (charged.get() == 0) {
                  charges.runUntilIdle();
                  assertThat(charged).hasValue(1);
                }
                throw suspended;
              }
            })
        .queue("orders", 1)
        .build()
        .runUntilIdle();

    assertThat(seen).containsExactly(receipts(1));
  }

  @Test
  void childrenAreNotJoinedTwiceInAnAttempt() {
    fixture.queue.enqueue(ORDER, new Order(1));
    worker(
            (order, job) -> {
              Steps steps = Steps.of(job);
              Children children = steps.enqueueAll("charge", CHARGE, charges(1));
              steps.join(children);
              assertThatThrownBy(() -> steps.join(children))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("charge/join");
              assertThatThrownBy(() -> steps.enqueueAll("more", CHARGE, charges(10_001)))
                  .hasMessageContaining("at most 10000");
              seen.add("checked");
              return Outcome.completed();
            })
        .build()
        .runUntilIdle();
    assertThat(seen).containsExactly("checked");
  }

  @Test
  void theElementsOfAnArrayAreSplit() {
    assertThat(JsonElements.split("[]")).isEmpty();
    assertThat(JsonElements.split("[ ]")).isEmpty();
    assertThat(JsonElements.split("[1, \"a,\\\"]\\\\\", [2, {\"b\": [3, 4]}], null, {}]"))
        .containsExactly("1", "\"a,\\\"]\\\\\"", "[2, {\"b\": [3, 4]}]", "null", "{}");
    assertThatThrownBy(() -> JsonElements.split("{}")).isInstanceOf(IllegalArgumentException.class);
  }
}
