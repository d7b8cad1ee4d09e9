package dev.skipjack.spring;

import dev.skipjack.outbox.EventRecorder;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;

/**
 * Records events in Spring's transactions if {@code queue-outbox} is on the class path. Publishes
 * them with a relay if there is a {@code Publisher} bean.
 */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnClass(name = "dev.skipjack.outbox.Outbox")
@ConditionalOnBean(HandledTypes.class)
@EnableConfigurationProperties(SkipjackOutboxProperties.class)
public class SkipjackOutboxAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(JobQueue.class)
  Outbox skipjackOutbox(JobQueue queue) {
    return Outbox.on(queue);
  }

  @Bean
  @ConditionalOnMissingBean(EventRecorder.class)
  @ConditionalOnSingleCandidate(Outbox.class)
  SpringEventRecorder skipjackEventRecorder(Outbox outbox) {
    return new SpringEventRecorder(outbox, outbox.dataSource());
  }

  @Bean
  @Lazy(false)
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(Outbox.class)
  @Conditional(OnEnabled.Relay.class)
  SkipjackRelay skipjackRelay(
      Outbox outbox, SkipjackOutboxProperties properties, ConfigurableListableBeanFactory beans) {
    return new SkipjackRelay(outbox, properties.relay(), beans);
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(Outbox.class)
  OutboxReport.Source skipjackOutboxReport(Outbox outbox) {
    return new OutboxReports(outbox.admin());
  }

  @Bean
  @ConditionalOnBean(SkipjackRelay.class)
  HealthReport.RelaySource skipjackRelayState(SkipjackRelay lifecycle) {
    return () ->
        lifecycle
            .relay()
            .map(Relay::health)
            .map(
                health ->
                    new HealthReport.RelayState(health.alive(), health.ready(), health.reasons()));
  }
}
