package dev.skipjack.spring;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless {@code skipjack.worker.enabled} is false. Reads the property as {@link
 * SkipjackProperties} does: {@code @ConditionalOnProperty} compares texts, so that a worker would
 * be started in spite of {@code off} or {@code no}.
 */
final class OnWorkerEnabled extends SpringBootCondition {

  private static final String PROPERTY = "skipjack.worker.enabled";

  @Override
  public ConditionOutcome getMatchOutcome(
      ConditionContext context, AnnotatedTypeMetadata annotated) {
    boolean enabled =
        Binder.get(context.getEnvironment()).bind(PROPERTY, Boolean.class).orElse(true);
    return new ConditionOutcome(enabled, PROPERTY + " is " + enabled);
  }
}
