package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.FaultLog.Fault;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which fault explains a lost attempt that lasted from 10 to 13.5. */
class FaultLogTest {

  private final MadeUpRun run = new MadeUpRun();

  @BeforeEach
  void addLostAttempt() {
    run.acknowledged("a", 7);
    run.attempt(70, 7, 1, "lost", 10, 13.5);
    run.attempt(71, 7, 2, "succeeded", 14, 15);
    run.job(7, "completed", "a", "", 2, 71);
  }

  private void handlerStarted() {
    run.event(10.1, EventType.STARTED, "a", 7, 70, "");
  }

  private double causeBegan() {
    Fault cause = run.log().cause(run.executions.get(0));
    return Objects.requireNonNull(cause).began() / (double) MadeUpRun.SECOND;
  }

  private boolean isUnprovoked() {
    return run.nonZeroCounters().contains(Counter.UNPROVOKED_RERUNS);
  }

  /** A worker renews leases on a connection that it keeps. */
  @Test
  void anExhaustedPoolExplainsNoLostAttempt() {
    run.fault("pool", "worker-1", 9, 13);
    assertThat(isUnprovoked()).isTrue();
  }

  @Test
  void aFaultAtTheClaimIsTheCauseIfNoHandlerStarted() {
    run.fault("pool", "worker-1", 9, 13);
    run.fault("commit-cut", Event.ALL, 9.9, 10.1);
    run.fault("backend", Event.ALL, 11.1, 11.2);
    assertThat(causeBegan()).isEqualTo(9.9);

    handlerStarted();
    assertThat(causeBegan()).isEqualTo(11.1);
  }

  /** The next heartbeat replaces one that was cut. */
  @Test
  void aCutCommitIsTheCauseOfAStartedAttemptOnlyIfThereIsNoOther() {
    handlerStarted();
    run.fault("postmaster", Event.ALL, 11, 12);
    run.fault("commit-cut", Event.ALL, 13, 13.1);
    assertThat(causeBegan()).isEqualTo(11);
  }

  /** Heartbeats are overdue after 11.75. */
  @Test
  void aFaultAfterHeartbeatsWereOverdueIsTheCauseOnlyIfThereIsNoOther() {
    handlerStarted();
    run.fault("backend", Event.ALL, 10.2, 10.3);
    run.fault("backend", Event.ALL, 13.4, 13.45);
    run.fault("kill", "worker-1", 12, 12.2);
    assertThat(causeBegan()).isEqualTo(10.2);

    run.fault("backend", Event.ALL, 11.7, 11.8);
    assertThat(causeBegan()).isEqualTo(11.7);

    run.history.clear();
    run.fault("kill", "worker-1", 12, 12.2);
    assertThat(causeBegan()).isEqualTo(12);
    run.fault("backend", Event.ALL, 13.4, 13.45);
    assertThat(causeBegan()).isEqualTo(12);
  }

  @Test
  void aKillBeforeTheClaimIsNotTheCause() {
    run.fault("kill", "worker-1", 7, 7.5);
    assertThat(isUnprovoked()).isTrue();

    run.fault("kill", "worker-1", 11, 11.5);
    run.fault("commit-cut", Event.ALL, 12, 12.1);
    assertThat(causeBegan()).isEqualTo(11);
  }

  @Test
  void aFaultOfAnotherProcessOrTimeIsNotTheCause() {
    run.fault("kill", "worker-2", 11, 11.5);
    run.fault("backend", Event.ALL, 1, 2.9);
    run.fault("backend", Event.ALL, 13.6, 14);
    assertThat(isUnprovoked()).isTrue();

    run.fault("backend", Event.ALL, 1, 3.1); // has effects for a lease and four seconds more
    assertThat(isUnprovoked()).isFalse();
  }

  @Test
  void aLongStallAffectsAllProcessesAndAShortOneOnlyItsOwn() {
    run.history.add(
        new Event(MadeUpRun.micros(12), "worker-2", EventType.STALLED, Event.NONE, 0, 0, "700"));
    assertThat(isUnprovoked()).isTrue();

    run.history.add(
        new Event(MadeUpRun.micros(12), "worker-3", EventType.STALLED, Event.NONE, 0, 0, "800"));
    assertThat(isUnprovoked()).isFalse();
  }

