package dev.skipjack.spring;

import dev.skipjack.store.jooq.JobQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor;
import org.springframework.boot.actuate.autoconfigure.info.InfoContributorFallback;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Adds {@code skipjack} to the actuator's endpoint {@code info} if {@code
 * management.info.skipjack.enabled} is true. It is false by default, as for the other contributors
 * that disclose versions.
 */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnClass(
    name = {
      "org.springframework.boot.actuate.info.InfoContributor",
      "org.springframework.boot.actuate.autoconfigure.info.ConditionalOnEnabledInfoContributor"
    })
public class SkipjackInfoAutoConfiguration {

  @Bean
  @ConditionalOnSingleCandidate(JobQueue.class)
  @ConditionalOnEnabledInfoContributor(
      value = "skipjack",
      fallback = InfoContributorFallback.DISABLE)
  @ConditionalOnMissingBean(name = "skipjackInfoContributor")
  SkipjackInfoContributor skipjackInfoContributor(
      JobQueue queue, ObjectProvider<SkipjackWorker> worker) {
    return new SkipjackInfoContributor(queue.dataSource(), queue.schema(), worker);
  }
}
