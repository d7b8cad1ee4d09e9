package dev.skipjack.demo;

import dev.skipjack.api.JobStatus;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A condition that must hold for each delivery. Counts its violations. Used by one thread. */
final class DeliveryRule {

  private final String name;
  private final Predicate<DeliveryFacts> holds;
  private long violations;
  private @Nullable String example;

  private DeliveryRule(String name, Predicate<DeliveryFacts> holds) {
    this.name = name;
    this.holds = holds;
  }

  /** Returns all rules, with no violations counted yet. */
  static List<DeliveryRule> all() {
    return List.of(
        new DeliveryRule(
            "every delivery has exactly one job",
            facts -> (facts.live() == null) != (facts.archived() == null)),
        new DeliveryRule(
            "every job is completed or dead",
            facts -> facts.dead() || facts.archived() == JobStatus.COMPLETED),
        new DeliveryRule(
            "every delivery whose job did not die has exactly one effect",
            facts -> facts.dead() || facts.effects() == 1),
        new DeliveryRule(
            "no delivery whose job died has an effect",
            facts -> !facts.dead() || facts.effects() == 0),
        new DeliveryRule(
            "the dead jobs are exactly the poisoned ones",
            facts -> facts.dead() == (facts.fate() == Fate.POISONED)),
        new DeliveryRule(
            "every job that fails once was tried again",
            facts -> facts.fate() != Fate.FAILS_ONCE || facts.attempts() >= 2),
        new DeliveryRule("attempts equal audit rows", facts -> facts.attempts() == facts.audited()),
        new DeliveryRule(
            "refused sends equal the planned second sends", DeliveryRule::refusedAsPlanned));
  }

  void look(DeliveryFacts facts) {
    if (!holds.test(facts)) {
      violations++;
      if (example == null) {
        example = "delivery " + facts.delivery();
      }
    }
  }

  Check verdict() {
    return new Check(name, violations, example);
  }

  private static boolean refusedAsPlanned(DeliveryFacts facts) {
    int planned = facts.secondSend() == SecondSend.NONE ? 0 : 1;
    return facts.planned() == facts.secondSend()
        && (facts.refused() == planned || (facts.refused() == 0 && !facts.runFinished()));
  }
}
