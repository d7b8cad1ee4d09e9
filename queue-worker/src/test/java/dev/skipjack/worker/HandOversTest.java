package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.HandedOver;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Verdict;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests which completions request a hand-over. {@code HandOverIT} tests the hand-overs. */
class HandOversTest {

  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final Ending COMPLETED = Ending.Completed.PLAIN;

  private final RunningJobs running = new RunningJobs();
  private final Reporter reporter = new Reporter(List.of());
  private final List<HandOver> requests = new ArrayList<>();
  private final List<String> others = new ArrayList<>();
  private @Nullable StoreException failure;
  private Runnable beforeResponse = () -> {};
  private final ServedQueue queue = queue(Long.MAX_VALUE);
  private final JobStore store = store();
  private final OutcomeFlusher flusher =
      new OutcomeFlusher(
          new OutcomeWriter(store, LEASE, running, reporter, new SplittableRandom(1)),
          running,
          new Wakeup(),
          Duration.ZERO);
  private final HandOvers handOvers =
      new HandOvers(store, WorkerId.boot("test"), List.of("k"), LEASE, running, flusher, reporter);

  @Test
  void nextJobIsHeldBeforeTheFirstOneIsSettled() {
    handOvers.begin();
    List<Integer> held = new ArrayList<>();
    running.whenSettled(attempt -> held.add(running.size()));
    Attempt first = ended(attempt(1, "a", queue), 0);

    handOvers.write(first, COMPLETED);

    assertThat(requests).hasSize(1);
    assertThat(held).containsExactly(1);
    Attempt next = Objects.requireNonNull(first.takeHandedOver());
    assertThat(next.execution().jobId()).isEqualTo(new JobId(2));
    assertThat(running.all()).containsExactly(next);
  }

  /** The search for lost jobs may find it before the response to the hand-over arrives. */
  @Test
  void nextJobThatWasGivenUpMeanwhileDoesNotRun() {
    handOvers.begin();
    Attempt first = ended(attempt(1, "a", queue), 0);
    beforeResponse =
        () ->
            assertThat(running.giveUp(job(2, "a").execution(), LEASE.toNanos()))
                .as("given up")
                .isTrue();

    handOvers.write(first, COMPLETED);

    assertThat(requests).hasSize(1);
    assertThat(first.hasHandedOver()).isFalse();
    assertThat(running.size()).as("attempts that are held").isZero();
    assertThat(running.ordered()).isZero();
    assertThat(others).as("writes of the flusher").isEmpty();
  }

  @Test
  void jobsFollowEachOtherForFiftyMilliseconds() {
    handOvers.begin();
    Attempt first = ended(attempt(1, "a", queue), 40);
    handOvers.write(first, COMPLETED);
    Attempt second = Objects.requireNonNull(first.takeHandedOver());
    assertThat(second.followingSince()).isEqualTo(first.begunAt());

    Attempt late = ended(attempt(1, "a", queue), 50);
    assertIsLeftToTheFlusher(late, COMPLETED);
  }

  @Test
  void timeCountsFromTheFirstOfTheJobs() {
    handOvers.begin();
    Attempt first = ended(attempt(1, "a", queue), 60);
    Attempt second = attempt(2, "a", queue);
    first.handOver(second);
    assertIsLeftToTheFlusher(ended(second, 0), COMPLETED);
  }

  @Test
  void noHandOverIsRequestedBeforeTheStartOrAfterTheStop() {
    assertIsLeftToTheFlusher(ended(attempt(1, "a", queue), 0), COMPLETED);
    handOvers.begin();
    handOvers.end();
    assertIsLeftToTheFlusher(ended(attempt(2, "a", queue), 0), COMPLETED);
  }

  @Test
  void jobsWithoutAKeyAndOtherEndingsAreLeftToTheFlusher() {
    handOvers.begin();
    assertIsLeftToTheFlusher(ended(attempt(1, null, queue), 0), COMPLETED);
    assertIsLeftToTheFlusher(ended(attempt(2, "a", queue), 0), new Ending.Completed("1"));
    assertIsLeftToTheFlusher(
        ended(attempt(3, "a", queue), 0), Ending.Released.after(Duration.ZERO));
  }

