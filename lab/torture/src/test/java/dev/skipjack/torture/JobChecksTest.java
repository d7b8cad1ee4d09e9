package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.torture.FinalRead.Content;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Tests a job that was requested at 1, fails from 3 to 4, and completes at its second attempt, from
 * 5 to 10.
 */
class JobChecksTest {

  private static final Work WORK = new Work("a", Workload.RETRY, 1, 0, "", "", 0, 0, "note");

  private final MadeUpRun run = new MadeUpRun();

  @BeforeEach
  void addJob() throws Exception {
    String content = WORK.content(Map.of(Work.HEADER, "note"));
    run.handlersRan = false;
    run.event(1, EventType.REQUESTED, "a", 0, 0, "retry" + ContentCheck.SEPARATOR + content);
    run.event(2, EventType.ACKNOWLEDGED, "a", 7, 0, "created");
    run.attempt(70, 7, 1, "failed", 3, 4);
    handler(70, 3, 4);
    run.attempt(71, 7, 2, "succeeded", 5, 10);
    handler(71, 5, 9);
    job(Workload.RETRY, 5, new Content(0, 0, new ObjectMapper().writeValueAsString(WORK), "note"));
  }

  private void handler(long execution, double from, double to) {
    run.event(
        from, EventType.STARTED, "a", 7, execution, WORK.content(Map.of(Work.HEADER, WORK.note())));
    run.event(to, EventType.ENDED, "a", 7, execution, "");
  }

  private void job(Workload workload, double due, Content content) {
    run.jobs.clear();
    run.job(7, "completed", workload, "a", "", 2, 71);
    JobRow row = run.jobs.get(0);
    run.jobs.set(
        0,
        new JobRow(
            row.id(),
            row.status(),
            row.archived(),
            row.key(),
            row.workload(),
            row.unique(),
            row.ordering(),
            row.attempts(),
            row.uncountedAttempts(),
            row.maxAttempts(),
            row.created(),
            row.ended(),
            row.execution(),
            MadeUpRun.micros(due),
            content));
  }

  private Content content() {
    return run.jobs.get(0).content();
  }

  private void assertOnly(Counter counter, String what) {
    assertThat(run.nonZeroCounters()).containsExactly(counter);
    assertThat(run.violations()).extracting(Violation::what).anyMatch(one -> one.startsWith(what));
  }

  @Test
  void theJobIsCorrect() {
    assertThat(run.violations()).isEmpty();
  }

  @Nested
  class Phantoms {

    @Test
    void aJobThatWasRolledBackMustNotExist() {
      run.event(1, EventType.DISCARDED, "b", 0, 0, "");
      assertThat(run.violations()).isEmpty();

      run.event(1, EventType.DISCARDED, "a", 0, 0, "");
      assertOnly(Counter.PHANTOM_JOBS, PhantomCheck.ROLLED_BACK);
    }

    @Test
    void aJobWhoseEnqueueWasRefusedMustNotExist() {
      run.event(1, EventType.REFUSED, "a", 0, 0, "");
      assertThat(run.violations()).isEmpty(); // the producer has repeated it

      run.event(1, EventType.GIVEN_UP, "a", 0, 0, "");
      assertOnly(Counter.PHANTOM_JOBS, PhantomCheck.REFUSED);
    }
  }

  @Nested
  class DueTimes {

    private static final String FIRST = "An attempt started before the job was due for the first";

    @Test
    void noAttemptStartsBeforeTheDelayAfterTheRequest() {
      job(Workload.RETRY, 5, new Content(0, 2_005, content().payload(), "note"));
      assertThat(run.violations()).isEmpty();

      job(Workload.RETRY, 5, new Content(0, 2_006, content().payload(), "note"));
      assertOnly(Counter.EARLY_CLAIMS, FIRST);
      run.clockError = 1_000;
      assertThat(run.violations()).isEmpty();
    }

    @Test
    void noAttemptStartsBeforeTheRequestedTime() {
      long three = MadeUpRun.micros(3);
      job(Workload.RETRY, 5, new Content(three + 5_000, 0, content().payload(), "note"));
      assertThat(run.violations()).isEmpty();

      job(Workload.RETRY, 5, new Content(three + 5_001, 0, content().payload(), "note"));
      assertOnly(Counter.EARLY_CLAIMS, FIRST);
    }

