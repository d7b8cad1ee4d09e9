package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.faults.FaultyDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the order in which callers wait in line, write and return, without a database. */
class SharedWritesTest {

  private static final Duration PATIENT = Duration.ofHours(1);

  private final CountDownLatch held = new CountDownLatch(1);
  private final Queue<String> writes = new ConcurrentLinkedQueue<>();

  private final SharedWrites shared =
      new SharedWrites(this::together, this::alone, 1, PATIENT, Duration.ZERO);

  private List<EnqueueResult> together(List<NewJob> jobs) {
    writes.add("together " + String.join("+", jobs.stream().map(NewJob::payload).toList()));
    return jobs.stream().map(SharedWritesTest::resultOf).toList();
  }

  private EnqueueResult alone(NewJob job) {
    writes.add("alone " + job.payload());
    if (job.payload().equals("1")) {
      await(held);
    }
    return resultOf(job);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  private static EnqueueResult resultOf(NewJob job) {
    return new EnqueueResult.Enqueued(new JobId(Long.parseLong(job.payload().strip())));
  }

  private static NewJob job(String payload) {
    return NewJob.of(Fixture.WORK, payload, EnqueueOptions.none());
  }

  private static Callable<Long> enqueue(SharedWrites shared, int number) {
    return () -> shared.write(job(String.valueOf(number))).jobId().value();
  }

  private Call<Long> holdFirst(SharedWrites shared) {
    Call<Long> first = Call.start(enqueue(shared, 1));
    Rival.soon().until(() -> writes.contains("alone 1"));
    return first;
  }

  private static StoreException failure(String state, boolean unknown) {
    return new StoreException("Failed", new SQLException("failed", state), unknown);
  }

  @Test
  void oneCallerAtATimeWritesAlone() {
    held.countDown();

    assertThat(shared.write(job("1"))).isEqualTo(resultOf(job("1")));
    assertThat(shared.write(job("2"))).isEqualTo(resultOf(job("2")));

    assertThat(writes).containsExactly("alone 1", "alone 2");
  }

  @Test
  void callerWritesAtOnceWhileFewWritesAreInProgress() throws Exception {
    SharedWrites two = new SharedWrites(this::together, this::alone, 2, PATIENT, Duration.ZERO);
    Call<Long> first = holdFirst(two);

    assertThat(Call.start(enqueue(two, 2)).result()).isEqualTo(2);
    assertThat(Call.start(enqueue(two, 3)).result()).isEqualTo(3);

    held.countDown();
    assertThat(first.result()).isEqualTo(1);
    assertThat(writes).containsExactly("alone 1", "alone 2", "alone 3");
  }

  /** A write that began during another one would take fewer jobs. */
  @Test
  void crowdHasOneWriteInProgressAtATime() throws Exception {
    CountDownLatch second = new CountDownLatch(1);
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch crowd = new CountDownLatch(1);
    SharedWrites two =
        new SharedWrites(
            jobs -> {
              List<EnqueueResult> results = together(jobs);
              entered.countDown();
              await(crowd);
              return results;
            },
            job -> {
              EnqueueResult result = alone(job);
              if (job.payload().equals("2")) {
                await(second);
              }
              return result;
            },
            2,
            PATIENT,
            Duration.ZERO);
    Call<Long> first = holdFirst(two);
    Call<Long> other = Call.start(enqueue(two, 2));
    Rival.soon().until(() -> writes.contains("alone 2"));
    for (int i = 0; i < SharedWrites.CROWD - 1; i++) {
      Call<Long> unused = Call.startInLine(enqueue(two, 10 + i));
    }
    held.countDown();
    assertThat(first.result()).isEqualTo(1);
    await(entered);
    Call<Long> last = Call.startInLine(enqueue(two, 99));

    second.countDown();
    assertThat(other.result()).isEqualTo(2);
    assertThat(last.isWaiting()).isTrue();
    crowd.countDown();

    assertThat(last.result()).isEqualTo(99);
    assertThat(writes).containsExactly("alone 1", "alone 2", "together 10+11+12+13+14", "alone 99");
  }

  @Test
  void callersInLineAreWrittenTogetherAndEachGetsItsOwnResult() throws Exception {
    Call<Long> first = holdFirst(shared);
    List<Call<Long>> others = new ArrayList<>();
    for (int i = 2; i <= 5; i++) {
      others.add(Call.startInLine(enqueue(shared, i)));
    }
    assertThat(writes).containsExactly("alone 1");

    held.countDown();

    assertThat(first.result()).isEqualTo(1);
    for (int i = 2; i <= 5; i++) {
      assertThat(others.get(i - 2).result()).isEqualTo(i);
    }
    assertThat(writes).containsExactly("alone 1", "together 2+3+4+5");
    assertThat(shared.write(job("6"))).isEqualTo(resultOf(job("6")));
  }

  @Test
  void aWriteHasABoundedNumberOfJobs() throws Exception {
    holdFirst(shared);
    List<Call<Long>> others = new ArrayList<>();
    for (int i = 0; i < SharedWrites.MOST_JOBS + 2; i++) {
      others.add(Call.startInLine(enqueue(shared, 1_000 + i)));
    }

    held.countDown();

    for (Call<Long> other : others) {
      Long unused = other.result();
    }
    assertThat(writes.stream().map(write -> write.split("\\+", -1).length))
        .containsExactly(1, SharedWrites.MOST_JOBS, 2);
  }

  @Test
  void aWriteHasABoundedSize() throws Exception {
    String half = " ".repeat(SharedWrites.LARGEST_PAYLOAD / 2 - 1);
    holdFirst(shared);
    List<Call<EnqueueResult>> others = new ArrayList<>();
    for (int i = 2; i <= 4; i++) {
      NewJob job = job(i + half);
      others.add(Call.startInLine(() -> shared.write(job)));
    }

    held.countDown();

    for (Call<EnqueueResult> other : others) {
      EnqueueResult unused = other.result();
    }
    assertThat(writes.stream().map(write -> write.replace(" ", "")))
        .containsExactly("alone1", "together2+3", "alone4");
    assertThat(SharedWrites.accepts(job("1" + half + half + "  "))).isFalse();
  }

  @Test
  void aCallerThatIsInterruptedInLineWritesAloneAndStaysInterrupted() throws Exception {
    Call<Long> first = holdFirst(shared);
    Call<Boolean> second =
        Call.startInLine(
            () -> {
              Long unused = enqueue(shared, 2).call();
              return Thread.currentThread().isInterrupted();
            });
    Call<Long> third = Call.startInLine(enqueue(shared, 3));
    Call<Long> fourth = Call.startInLine(enqueue(shared, 4));

    second.thread.interrupt();

    assertThat(second.result()).isTrue();
    held.countDown();
    assertThat(first.result()).isEqualTo(1);
    assertThat(third.result()).isEqualTo(3);
    assertThat(fourth.result()).isEqualTo(4);
    assertThat(writes).containsExactly("alone 1", "alone 2", "together 3+4");
  }

  @Test
  void aCallerThatIsInterruptedDuringItsWriteWaitsForTheOutcome() throws Exception {
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    SharedWrites slow =
        new SharedWrites(
            jobs -> {
              entered.countDown();
              await(go);
              return together(jobs);
            },
            this::alone,
            1,
            PATIENT,
            Duration.ZERO);
    holdFirst(slow);
    Call<Long> second = Call.startInLine(enqueue(slow, 2));
    Call<Boolean> third =
        Call.startInLine(
            () -> {
              Long unused = enqueue(slow, 3).call();
              return Thread.currentThread().isInterrupted();
            });
    held.countDown();
    await(entered);

    third.thread.interrupt();
    Rival.soon().until(() -> !third.thread.isInterrupted() && third.isWaiting());
    go.countDown();

    assertThat(second.result()).isEqualTo(2);
    assertThat(third.result()).isTrue();
    assertThat(writes).containsExactly("alone 1", "together 2+3");
  }

  @Test
  void afterARejectionEachCallerWritesItsOwnJob() throws Exception {
    assertThat(failuresOf(failure("23514", false), () -> {})).isEmpty();
    assertThat(writes).startsWith("alone 1", "together 2+3");
    assertThat(writes).contains("alone 2", "alone 3").hasSize(4);
  }

  @Test
  void afterAnUnknownOutcomeNoCallerWritesAgain() throws Exception {
    StoreException lost = failure("08006", true);

    List<Throwable> failures = failuresOf(lost, () -> {});

    assertThat(failures).hasSize(2).doesNotHaveDuplicates();
    assertThat(failures)
        .allSatisfy(
            failure ->
                assertThat(failure)
                    .isInstanceOfSatisfying(
                        StoreException.class,
                        store -> assertThat(store.isOutcomeUnknown()).isTrue())
                    .hasMessage("Failed")
                    .hasCause(lost.getCause()));
    assertThat(writes).containsExactly("alone 1", "together 2+3");
  }

  @Test
  void withoutAConnectionNoCallerWaitsForOneAgain() throws Exception {
    assertThat(failuresOf(failure("08001", false), () -> {})).hasSize(2);
    assertThat(writes).containsExactly("alone 1", "together 2+3");
  }

  @Test
  void anInterruptOfTheWriterDoesNotFailTheOthers() throws Exception {
    List<Throwable> failures =
        failuresOf(failure("08001", false), () -> Thread.currentThread().interrupt());

    assertThat(failures).isEmpty();
    assertThat(writes).contains("alone 2", "alone 3");
  }

  /** A writer whose thread ended may or may not have committed. */
  @Test
  void outcomeIsUnknownIfTheWriterDiesAndTheNextCallersWrite() throws Exception {
    StackOverflowError death = new StackOverflowError();

    List<Throwable> failures = failuresOf(death, () -> {});

    assertThat(failures).hasSize(2).contains(death);
    assertThat(failures)
        .filteredOn(StoreException.class::isInstance)
        .singleElement()
        .satisfies(failure -> assertThat(((StoreException) failure).isOutcomeUnknown()).isTrue());
    assertThat(shared.write(job("4"))).isEqualTo(resultOf(job("4")));
  }

  /** Returns the failures of two callers whose shared write fails. */
  private List<Throwable> failuresOf(Throwable failure, Runnable before) throws Exception {
    SharedWrites failing =
        new SharedWrites(
            jobs -> {
              List<EnqueueResult> unused = together(jobs);
              before.run();
              throw failure instanceof Error error ? sneaky(error) : (StoreException) failure;
            },
            this::alone,
            1,
            PATIENT,
            Duration.ZERO);
    holdFirst(failing);
    List<Call<Object>> calls = new ArrayList<>();
    for (int i = 2; i <= 3; i++) {
      Callable<Long> call = enqueue(failing, i);
      calls.add(
          Call.startInLine(
              () -> {
                try {
                  return call.call();
                } catch (Throwable thrown) {
                  return thrown;
                }
              }));
    }
    held.countDown();
    List<Throwable> failures = new ArrayList<>();
    for (Call<Object> call : calls) {
      if (call.result() instanceof Throwable thrown) {
        failures.add(thrown);
      }
    }
    assertThat(failing.write(job("9"))).isEqualTo(resultOf(job("9")));
    boolean unused = writes.remove("alone 9");
    return failures;
  }

  private static RuntimeException sneaky(Error error) {
    throw error;
  }

  @Test
  void aCallerDoesNotWaitForAWriteThatHangs() throws Exception {
    SharedWrites impatient =
        new SharedWrites(this::together, this::alone, 1, Duration.ZERO, Duration.ZERO);
    Call<Long> first = holdFirst(impatient);

    assertThat(Call.start(enqueue(impatient, 2)).result()).isEqualTo(2);

    held.countDown();
    assertThat(first.result()).isEqualTo(1);
    assertThat(impatient.write(job("3"))).isEqualTo(resultOf(job("3")));
  }

  /**
   * The writer interrupts others just before it ends, so that some leave the line when they are
   * chosen.
   */
  @ParameterizedTest
  @CsvSource({"2, 20, 0", "1, 3600000000, 0", "2, 3600000000, 100", "4, 2000, 150"})
  void interruptedAndRejectedCallersNeitherLoseNorRepeatAJob(
      int mostWrites, long patienceMicros, long gatherMicros) throws Exception {
    int threads = 8;
    int each = 20_000;
    AtomicIntegerArray written = new AtomicIntegerArray(threads * each);
    List<Call<Integer>> calls = new CopyOnWriteArrayList<>();
    Function<NewJob, EnqueueResult> one =
        job -> {
          int number = Integer.parseInt(job.payload());
          int unused = written.incrementAndGet(number);
          if (number % 3 == 0) {
            calls.forEach(call -> call.thread.interrupt());
          }
          return resultOf(job);
        };
    SharedWrites racing =
        new SharedWrites(
            jobs -> {
              if (jobs.stream().anyMatch(job -> job.payload().endsWith("7"))) {
                throw failure("23514", false);
              }
              return jobs.stream().map(one).toList();
            },
            one,
            mostWrites,
            Duration.of(patienceMicros, ChronoUnit.MICROS),
            Duration.of(gatherMicros, ChronoUnit.MICROS));
    CountDownLatch started = new CountDownLatch(1);
    for (int i = 0; i < threads; i++) {
      int from = i * each;
      calls.add(
          Call.start(
              () -> {
                while (started.getCount() > 0) {
                  Thread.onSpinWait(); // an await would be interrupted
                }
                for (int number = from; number < from + each; number++) {
                  EnqueueResult result = racing.write(job(String.valueOf(number)));
                  assertThat(result.jobId().value()).isEqualTo(number);
                  boolean unused = Thread.interrupted();
                }
                return each;
              }));
    }
    started.countDown();

    for (Call<Integer> call : calls) {
      assertThat(call.result()).isEqualTo(each);
    }
    assertThat(IntStream.range(0, threads * each).filter(i -> written.get(i) != 1)).isEmpty();
  }

  @Test
  void theFirstOfACrowdWaitsForTheOthersAndTheLastOneWrites() throws Exception {
    SharedWrites crowded = afterACrowd(Duration.ofHours(1));
    List<Call<Long>> back = new ArrayList<>();
    for (int i = 0; i < SharedWrites.CROWD - 1; i++) {
      back.add(Call.startInLine(enqueue(crowded, 20 + i)));
    }
    assertThat(writes).isEmpty();

    assertThat(Call.start(enqueue(crowded, 30)).result()).isEqualTo(30);

    for (Call<Long> call : back) {
      assertThat(call.result()).isBetween(20L, 25L);
    }
    assertThat(writes).containsExactly("together 30+20+21+22+23+24");
  }

  @Test
  void aCallerThatIsInterruptedWhileTheCrowdGathersWritesAlone() throws Exception {
    SharedWrites crowded = afterACrowd(Duration.ofHours(1));
    Call<Long> first = Call.startInLine(enqueue(crowded, 20));
    first.thread.interrupt();
    assertThat(first.result()).isEqualTo(20);
    for (int i = 1; i < SharedWrites.CROWD; i++) {
      Call<Long> unused = Call.startInLine(enqueue(crowded, 20 + i));
    }

    assertThat(Call.start(enqueue(crowded, 30)).result()).isEqualTo(30);
    assertThat(writes).containsExactly("alone 20", "together 30+21+22+23+24+25");
  }

  @Test
  void aCallerWaitsOnlyBrieflyForACrowdThatDoesNotComeBack() throws Exception {
    SharedWrites crowded = afterACrowd(Duration.ofMillis(2));

    Call<Long> one = Call.start(enqueue(crowded, 20));
    Call<Long> other = Call.start(enqueue(crowded, 21));

    assertThat(one.result()).isEqualTo(20);
    assertThat(other.result()).isEqualTo(21);
  }

  /** Returns shared writes whose last write had the jobs of a crowd. */
  private SharedWrites afterACrowd(Duration gather) throws Exception {
    SharedWrites crowded = new SharedWrites(this::together, this::alone, 1, PATIENT, gather);
    Call<Long> first = holdFirst(crowded);
    List<Call<Long>> others = new ArrayList<>();
    for (int i = 0; i < SharedWrites.CROWD; i++) {
      others.add(Call.startInLine(enqueue(crowded, 10 + i)));
    }
    held.countDown();
    assertThat(first.result()).isEqualTo(1);
    for (Call<Long> other : others) {
      assertThat(other.result()).isBetween(10L, 20L);
    }
    writes.clear();
    return crowded;
  }

  /** A wrapper of a pool and a subclass that overrides its methods do not share. */
  @Test
  void onlyAnUnwrappedHikariPoolSharesByDefault() {
    try (HikariDataSource pool = new HikariDataSource();
        HikariDataSource routing = new HikariDataSource() {}) {
      assertThat(SharedWrites.suits(pool)).isTrue();
      assertThat(SharedWrites.suits(routing)).isFalse();
      assertThat(SharedWrites.suits(new FaultyDataSource(pool))).isFalse();
    }
  }

  @Test
  void jobsThatMayWaitAreNotShared() {
    assertThat(SharedWrites.accepts(job("1"))).isTrue();
    assertThat(
            SharedWrites.accepts(
                NewJob.of(Fixture.WORK, "1", EnqueueOptions.none().idempotencyKey("once"))))
        .isFalse();
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21)
  void virtualThreadsDoNotShare() throws Exception {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicBoolean accepted = new AtomicBoolean(true);
    Runnable work =
        () -> {
          accepted.set(SharedWrites.accepts(job("1")));
          ended.countDown();
        };
    Object unused = Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, work);
    await(ended);
    assertThat(accepted).isFalse();
  }
}
