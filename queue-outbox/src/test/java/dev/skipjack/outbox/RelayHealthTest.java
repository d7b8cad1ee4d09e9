package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what a relay reports about itself, and what it logs and stores about failures. */
@QueueTest
class RelayHealthTest {

  private Fixture fixture;

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void aRelayIsAliveAndReadyBetweenStartAndClose() {
    Relay relay = fixture.relay(new RecordingPublisher()).build();
    assertThat(relay.health())
        .isEqualTo(new RelayHealth(false, false, List.of("The relay is not started.")));
    relay.start();
    assertThat(relay.health()).isEqualTo(new RelayHealth(true, true, List.of()));
    relay.close();
    assertThat(relay.health())
        .isEqualTo(new RelayHealth(false, false, List.of("The relay is closed.")));
    assertThat(relay.stats().deadThreads()).isZero();
  }

  @Test
  void aPublisherThatDoesNotReturnIsReported() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Publisher hanging =
        batch -> {
          release.await();
          return batch.events().stream().map(event -> PublishResult.sent()).toList();
        };
    fixture.record(event(1, "a"));
    try (Relay relay =
        fixture
            .relay(hanging)
            .lease(Duration.ofSeconds(1))
            .publishTimeout(Duration.ofMillis(1))
            .build()
            .start()) {
      await(() -> !relay.health().ready());
      assertThat(relay.health().alive()).isTrue();
      assertThat(relay.health().reasons())
          .singleElement()
          .asString()
          .startsWith("The publisher should have returned");
      assertThat(relay.stats().overruns()).isEqualTo(1);
      release.countDown();
      await(() -> relay.health().ready());
    }
  }

  @Test
  void failuresAreReportedOnlyIfTheyPersist() throws Exception {
    AtomicLong now = new AtomicLong();
    RelayVitals vitals = new RelayVitals(now::get);
    vitals.failed("first");
    now.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(vitals.reasons()).isEmpty();
    vitals.failed("latest");
    now.addAndGet(Duration.ofSeconds(2).toNanos());
    assertThat(vitals.reasons())
        .singleElement()
        .asString()
        .contains("has failed for PT11S")
        .endsWith("Last error: latest");
    vitals.worked();
    assertThat(vitals.reasons()).isEmpty();

    Thread ended = new Thread(() -> {}, "ended");
    ended.start();
    ended.join();
    assertThat(RelayVitals.dead(List.of(ended, Thread.currentThread()))).containsExactly("ended");
  }

  @Test
  void aPublisherThatMayWaitLongerThanThePublishTimeoutIsReportedAtTheStart() {
    Publisher patient =
        new Publisher() {
          @Override
          public List<PublishResult> publish(EventBatch batch) {
            return batch.events().stream().map(event -> PublishResult.sent()).toList();
          }

          @Override
          public Duration longestWait() {
            return Duration.ofMinutes(10);
          }
        };
    assertThat(
            logged(
                () ->
                    fixture
                        .relay(patient)
                        .publishTimeout(Duration.ofSeconds(20))
                        .build()
                        .start()
                        .close()))
        .contains("publisherMs=600000 publishTimeoutMs=20000");
    assertThat(
            logged(
                () ->
                    fixture
                        .relay(patient)
                        .publishTimeout(Duration.ofMinutes(10))
                        .build()
                        .start()
                        .close()))
        .doesNotContain("publisherMs");
  }

  @Test
  void exceptionsOfAPublisherAreRedacted() {
    fixture.record(event(1, "poison"), event(2, "b"), event(3, "returned"));
    Publisher publisher =
        Publisher.each(
            event ->
                switch (event.type()) {
                  case "poison" -> throw new IllegalStateException("token=secret");
                  case "returned" -> PublishResult.dead("\u001b[31mtoken=secret\u202e");
                  default -> PublishResult.sent();
                });
    String log =
        logged(
            () -> {
              try (Relay relay =
                  fixture
                      .relay(publisher)
                      .shards(32)
                      .maxAttempts(1)
                      .redactor(text -> text.replace("secret", "***"))
                      .build()) {
                relay.runUntilIdle();
              }
            });

    assertThat(log).contains("Publisher failed", "token=***").doesNotContain("secret");
    assertThat(
            fixture.value(
                "SELECT string_agg(last_error, '|' ORDER BY position) FROM @outbox_events"))
        .isEqualTo(
            "Publisher failed: java.lang.IllegalStateException:"
                + " token=***|\uFFFD[31mtoken=***\uFFFD");
  }

  @Test
  void noOutcomeIsLostIfTheRedactorOrTheBackoffFails() throws Exception {
    fixture.record(event(1, "a"));
    try (Relay relay =
        fixture
            .relay(new RecordingPublisher(event -> PublishResult.retry("token=secret")))
            .redactor(
                text -> {
                  throw new IllegalStateException("broken");
                })
            .backoff(
                (attempt, random) -> {
                  throw new IllegalStateException("broken");
                })
            .build()) {
      relay.runUntilIdle();
      assertThat(relay.stats().retried()).isEqualTo(1);
    }
    assertThat(fixture.value("SELECT last_error FROM @outbox_events"))
        .isEqualTo("The text is withheld, because it could not be redacted.");
  }

  @Test
  void theDetailOfADatabaseErrorIsNotLogged() {
    fixture.execute(
        """
        CREATE FUNCTION @refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'refused' USING DETAIL = 'row-secret'; END $$
        """);
    fixture.execute(
        "CREATE TRIGGER refuse BEFORE DELETE ON @outbox_events FOR EACH ROW EXECUTE FUNCTION"
            + " @refuse()");
    fixture.record(event(1, "a"));
    try {
      assertThat(
              logged(
                  () -> {
                    try (Relay relay =
                        fixture
                            .relay(new RecordingPublisher())
                            .lease(Duration.ofSeconds(1))
                            .publishTimeout(Duration.ofMillis(1))
                            .build()
                            .start()) {
                      await(() -> relay.stats().unrecorded() > 0);
                    }
                  }))
          .contains("Published events not recorded events=1 error=", "refused")
          .doesNotContain("row-secret");
    } finally {
      fixture.execute("DROP FUNCTION @refuse() CASCADE");
    }
  }

  /** A batch may take an hour, but a process has less time to end. */
  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void closeReturnsAlthoughThePublisherDoesNot() throws Exception {
    CountDownLatch publishing = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Publisher hanging =
        batch -> {
          publishing.countDown();
          while (release.getCount() > 0) {
            try {
              release.await();
            } catch (InterruptedException ignored) {
              Thread.onSpinWait();
            }
          }
          return batch.events().stream().map(event -> PublishResult.notTried()).toList();
        };
    fixture.record(event(1, "a"));
    Relay relay = fixture.relay(hanging).publishTimeout(Duration.ofHours(1)).build().start();
    publishing.await();

    relay.close();

    assertThat(release.getCount()).isEqualTo(1);
    release.countDown();
  }

  /** Work whose log a test checks. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  private static String logged(Work work) {
    PrintStream err = System.err;
    ByteArrayOutputStream logged = new ByteArrayOutputStream();
    System.setErr(new PrintStream(logged, true, UTF_8));
    try {
      work.run();
    } catch (Exception failure) {
      throw new AssertionError(failure);
    } finally {
      System.setErr(err);
    }
    return logged.toString(UTF_8);
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await().atMost(Duration.ofMinutes(1)).until(condition);
  }
}
