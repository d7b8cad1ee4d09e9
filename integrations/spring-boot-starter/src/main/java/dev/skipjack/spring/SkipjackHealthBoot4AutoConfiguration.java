package dev.skipjack.spring;

import dev.skipjack.store.jooq.JobQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/** Reports the health of worker and relay if Spring Boot 4's health module is on the class path. */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnClass(
    name = {
      "org.springframework.boot.health.contributor.HealthIndicator",
      "org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator"
    })
public class SkipjackHealthBoot4AutoConfiguration {

  // The components exist without a worker too, so that a health group can name them in every
  // process of the application.
  @Bean
  @ConditionalOnSingleCandidate(JobQueue.class)
  @ConditionalOnEnabledHealthIndicator("skipjack")
  @ConditionalOnMissingBean(name = "skipjackHealthIndicator")
  SkipjackHealthBoot4Indicator skipjackHealthIndicator(ObjectProvider<SkipjackWorker> worker) {
    return new SkipjackHealthBoot4Indicator(() -> HealthReport.ofWorker(worker));
  }

  @Bean
  @ConditionalOnSingleCandidate(JobQueue.class)
  @ConditionalOnEnabledHealthIndicator("skipjack")
  @ConditionalOnMissingBean(name = "skipjackLivenessHealthIndicator")
  SkipjackHealthBoot4Indicator skipjackLivenessHealthIndicator(
      ObjectProvider<SkipjackWorker> worker, ObjectProvider<HealthReport.RelaySource> relay) {
    return new SkipjackHealthBoot4Indicator(() -> HealthReport.liveness(worker, relay));
  }

  @Bean
  @ConditionalOnClass(name = "dev.skipjack.outbox.Outbox")
  @ConditionalOnSingleCandidate(JobQueue.class)
  @ConditionalOnEnabledHealthIndicator("skipjack")
  @ConditionalOnProperty(name = "management.health.skipjack-relay.enabled", matchIfMissing = true)
  @ConditionalOnMissingBean(name = "skipjackRelayHealthIndicator")
  SkipjackHealthBoot4Indicator skipjackRelayHealthIndicator(
      ObjectProvider<HealthReport.RelaySource> relay) {
    return new SkipjackHealthBoot4Indicator(() -> HealthReport.ofRelay(relay));
  }
}