    @Test
    void aRetryStartsAfterItsWait() {
      run.history.removeIf(event -> event.execution() == 70 && event.type() == EventType.ENDED);
      run.event(4.985, EventType.ENDED, "a", 7, 70, "");
      assertThat(run.violations()).isEmpty();

      run.event(4.986, EventType.ENDED, "a", 7, 70, "");
      assertOnly(Counter.EARLY_CLAIMS, "An attempt started before the wait after the previous");
      run.executions.set(
          0,
          new FinalRead.ExecutionRow(
              70, 7, 1, "released", 3 * MadeUpRun.SECOND, 4 * MadeUpRun.SECOND, "worker-1", ""));
      assertThat(run.violations()).isEmpty();
    }

    @Test
    void theLastAttemptMustNotStartBeforeTheDueTimeInTheRow() {
      job(Workload.RETRY, 5.000_001, content());
      assertOnly(Counter.EARLY_CLAIMS, "The last attempt started before the job was due.");
    }
  }

  @Nested
  class Runs {

    @Test
    void aCompletedJobHasAHandlerThatStarted() {
      run.history.removeIf(event -> event.execution() == 71);
      assertOnly(Counter.UNRUN_COMPLETIONS, "The job is completed, but its handler never ran.");
    }

    @Test
    void aCompletedJobHasAHandlerThatEndedUnlessItCompletedTheJobItself() {
      run.history.removeIf(event -> event.execution() == 71 && event.type() == EventType.ENDED);
      assertOnly(Counter.UNRUN_COMPLETIONS, "The job was completed before its handler had ended.");

      job(Workload.EFFECT, 5, content());
      run.effects.add(new FinalRead.EffectRow("a", 7, 71));
      assertThat(run.violations()).isEmpty();
    }
  }

  @Nested
  class Contents {

    @Test
    void theStoredPayloadAndHeaderAreThoseOfTheRequest() {
      job(Workload.RETRY, 5, new Content(0, 0, content().payload(), "other"));
      assertOnly(Counter.ALTERED_JOBS, ContentCheck.STORED);

      String altered = content().payload().replace("\"failures\":1", "\"failures\":2");
      job(Workload.RETRY, 5, new Content(0, 0, altered, "note"));
      assertOnly(Counter.ALTERED_JOBS, ContentCheck.STORED);

      job(Workload.RETRY, 5, new Content(0, 0, "[]", "note"));
      assertOnly(Counter.ALTERED_JOBS, ContentCheck.STORED);
    }

    @Test
    void aHandlerReceivesThePayloadAndHeaderOfTheRequest() {
      run.event(5, EventType.STARTED, "a", 7, 71, WORK.content(Map.of()));
      assertOnly(Counter.ALTERED_JOBS, ContentCheck.RECEIVED);
    }
  }

  @Nested
  class Rows {

    @Test
    void aRowIsTakenOnce() {
      run.rows.put(1, 1L);
      assertThat(run.violations()).isEmpty();

      run.rows.put(1, 2L);
      assertOnly(Counter.ROW_VIOLATIONS, "The row was taken 2 times.");
      run.rows.put(1, 0L);
      assertOnly(Counter.ROW_VIOLATIONS, "The row was never taken.");
    }
  }

  @Nested
  class Inboxes {

    @BeforeEach
    void publish() {
      run.committed("e", 1, 1);
      run.arrival("worker-1", 2, "e");
    }

    @Test
    void anEventThatArrivedHasOneEffect() {
      assertThat(run.violations()).isEmpty();

      run.inboxEffects.put("e", 2L);
      assertOnly(Counter.INBOX_VIOLATIONS, "The effect was committed 2 times.");
      run.inboxEffects.remove("e");
      assertOnly(Counter.INBOX_VIOLATIONS, "The event arrived, but its effect is missing.");
    }

    @Test
    void anEffectOfAnEventThatHasNotArrivedIsNoViolation() {
      run.inboxEffects.put("f", 1L);
      assertThat(InboxCheck.check(run.checked())).isEqualTo(List.of());
    }
  }

  @Test
  void producersThatDoNothingWithoutAFaultAreStuck() {
    run.event(4, EventType.HUNG, Event.NONE, 0, 0, "60");
    assertOnly(Counter.STUCK, "The producers did nothing for 60 s without a fault.");
  }
}
