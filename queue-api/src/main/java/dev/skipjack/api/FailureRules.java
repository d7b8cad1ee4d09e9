package dev.skipjack.api;

import java.util.HashMap;
import java.util.Map;

/** The failure rules of a job type by class of exception. Instances are immutable. */
final class FailureRules {

  private final Backoff otherwise;
  private final Map<Class<?>, FailureRule> byClass;

  private FailureRules(Backoff otherwise, Map<Class<?>, FailureRule> byClass) {
    this.otherwise = otherwise;
    this.byClass = Map.copyOf(byClass);
  }

  static FailureRules standard() {
    return new FailureRules(Backoff.standard(), Map.of());
  }

  FailureRules otherwise(Backoff backoff) {
    return new FailureRules(backoff, byClass);
  }

  Backoff otherwise() {
    return otherwise;
  }

  FailureRules on(Class<? extends Throwable> failure, FailureRule rule) {
    Map<Class<?>, FailureRule> rules = new HashMap<>(byClass);
    rules.put(failure, rule);
    return new FailureRules(otherwise, rules);
  }

  /**
   * Returns the rule for the exception's own class or, failing that, for its nearest superclass.
   */
  FailureRule of(Throwable failure) {
    for (Class<?> type = failure.getClass(); type != Object.class; type = type.getSuperclass()) {
      FailureRule rule = byClass.get(type);
      if (rule != null) {
        return rule;
      }
    }
    return new FailureRule.Retry(otherwise);
  }
}
