package dev.skipjack.spring;

import dev.skipjack.store.jooq.JobQueue;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Adds the actuator endpoint {@code skipjack} if it is exposed. */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnClass(
    name = {
      "org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint",
      "org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint"
    })
public class SkipjackEndpointAutoConfiguration {

  @Bean
  @ConditionalOnSingleCandidate(JobQueue.class)
  @ConditionalOnAvailableEndpoint(SkipjackEndpoint.class)
  @ConditionalOnMissingBean
  SkipjackEndpoint skipjackEndpoint(JobQueue queue, ObjectProvider<OutboxReport.Source> outbox) {
    return new SkipjackEndpoint(queue, outbox.getIfUnique());
  }
}
