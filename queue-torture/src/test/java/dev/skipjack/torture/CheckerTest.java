package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.FinalRead.EffectRow;
import dev.skipjack.torture.FinalRead.ExecutionRow;
import dev.skipjack.torture.FinalRead.JobRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Small histories by hand, one promise each. Times are seconds. */
class CheckerTest {

  private static final long SECOND = 1_000_000;

  private final List<Event> history = new ArrayList<>();
  private final List<JobRow> jobs = new ArrayList<>();
  private final List<ExecutionRow> executions = new ArrayList<>();
  private final List<EffectRow> effects = new ArrayList<>();

  private void event(long second, EventType type, String key, long job, long execution, String d) {
    history.add(new Event(second * SECOND, "worker-1", type, key, job, execution, d));
  }

  private void asked(String key, long job) {
    event(1, EventType.ASKED, key, 0, 0, "plain");
    event(2, EventType.ACKED, key, job, 0, "created");
  }

  private void job(
      long id, String status, String key, String unique, int attempts, long execution) {
    boolean archived = status.equals("completed") || status.equals("cancelled");
    long ended = archived ? 10 * SECOND : 0;
    jobs.add(
        new JobRow(
            id, status, archived, key, "PLAIN", unique, attempts, 0, 5, SECOND, ended, execution));
  }

  private void attempt(long id, long job, int number, String status, long from, long to) {
    executions.add(
        new ExecutionRow(id, job, number, status, from * SECOND, to * SECOND, "worker-1", ""));
  }

  private List<Counter> red() {
    FinalRead read = new FinalRead(jobs, executions, effects, List.of());
    TortureReport report = TortureReport.of(Map.of(), history, read, Pace.FORKED);
    return List.of(Counter.values()).stream().filter(one -> report.count(one) > 0).toList();
  }

  @Test
  void aJobThatCompletedAtOnceIsClean() {
    asked("a", 7);
    job(7, "completed", "a", "", 1, 70);
    attempt(70, 7, 1, "succeeded", 3, 10);
    event(11, EventType.ACCEPTED, Event.NONE, 7, 70, "succeeded");

    assertThat(red()).isEmpty();
  }

  @Test
  void aJobThatIsNowhereIsLostOnlyIfItWasAcknowledged() {
    event(1, EventType.ASKED, "a", 0, 0, "plain");
    event(2, EventType.UNKNOWN, "a", 0, 0, "");
    assertThat(red()).isEmpty();

    asked("b", 8);
    assertThat(red()).containsExactly(Counter.LOST);
  }

  @Test
  void anAcceptedOutcomeThatIsNotThereIsLostAndAfterTheRescueItIsStale() {
    asked("a", 7);
    job(7, "completed", "a", "", 2, 71);
    attempt(70, 7, 1, "lost", 3, 7);
    attempt(71, 7, 2, "succeeded", 8, 10);
    history.add(new Event(3, Event.ALL, EventType.FAULT_BEGAN, "1", 0, 0, "proxy"));
    history.add(new Event(4 * SECOND, Event.ALL, EventType.FAULT_ENDED, "1", 0, 0, "proxy"));
    assertThat(red()).isEmpty();

    event(5, EventType.ACCEPTED, Event.NONE, 7, 70, "failed");
    assertThat(red()).containsExactly(Counter.LOST);

    history.remove(history.size() - 1);
    event(9, EventType.ACCEPTED, Event.NONE, 7, 70, "failed");
    assertThat(red()).containsExactly(Counter.STALE_ACCEPTED);
  }

  @Test
  void aLostLeaseNeedsACauseAndAWholeLease() {
    asked("a", 7);
    job(7, "completed", "a", "", 2, 71);
    attempt(70, 7, 1, "lost", 3, 7);
    attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(red()).containsExactly(Counter.UNPROVOKED_RERUNS);

    executions.clear();
    attempt(70, 7, 1, "lost", 3, 5);
    attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(red()).containsExactly(Counter.OVERLAPPING_LEASES);
  }

  @Test
  void twoOwnersAtATimeOverlap() {
    asked("a", 7);
    job(7, "completed", "a", "", 2, 71);
    attempt(70, 7, 1, "failed", 3, 9);
    attempt(71, 7, 2, "succeeded", 8, 10);

    assertThat(red()).containsExactly(Counter.OVERLAPPING_LEASES);
  }

  @Test
  void anEffectBelongsToTheAttemptThatSucceededAndIsOne() {
    asked("a", 7);
    job(7, "completed", "a", "", 2, 71);
    attempt(70, 7, 1, "failed", 3, 4);
    attempt(71, 7, 2, "succeeded", 8, 10);
    effects.add(new EffectRow("a", 7, 71));
    assertThat(red()).isEmpty();

    effects.add(new EffectRow("a", 7, 70));
    assertThat(red()).containsExactly(Counter.DOUBLE_COMPLETED, Counter.STALE_ACCEPTED);
  }

  @Test
  void anAnsweredCancelIsTheEnd() {
    asked("a", 7);
    event(3, EventType.CANCEL_ASKED, Event.NONE, 7, 0, "");
    event(4, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "REQUESTED");
    job(7, "completed", "a", "", 1, 70);
    attempt(70, 7, 1, "succeeded", 3, 10);
    assertThat(red()).isEmpty();

    event(4, EventType.CANCEL_ANSWERED, Event.NONE, 7, 0, "CANCELLED");
    assertThat(red()).containsExactly(Counter.UNEXPECTED);
  }

  @Test
  void whatIsLiveIsStuckAndTheDeadHaveUsedTheirAttempts() {
    asked("a", 7);
    job(7, "pending", "a", "", 0, 0);
    assertThat(red()).containsExactly(Counter.STUCK);

    jobs.clear();
    job(7, "dead", "a", "", 4, 0);
    for (int n = 1; n <= 4; n++) {
      attempt(70 + n, 7, n, n < 4 ? "failed" : "dead", 2L * n + 1, 2L * n + 2);
    }
    assertThat(red()).containsExactly(Counter.UNEXPECTED);
  }

  @Test
  void theAuditHasEveryAttemptOnce() {
    asked("a", 7);
    job(7, "completed", "a", "", 2, 71);
    attempt(71, 7, 2, "succeeded", 8, 10);
    assertThat(red()).containsExactly(Counter.AUDIT_GAPS);

    attempt(70, 7, 2, "failed", 3, 4);
    assertThat(red()).containsExactly(Counter.AUDIT_GAPS);
  }

  @Test
  void aUniqueKeyIsHeldByOneCertainLifeAtATime() {
    asked("a", 7);
    job(7, "completed", "a", "u", 1, 70);
    attempt(70, 7, 1, "succeeded", 3, 10);
    event(1, EventType.ASKED, "b", 0, 0, "unique");
    event(11, EventType.ACKED, "b", 8, 0, "created");
    job(8, "cancelled", "b", "u", 0, 0);
    event(1, EventType.CANCEL_ASKED, Event.NONE, 8, 0, "");
    assertThat(red()).isEmpty();

    event(9, EventType.ACKED, "b", 8, 0, "created");
    assertThat(red()).containsExactly(Counter.UNIQUE_VIOLATIONS);
  }
}
