package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.StoreException;
import dev.skipjack.dashboard.SharedQueries.Started;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedQueriesTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration PATIENT = Duration.ofMinutes(1);
  private static final Instant START = Instant.parse("2026-11-27T12:00:00Z");

  private final AtomicInteger runs = new AtomicInteger();
  private final TestClock clock = new TestClock(START);
  private SharedQueries queries = new SharedQueries(clock, PATIENT);

  @AfterEach
  void close() {
    queries.close();
  }

  private Panel<Integer> read() {
    return queries.start("runs", SECOND, runs::incrementAndGet).panel();
  }

  @Test
  void viewersWhoWaitShareOneQuery() {
    CountDownLatch answer = new CountDownLatch(1);
    List<Started<Integer>> viewers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      viewers.add(
          queries.start(
              "runs",
              SECOND,
              () -> {
                await(answer);
                return runs.incrementAndGet();
              }));
    }
    answer.countDown();

    assertThat(viewers).allSatisfy(viewer -> assertThat(viewer.panel().value()).isEqualTo(1));
    assertThat(runs).hasValue(1);
  }

  @Test
  void aResultIsReadAgainWhenItIsNoLongerFresh() {
    read();
    clock.advance(Duration.ofMillis(999));
    assertThat(read().value()).isEqualTo(1);
    clock.advance(Duration.ofSeconds(2));
    clock.advance(Duration.ofMillis(1));

    assertThat(read()).isEqualTo(new Panel<>(2, START.plusSeconds(3), null));
  }

  @Test
  void aRecentResultIsShownWhileTheNextOneIsRead() throws Exception {
    read();
    clock.advance(SECOND);
    CountDownLatch answer = new CountDownLatch(1);
    Started<Integer> next =
        queries.start(
            "runs",
            SECOND,
            () -> {
              await(answer);
              return runs.incrementAndGet();
            });
    assertThat(next.panel()).isEqualTo(new Panel<>(1, START, null));
    answer.countDown();
    Awaitility.await().until(() -> Objects.equals(read().value(), 2));
    assertThat(runs).hasValue(2);
  }

  @Test
  void aSlowQueryIsRunLessOften() {
    Started<Integer> slow =
        queries.start(
            "runs",
            SECOND,
            () -> {
              clock.advance(Duration.ofMillis(200));
              return runs.incrementAndGet();
            });
    assertThat(slow.panel().value()).isEqualTo(1);
    clock.advance(Duration.ofMillis(3_999));
    read();
    assertThat(runs).hasValue(1);

    clock.advance(Duration.ofSeconds(9));
    assertThat(read().value()).isEqualTo(2);
  }

  @Test
  void aChangeMakesTheNextReadFresh() {
    read();
    queries.refresh();

    assertThat(read().value()).isEqualTo(2);
  }

  @Test
  void aResultFromBeforeAChangeIsNotFresh() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch changed = new CountDownLatch(1);
    Started<Integer> old =
        queries.start(
            "runs",
            SECOND,
            () -> {
              begun.countDown();
              await(changed);
              return runs.incrementAndGet();
            });
    await(begun);
    queries.refresh();
    changed.countDown();
    assertThat(old.panel().value()).isEqualTo(1);

    assertThat(read().value()).isEqualTo(2);
  }

  @Test
  void aViewerAfterAChangeDoesNotGetAResultFromBeforeIt() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch changed = new CountDownLatch(1);
    Supplier<Integer> query =
        () -> {
          begun.countDown();
          await(changed);
          return runs.incrementAndGet();
        };
    queries.start("runs", SECOND, query);
    await(begun);
    queries.refresh();
    Started<Integer> after = queries.start("runs", SECOND, query);
    changed.countDown();

    assertThat(after.panel().value()).isEqualTo(2);
    assertThat(read().value()).isEqualTo(2);
  }

  @Test
  void aFailureShowsTheLastResultWithItsAge() {
    read();
    clock.advance(SECOND.multipliedBy(3));
    Panel<Integer> panel =
        queries
            .<Integer>start(
                "runs",
                SECOND,
                () -> {
                  throw new StoreException("secret host", new SQLException("secret", "57014"));
                })
            .panel();

    assertThat(panel.value()).isEqualTo(1);
    assertThat(panel.asOf()).isEqualTo(START);
    assertThat(panel.problem()).contains("longer than 2 s").doesNotContain("secret");
  }

  @Test
  void everyFailureBecomesASentence() {
    for (String state : List.of("42501", "42P01", "08006", "XX000")) {
      Panel<Integer> panel =
          queries
              .<Integer>start(
                  state,
                  SECOND,
                  () -> {
                    throw new StoreException("secret", new SQLException("secret", state));
                  })
              .panel();
      assertThat(panel.isMissing()).isTrue();
      assertThat(panel.problem()).isNotBlank().doesNotContain("secret");
    }
    assertThat(
            queries
                .<Integer>start(
                    "error",
                    SECOND,
                    () -> {
                      throw new StackOverflowError("secret");
                    })
                .panel()
                .problem())
        .doesNotContain("secret");
  }

  @Test
  void aViewerDoesNotWaitLongForASlowQuery() {
    queries.close();
    queries = new SharedQueries(clock, Duration.ofMillis(1));
    CountDownLatch answer = new CountDownLatch(1);
    try {
      Panel<Integer> panel =
          queries
              .start(
                  "slow",
                  SECOND,
                  () -> {
                    await(answer);
                    return 1;
                  })
              .panel();

      assertThat(panel.isMissing()).isTrue();
      assertThat(panel.problem()).contains("has not responded in time");
    } finally {
      answer.countDown();
    }
  }

  @Test
  void atMostTwoQueriesRunAtATime() {
    CountDownLatch answer = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    List<Started<Integer>> started = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      started.add(
          queries.start(
              "query" + i,
              SECOND,
              () -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                await(answer);
                return running.decrementAndGet();
              }));
    }
    answer.countDown();
    started.forEach(Started::panel);

    assertThat(most).hasValueLessThanOrEqualTo(SharedQueries.THREADS);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