  @Test
  void aStallOfAFrozenProcessAffectsNoOtherProcess() {
    run.fault("stop", "worker-2", 9, 13);
    run.history.add(
        new Event(MadeUpRun.micros(13.1), "worker-2", EventType.STALLED, Event.NONE, 0, 0, "4000"));
    assertThat(isUnprovoked()).isTrue();
  }

  @Test
  void aFaultWithoutAnEndLastsUntilTheEndOfTheRun() {
    run.history.add(
        new Event(
            MadeUpRun.micros(1), Event.ALL, EventType.FAULT_BEGAN, "x", 0, 0, "postmaster killed"));
    assertThat(isUnprovoked()).isFalse();
    assertThat(run.log().all().get(0).how()).isEqualTo("killed");
    assertThat(run.log().all().get(0).is(FaultKind.POSTMASTER)).isTrue();
  }

  @Test
  void recoveryCountsFromAFaultOfOneProcessAndFromTheEndOfAFaultOfAll() {
    run.fault("stop", "worker-1", 11, 18);
    assertThat(recovery("stop")).isEqualTo(2_500);

    run.history.clear();
    run.fault("proxy", Event.ALL, 11, 13);
    assertThat(recovery("proxy")).isEqualTo(500);

    run.history.clear();
    run.fault("proxy", Event.ALL, 5, 9);
    assertThat(recovery("proxy")).isEqualTo(3_500); // from the claim

    run.history.clear();
    run.fault("proxy", Event.ALL, 11, 14);
    assertThat(recovery("proxy")).isEqualTo(2_500); // rescued while the fault lasted

    run.history.clear();
    run.fault("proxy black-hole", Event.ALL, 11, 14);
    run.reachable(12);
    assertThat(recovery("proxy")).isEqualTo(1_500);
  }

  @Test
  void timeWithoutAReachableServerDoesNotCountAsRecovery() {
    run.fault("kill", "worker-1", 10.5, 10.6);
    assertThat(recovery("kill")).isEqualTo(3_000);

    run.fault("kill", "worker-2", 10.5, 13);
    assertThat(recovery("kill")).isEqualTo(3_000);

    run.fault("postmaster", Event.ALL, 10, 11);
    run.fault("proxy refused", Event.ALL, 11.5, 12.5);
    run.fault("proxy refused", Event.ALL, 11.7, 12);
    run.fault("postmaster", Event.ALL, 13, 16);
    // None of these makes the server unreachable.
    run.fault("commit-cut", Event.ALL, 11, 11.5);
    run.fault("proxy " + FaultInjector.SLOW, Event.ALL, 11, 11.5);
    run.fault("postmaster " + FaultInjector.ONE_BACKEND, Event.ALL, 11, 11.5);
    run.fault("proxy forgotten", Event.ALL, 11, 11.5);
    run.fault("proxy reset", Event.ALL, 11, 11.5);
    assertThat(recovery("kill")).isEqualTo(1_000);
  }

  @Test
  void aBlackHoleMakesTheServerUnreachableUntilItForwardsAgain() {
    run.fault("kill", "worker-1", 10.5, 10.6);
    run.fault("proxy black-hole", Event.ALL, 11, 15);
    run.reachable(12.5);
    assertThat(recovery("kill")).isEqualTo(1_500);
  }

  private long recovery(String kind) {
    return Objects.requireNonNull(
        Recoveries.of(run.checked(), run.log()).row(kind).get("recovery_p99_ms"));
  }

  @Test
  void onlyLostAttemptsCountAsReruns() {
    run.fault("kill", "worker-1", 9, 14.5);
    assertThat(Recoveries.of(run.checked(), run.log()).row("kill")).containsEntry("reruns", 1L);
    assertThat(Recoveries.targetMillis(Pace.FORKED)).isEqualTo(4_500);
  }
}