  @Test
  void jobThatWaitsForASlotGoesFirst() {
    handOvers.begin();
    Attempt attempt = ended(attempt(1, "a", queue), 0);
    queue.buffer().add(attempt(2, null, queue));
    assertIsLeftToTheFlusher(attempt, COMPLETED);
  }

  @Test
  void pausedQueueTakesOverNoJob() {
    handOvers.begin();
    queue.paused(true);
    assertIsLeftToTheFlusher(ended(attempt(1, "a", queue), 0), COMPLETED);
  }

  @Test
  void payloadIsLimitedByTheMemoryThatIsLeft() {
    handOvers.begin();
    ServedQueue small = queue(4_000);
    handOvers.write(ended(attempt(1, "a", small), 0), COMPLETED);
    assertThat(requests.get(0).longestPayload()).isBetween(1, 2_000);

    assertIsLeftToTheFlusher(ended(attempt(1, "a", queue(100)), 0), COMPLETED);
  }

  @Test
  void interruptedThreadWritesNothing() {
    handOvers.begin();
    Attempt attempt = ended(attempt(1, "a", queue), 0);
    Thread.currentThread().interrupt();
    assertIsLeftToTheFlusher(attempt, COMPLETED);
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void failureIsFollowedByTheFlushersWriteAndASecondWithoutHandOvers() {
    handOvers.begin();
    failure = new StoreException("refused", new SQLException("refused", "55000"));
    handOvers.write(ended(attempt(1, "a", queue), 0), COMPLETED);
    assertThat(requests).hasSize(1);
    flusher.run();
    assertThat(others).containsExactly("complete");
    requests.clear();
    others.clear();

    failure = null;
    assertIsLeftToTheFlusher(ended(attempt(2, "a", queue), 0), COMPLETED);
  }

  private void assertIsLeftToTheFlusher(Attempt attempt, Ending ending) {
    requests.clear();
    handOvers.write(attempt, ending);
    assertThat(requests).isEmpty();
    assertThat(attempt.hasHandedOver()).isFalse();
    assertThat(attempt.isUnwritten()).as("with the flusher").isTrue();
    running.settle(attempt);
  }

  /** Returns an attempt whose handler began the given milliseconds ago and has ended. */
  private Attempt ended(Attempt attempt, long millis) {
    running.add(attempt);
    attempt.begin(System.nanoTime() - Duration.ofMillis(millis).toNanos());
    attempt.finish();
    return attempt;
  }

  private static Attempt attempt(long id, @Nullable String key, ServedQueue queue) {
    return new Attempt(job(id, key), queue, LEASE, System.nanoTime());
  }

  private static ClaimedJob job(long id, @Nullable String key) {
    return new ClaimedJob(
        new Execution(new JobId(id), new ExecutionId(id), Instant.EPOCH, key),
        "q",
        "k",
        "payload",
        1,
        0,
        1,
        0,
        3,
        Instant.EPOCH,
        Map.of());
  }

  private static ServedQueue queue(long memory) {
    return new ServedQueue(
        "q", 4, 0, new Wakeup(), LaneOrder.Reserve.A_TENTH, new PayloadBudget(memory));
  }

  /** Returns a store that completes every job and hands over a job with the next id. */
  private JobStore store() {
    return (JobStore)
        Proxy.newProxyInstance(
            JobStore.class.getClassLoader(),
            new Class<?>[] {JobStore.class},
            (proxy, method, args) -> {
              if (args[0] instanceof HandOver request) {
                requests.add(request);
                if (failure != null) {
                  throw failure;
                }
                beforeResponse.run();
                Execution ended = request.ended();
                return new HandedOver(
                    Verdict.DONE, job(ended.jobId().value() + 1, ended.orderingKey()));
              }
              others.add(method.getName());
              return List.of(Verdict.DONE);
            });
  }
}
