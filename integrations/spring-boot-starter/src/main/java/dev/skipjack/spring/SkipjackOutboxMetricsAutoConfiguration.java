package dev.skipjack.spring;

import dev.skipjack.micrometer.OutboxMetrics;
import dev.skipjack.outbox.Outbox;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Publishes the meters of the outbox and of its relay if there is a {@code MeterRegistry}. */
@AutoConfiguration(
    after = SkipjackOutboxAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass(
    name = {"io.micrometer.core.instrument.MeterRegistry", "dev.skipjack.outbox.Outbox"})
public class SkipjackOutboxMetricsAutoConfiguration {

  @Bean
  @ConditionalOnBean(MeterRegistry.class)
  @ConditionalOnSingleCandidate(Outbox.class)
  MeterBinder skipjackOutboxMetrics(Outbox outbox) {
    return OutboxMetrics.of(outbox);
  }

  @Bean
  @ConditionalOnBean({MeterRegistry.class, SkipjackRelay.class})
  SkipjackRelay.Listener skipjackRelayMetrics(MeterRegistry registry) {
    return relay -> OutboxMetrics.of(relay).bindTo(registry);
  }
}
