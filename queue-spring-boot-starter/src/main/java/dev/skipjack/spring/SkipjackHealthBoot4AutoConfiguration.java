package dev.skipjack.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;

/** Reports the worker's health if Spring Boot 4's health module is on the class path. */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnClass(
    name = {
      "org.springframework.boot.health.contributor.HealthIndicator",
      "org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator"
    })
public class SkipjackHealthBoot4AutoConfiguration {

  @Bean
  @ConditionalOnBean(SkipjackWorker.class)
  @ConditionalOnEnabledHealthIndicator("skipjack")
  @ConditionalOnMissingBean(name = "skipjackHealthIndicator")
  SkipjackHealthBoot4Indicator skipjackHealthIndicator(SkipjackWorker worker) {
    return new SkipjackHealthBoot4Indicator(worker);
  }
}
