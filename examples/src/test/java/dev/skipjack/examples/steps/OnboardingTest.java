package dev.skipjack.examples.steps;

import static dev.skipjack.testkit.QueueAssertions.assertThat;
import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.examples.steps.Onboarding.Decision;
import dev.skipjack.examples.steps.Onboarding.NewUser;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.steps.SignalResult;
import dev.skipjack.steps.Signals;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class OnboardingTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final NewUser ADA = new NewUser("ada@example.org");

  private final QueueDatabase database;
  private ExampleDatabase example;
  private JobQueue queue;
  private Onboarding onboarding;
  private JobRuns runs;

  OnboardingTest(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void open() {
    example = ExampleDatabase.open(database.jdbcUrl());
    queue = JobQueue.on(example.dataSource());
    Onboarding.createTables(example.dataSource());
    use(point -> {});
  }

  @AfterEach
  void close() {
    example.close();
  }

  private void use(Consumer<String> points) {
    onboarding = new Onboarding(example.dataSource(), queue, Duration.ofDays(3), points);
    runs = JobRuns.with(onboarding.worker(queue).build(), database);
  }

  private String effects() {
    return Onboarding.effects(example.dataSource());
  }

  // snippet: test
  @Test
  void approvedUserIsWelcomedAfterThreeDays() {
    JobId job = queue.enqueue(Onboarding.ONBOARD, ADA);
    runs.due(); // to the next wait
    assertThatJob(database, job).waitsFor("review").hasSteps("account", "ledger", "ask");

    Signals.on(queue).send(job, "review", new Decision(true));
    runs.due();
    assertThatJob(database, job).waitsFor("watched").isDueIn(Duration.ofDays(3));

    runs.dueWithin(Duration.ofDays(3)); // as if three days had passed
    assertThatJob(database, job).isCompleted();
  }

  // end of snippet

  @Test
  void rejectedUserAndUnansweredReviewLeaveNoAccount() {
    JobId rejected = queue.enqueue(Onboarding.ONBOARD, ADA);
    JobId unanswered = queue.enqueue(Onboarding.ONBOARD, new NewUser("bob@example.org"));
    runs.due();
    Signals.on(queue).send(rejected, "review", new Decision(false));
    runs.toTheEnd();

    assertThatJob(database, rejected).isDead().hasLastErrorContaining("rejected");
    assertThatJob(database, unanswered).isDead();
    assertThat(database).hasEnqueued(Onboarding.DELETE_ACCOUNT).times(2);
    assertThat(effects()).startsWith("0 account");
  }

  @Test
  void linkWorksOnceAndOnlyUnchanged() {
    JobId job = queue.enqueue(Onboarding.ONBOARD, ADA);
    runs.due();
    String link = onboarding.latestLink();
    assertThat(onboarding.approve("x" + link, "eve")).isEqualTo(SignalResult.INVALID);
    assertThat(onboarding.approve(link, "grace")).isEqualTo(SignalResult.WOKEN);
    assertThat(onboarding.approve(link, "grace")).isEqualTo(SignalResult.USED);
    runs.due();
    assertThatJob(database, job).waitsFor("watched");
  }

  /**
   * Attempts lose their leases at points that no earlier one has reached. They end there, as if
   * their process were killed, or go on, as if it had been frozen.
   */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void onboardingSurvivesTheLossOfItsLeaseAtEachPoint(boolean killed) {
    Set<String> lost = new HashSet<>();
    JobId job = queue.enqueue(Onboarding.ONBOARD, ADA);
    use(
        point -> {
          if (lost.add(point)) {
            database.loseLease(job, queue);
            if (killed) {
              throw new IllegalStateException("killed");
            }
          }
        });
    runs.due();
    Signals.on(queue).send(job, "review", new Decision(true));
    runs.toTheEnd();

    assertThatJob(database, job).isCompleted();
    assertThat(lost).hasSize(7);
    // Each of the two mails is sent again, by the attempt that follows the one that sent it.
    assertThat(effects()).isEqualTo("1 account, 1 entry, 4 mails");
  }

  @Test
  @Timeout(120)
  void onboardingSurvivesTheKillOfItsProcess() {
    JobId job = queue.enqueue(Onboarding.ONBOARD, ADA);
    try (ForkedJvm process =
        ForkedJvm.of(KilledOnboarding.class)
            .arguments(database.jdbcUrl(), "after the account")
            .start()) {
      assertThat(process.awaitExit(PATIENCE)).isEqualTo(KilledOnboarding.EXIT);
    }
    assertThat(effects()).isEqualTo("1 account, 0 entry, 0 mails");
    database.loseLease(job, queue);
    Signals.on(queue).send(job, "review", new Decision(true));
    runs.toTheEnd();

    assertThatJob(database, job).isCompleted();
    assertThat(effects()).isEqualTo("1 account, 1 entry, 2 mails");
  }

  @Test
  @Timeout(60)
  void programFailsAtEachPointAndCompletes() throws InterruptedException {
    Story story = new Story();
    Onboarding.run(example.dataSource(), story.out);

    assertThat(story.lines())
        .contains("click: WOKEN", "click again: USED", "COMPLETED", "1 account, 1 entry, 4 mails")
        .filteredOn(line -> line.startsWith("fails "))
        .hasSize(7);
  }
}
