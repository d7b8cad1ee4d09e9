package dev.skipjack.testkit;

import static dev.skipjack.testkit.QueueAssertions.assertThat;
import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static dev.skipjack.testkit.QueueAssertions.assertThatJobs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.PayloadException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class QueueAssertionsIT {

  record Welcome(long userId, String locale) {}

  private static final JobType<Welcome> WELCOME = JobType.of("welcome", Welcome.class);
  private static final JobType<Welcome> GOODBYE = JobType.of("goodbye", Welcome.class);

  private final QueueDatabase database;

  QueueAssertionsIT(QueueDatabase database) {
    this.database = database;
  }

  private static void fails(ThrowingCallable assertion, String... parts) {
    assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContainingAll(parts);
  }

  @Nested
  class Enqueued {

    @BeforeEach
    void enqueue() throws SQLException {
      Jobs.insert(database, "welcome", "{\"userId\": 1, \"locale\": \"en\"}");
      Jobs.insert(
          database,
          "welcome",
          "{\"userId\": 2, \"locale\": \"de\", \"newer\": true}",
          "pending",
          "clock_timestamp() + interval '90 minutes'");
    }

    @Test
    void eachStepNarrowsDownTheJobs() {
      assertThat(database).hasEnqueued(WELCOME).times(2);
      assertThat(database)
          .hasEnqueued(WELCOME)
          .withPayload(new Welcome(2, "de"))
          .onQueue("emails")
          .dueIn(Duration.ofMinutes(90))
          .withPriority(0)
          .inStatus(JobStatus.PENDING)
          .times(1);
      assertThat(database)
          .hasEnqueued(WELCOME)
          .withPayloadMatching(payload -> payload.userId() < 2)
          .withPayloadSatisfying(payload -> assertThat(payload.locale()).isEqualTo("en"))
          .dueIn(Duration.ZERO)
          .onlyJob()
          .isPending()
          .isDue();
      assertThat(database).hasExactly(2).hasNotEnqueued(GOODBYE);
      assertThat(database).hasNotEnqueued(WELCOME, new Welcome(1, "de"));
    }

    @Test
    void messageNamesTheKindThatIsMissingAndShowsAllJobs() {
      fails(
          () -> assertThat(database).hasEnqueued(GOODBYE),
          "Expected a job (kind 'goodbye'), but there are only these:",
          "kind 'welcome', queue 'emails', pending, due, attempts 0 of 25, payload {\"locale\": \"en\", \"userId\": 1}",
          "pending, due in 1h29m59.");
    }

    @Test
    void messageNamesTheStepThatNoJobMatchesAndShowsTheJobsBeforeIt() {
      fails(
          () ->
              assertThat(database)
                  .as("sign-up")
                  .hasEnqueued(WELCOME)
                  .withPayload(new Welcome(1, "en"))
                  .onQueue("mails"),
          "[sign-up]",
          "Expected a job (kind 'welcome', payload Welcome[userId=1, locale=en], queue 'mails'), but the jobs that match up to 'payload Welcome[userId=1, locale=en]' are:",
          "\"userId\": 1");
      assertThatThrownBy(
              () ->
                  assertThat(database)
                      .hasEnqueued(WELCOME)
                      .withPayload(new Welcome(1, "en"))
                      .onQueue("mails"))
          .hasMessageNotContaining("\"userId\": 2");
    }

    @Test
    void messageShowsWhyThePayloadWasRefused() {
      fails(
          () ->
              assertThat(database)
                  .hasEnqueued(WELCOME)
                  .withPayloadSatisfying(payload -> assertThat(payload.locale()).isEqualTo("fr")),
          "payload as asserted",
          "The last step failed:",
          "\"fr\"");
    }

    @Test
    void eachConditionCanFail() {
      fails(() -> assertThat(database).hasEnqueued(WELCOME).withPriority(3), "priority 3");
      fails(() -> assertThat(database).hasEnqueued(WELCOME).withTags("vip"), "tags [vip]");
      fails(
          () -> assertThat(database).hasEnqueued(WELCOME).withPayloadMatching(payload -> false),
          "payload as given");
      fails(
          () -> assertThat(database).hasEnqueued(WELCOME).dueIn(Duration.ofMinutes(89)),
          "due in 1h29m");
      fails(
          () -> assertThat(database).hasEnqueued(WELCOME).dueAt(Instant.EPOCH),
          "due at 1970-01-01T00:00:00Z");
      fails(() -> assertThat(database).hasEnqueued(WELCOME).inStatus(JobStatus.DEAD), "dead");
      fails(
          () -> assertThat(database).hasEnqueued(WELCOME).withErrorContaining("busy"),
          "last error containing 'busy'");
      fails(() -> assertThat(database).hasDeadLetter(WELCOME), "kind 'welcome', dead");
    }

    @Test
    void countsAreExact() {
      fails(
          () -> assertThat(database).hasEnqueued(WELCOME).times(1),
          "Expected 1 job (kind 'welcome'), but there are 2:",
          "\"userId\": 1",
          "\"userId\": 2");
      fails(() -> assertThat(database).hasEnqueued(WELCOME).times(3), "Expected 3 jobs");
      fails(() -> assertThat(database).hasEnqueued(WELCOME).onlyJob(), "Expected 1 job");
      fails(() -> assertThat(database).hasExactly(1), "Expected 1 job, but there are these:");
    }

    @Test
    void unexpectedJobsAreShown() {
      fails(
          () -> assertThat(database).hasNotEnqueued(WELCOME),
          "Expected no job (kind 'welcome'), but there are 2:");
      fails(
          () -> assertThat(database).hasNotEnqueued(WELCOME, new Welcome(2, "de")),
          "payload Welcome[userId=2, locale=de]), but there is one:");
      fails(() -> assertThat(database).hasNoJobs(), "Expected no job (any kind)");
      fails(() -> assertThat(database).hasNothingLeftToDo(), "Expected no job (not ended)");
    }
  }

  @Nested
  class NotEnded {

    @ParameterizedTest
    @ValueSource(strings = {"pending", "running", "waiting"})
    void aLiveJobHasNotEnded(String status) throws SQLException {
      Jobs.insert(database, "welcome", "{}", "dead", "clock_timestamp()");
      assertThat(database).hasNothingLeftToDo();

      Jobs.insert(database, "welcome", "{}", status, "clock_timestamp()");
      fails(
          () -> assertThat(database).hasNothingLeftToDo(), "(not ended), but there is one", status);
    }
  }

  @Nested
  class InATransaction {

    @Test
    void onlyTheTransactionSeesItsJobsAndItStaysOpen() throws SQLException {
      try (Connection transaction = database.connection()) {
        transaction.setAutoCommit(false);
        Jobs.insert(transaction, "welcome", "{\"userId\": 7, \"locale\": \"en\"}");

        assertThatJobs(transaction, database.schema())
            .hasEnqueued(WELCOME)
            .withPayload(new Welcome(7, "en"));
        assertThat(database).hasNoJobs();

        Jobs.insert(transaction, "goodbye", "{}");
        transaction.commit();
      }
      assertThatJobs(database.dataSource(), database.schema()).hasExactly(2);
    }

    @Test
    void aFailedTransactionIsReportedAsTheReason() throws SQLException {
      try (Connection transaction = database.connection()) {
        transaction.setAutoCommit(false);
        assertThatThrownBy(() -> Jobs.query(transaction, "SELECT 1/0"))
            .isInstanceOf(SQLException.class);

        assertThatThrownBy(() -> assertThatJobs(transaction, database.schema()))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("an earlier statement of the open transaction failed");
      }
    }

    @Test
    void aSchemaWithoutAQueueIsReported() {
      assertThatThrownBy(() -> assertThatJobs(database.dataSource(), "pub\"lic"))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("schema 'pub\"lic'")
          .hasMessageContaining("Migrate it");
    }
  }

  @Nested
  class OneJob {

    @Test
    void eachAssertionCanFail() throws SQLException {
      JobId id = Jobs.insert(database, "welcome", "{}");

      assertThatJob(database, id).isPending().isDue().hasAttempts(0).hasNoError();
      assertThatJob(database, id).isOnQueue("emails").isDueWithin(Duration.ZERO);
      String seen = "but it is this:\n  job %s: kind 'welcome'".formatted(id);
      fails(() -> assertThatJob(database, id).isRunning(), "to be running, " + seen);
      fails(() -> assertThatJob(database, id).isDead(), "to be dead, " + seen);
      fails(() -> assertThatJob(database, id).isCompleted(), "to be completed, " + seen);
      fails(() -> assertThatJob(database, id).isCancelled(), "to be cancelled, " + seen);
      fails(() -> assertThatJob(database, id).hasAttempts(1), "to have had 1 attempts, " + seen);
      fails(() -> assertThatJob(database, id).isOnQueue("x"), "to be on queue 'x', " + seen);
      fails(
          () -> assertThatJob(database, id).as("mail").hasLastErrorContaining("x"),
          "[mail]",
          "to have a last error with 'x', " + seen);
    }

    @Test
    void aJobIsDueAtItsDueTime() throws SQLException {
      JobId later =
          Jobs.insert(
              database, "welcome", "{}", "pending", "clock_timestamp() + interval '1 hour'");

      assertThatJob(database, later)
          .isDueIn(Duration.ofHours(1))
          .isDueWithin(Duration.ofMinutes(61));
      fails(() -> assertThatJob(database, later).isDue(), "pending and due, but");
      fails(() -> assertThatJob(database, later).isDueIn(Duration.ofMinutes(50)), "due in 50m");
      fails(() -> assertThatJob(database, later).isDueIn(Duration.ofMinutes(70)), "due in 1h10m");
      fails(
          () -> assertThatJob(database, later).isDueWithin(Duration.ofMinutes(59)),
          "due within 59m");
    }

    @Test
    void anArchivedJobIsFound() throws SQLException {
      Jobs.execute(
          database,
          """
          INSERT INTO skipjack.jobs_archive (id, status, queue, kind, payload, payload_version, priority,
                                             scheduled_at, created_at, attempts, uncounted_attempts, max_attempts, tags)
          VALUES (77, 'completed', 'emails', 'welcome', '{"userId": 1, "locale": "en"}', 1, 5, now(), now(), 2, 0, 8, '{vip,eu}')
          """);

      assertThatJob(database, new JobId(77)).isCompleted().hasAttempts(2);
      assertThat(database).hasEnqueued(WELCOME).withTags("eu").withPriority(5).times(1);
      fails(() -> assertThat(database).hasEnqueued(WELCOME).withTags("eu", "us"), "tags [eu, us]");
      assertThat(database).hasNothingLeftToDo().hasNoDeadLetters();
    }

    @Test
    void aDeadJobIsADeadLetter() throws SQLException {
      JobId id = Jobs.insert(database, "welcome", "{}", "dead", "now()");
      Jobs.execute(
          database, "UPDATE skipjack.jobs SET last_error = 'mail server busy 100%', attempts = 25");

      assertThat(database).hasDeadLetter(WELCOME).withErrorContaining("busy").times(1);
      assertThatJob(database, id).isDead().hasLastErrorContaining("busy").hasAttempts(25);
      fails(
          () -> assertThat(database).hasNoDeadLetters(),
          "Expected no job (dead), but there is one:",
          "attempts 25 of 25, last error 'mail server busy 100%'");
      fails(() -> assertThatJob(database, id).hasNoError(), "to have no error");
    }

    @Test
    void aMissingJobIsReportedWithTheExistingOnes() throws SQLException {
      fails(() -> assertThatJob(database, new JobId(99)), "Expected job 99", "There is no job.");
      Jobs.insert(database, "welcome", "{}");
      fails(() -> assertThatJob(database, new JobId(99)), "There are these:", "kind 'welcome'");
    }
  }

  @Nested
  class PayloadsAre {

    @Test
    void payloadsAreReadByTheGivenCodec() throws SQLException {
      Jobs.insert(database, "welcome", "{\"userId\": 1}");

      assertThat(database)
          .decodedBy(new Shouting())
          .hasEnqueued(WELCOME)
          .withPayload(new Welcome(0, "{\"USERID\": 1}"));
    }

    @Test
    void payloadsAreUpcastIfTheyAreOlderThanTheirType() throws SQLException {
      Jobs.insert(database, "welcome", "{\"user\": 1}");
      JobType<Welcome> second =
          WELCOME.payloadVersion(2).upcast((json, version) -> json.replace("user", "userId"));

      assertThat(database)
          .hasEnqueued(second)
          .withPayloadMatching(payload -> payload.userId() == 1);
    }

    @Test
    void payloadsThatDoNotFitAreRefusedWithAReason() throws SQLException {
      JobId id = Jobs.insert(database, "welcome", "[]");

      assertThatThrownBy(
              () -> assertThat(database).hasEnqueued(WELCOME).withPayload(new Welcome(1, "en")))
          .isInstanceOf(PayloadException.class)
          .hasMessageStartingWith("Job %s: Payload does not fit %s", id, Welcome.class.getName());
    }

    @Test
    void payloadsAreNotReadUnlessRequested() throws SQLException {
      Jobs.insert(database, "welcome", "{}");
      Payloads.Missing none = new Payloads.Missing();

      assertThat(database).decodedBy(none).hasEnqueued(WELCOME).times(1);
      assertThatThrownBy(
              () ->
                  assertThat(database)
                      .decodedBy(none)
                      .hasEnqueued(WELCOME)
                      .withPayload(new Welcome(1, "en")))
          .hasMessageContaining("Name the queue's own codec");
    }

    @Test
    void payloadsAndLongListsAreShortenedInMessages() throws SQLException {
      for (int i = 0; i < 23; i++) {
        Jobs.insert(database, "welcome", "\"" + "x".repeat(300) + "\"");
      }
      assertThatThrownBy(() -> assertThat(database).hasNoJobs())
          .hasMessageContaining("x... (302 characters)")
          .hasMessageContaining("and 3 more")
          .hasMessageNotContaining("x".repeat(200));
    }
  }

  /** A codec that decodes every payload as its JSON text in upper case. */
  private static final class Shouting implements PayloadCodec {

    @Override
    public String encode(Object payload) {
      throw new AssertionError("asked to write");
    }

    @Override
    public <T> T decode(String json, Class<T> payloadClass) {
      return payloadClass.cast(new Welcome(0, json.toUpperCase(Locale.ROOT)));
    }
  }
}
