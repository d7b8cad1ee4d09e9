package dev.skipjack.spring;

import dev.skipjack.store.jooq.JobQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Reports the health of worker and relay if Spring Boot 3's actuator is on the class path. */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnClass(
    name = {
      "org.springframework.boot.actuate.health.HealthIndicator",
      "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator"
    })
public class SkipjackHealthAutoConfiguration {

  // Conditions that refer to classes of the actuator belong to the method: they are evaluated after
  // those of the class. The components exist without a worker too, so that a health group can name
  // them in every process of the application.
  @Bean
  @ConditionalOnSingleCandidate(JobQueue.class)
  @ConditionalOnEnabledHealthIndicator("skipjack")
  @ConditionalOnMissingBean(name = "skipjackHealthIndicator")
  SkipjackHealthIndicator skipjackHealthIndicator(ObjectProvider<SkipjackWorker> worker) {
    return new SkipjackHealthIndicator(() -> HealthReport.ofWorker(worker));
  }

  @Bean
  @ConditionalOnSingleCandidate(JobQueue.class)
  @ConditionalOnEnabledHealthIndicator("skipjack")
  @ConditionalOnMissingBean(name = "skipjackLivenessHealthIndicator")
  SkipjackHealthIndicator skipjackLivenessHealthIndicator(
      ObjectProvider<SkipjackWorker> worker, ObjectProvider<HealthReport.RelaySource> relay) {
    return new SkipjackHealthIndicator(() -> HealthReport.liveness(worker, relay));
  }

  @Bean
  @ConditionalOnClass(name = "dev.skipjack.outbox.Outbox")
  @ConditionalOnSingleCandidate(JobQueue.class)
  @ConditionalOnEnabledHealthIndicator("skipjack")
  @ConditionalOnProperty(name = "management.health.skipjack-relay.enabled", matchIfMissing = true)
  @ConditionalOnMissingBean(name = "skipjackRelayHealthIndicator")
  SkipjackHealthIndicator skipjackRelayHealthIndicator(
      ObjectProvider<HealthReport.RelaySource> relay) {
    return new SkipjackHealthIndicator(() -> HealthReport.ofRelay(relay));
  }
}
