package dev.skipjack.spring;

import dev.skipjack.store.jooq.JobQueue;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;

/** Enqueues unique jobs in Spring's transactions if {@code queue-dedup} is on the class path. */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnClass(name = "dev.skipjack.dedup.UniqueEnqueuer")
@ConditionalOnBean(HandledTypes.class)
public class SkipjackUniqueJobsAutoConfiguration {

  // This bean is primary, because a UniqueJobs bean of the application implements UniqueEnqueuer
  // too.
  @Bean
  @Primary
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(JobQueue.class)
  SpringUniqueJobs skipjackUniqueJobs(
      JobQueue queue, SkipjackProperties properties, HandledTypes handled) {
    return new SpringUniqueJobs(
        queue, queue.dataSource(), properties.enqueue().transaction(), handled);
  }
}
