package dev.skipjack.spring;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if a property is true, or if it is not set and true by default. Reads the property as
 * {@link SkipjackProperties} does, because {@code @ConditionalOnProperty} compares texts and would
 * start a worker in spite of {@code off} or {@code no}.
 */
abstract class OnEnabled extends SpringBootCondition {

  private final String property;
  private final boolean byDefault;

  private OnEnabled(String property, boolean byDefault) {
    this.property = property;
    this.byDefault = byDefault;
  }

  /** The starter as a whole. */
  static final class Starter extends OnEnabled {
    Starter() {
      super("skipjack.enabled", true);
    }
  }

  /** The worker. */
  static final class Worker extends OnEnabled {
    Worker() {
      super("skipjack.worker.enabled", true);
    }
  }

  /** The relay of the outbox. */
  static final class Relay extends OnEnabled {
    Relay() {
      super("skipjack.outbox.relay.enabled", true);
    }
  }

  /** The dashboard. */
  static final class Dashboard extends OnEnabled {
    Dashboard() {
      super("skipjack.dashboard.enabled", false);
    }
  }

  @Override
  public ConditionOutcome getMatchOutcome(
      ConditionContext context, AnnotatedTypeMetadata annotated) {
    boolean enabled =
        Binder.get(context.getEnvironment()).bind(property, Boolean.class).orElse(byDefault);
    return new ConditionOutcome(enabled, property + " is " + enabled);
  }
}
