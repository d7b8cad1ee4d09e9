package dev.skipjack.spring;

import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Reports the worker's health if Spring Boot 3's actuator is on the class path. */
@AutoConfiguration(after = SkipjackAutoConfiguration.class)
@ConditionalOnClass(
    name = {
      "org.springframework.boot.actuate.health.HealthIndicator",
      "org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator"
    })
public class SkipjackHealthAutoConfiguration {

  // Conditions that refer to classes of the actuator belong to the method: they are evaluated after
  // those of the class.
  @Bean
  @ConditionalOnBean(SkipjackWorker.class)
  @ConditionalOnEnabledHealthIndicator("skipjack")
  @ConditionalOnMissingBean(name = "skipjackHealthIndicator")
  SkipjackHealthIndicator skipjackHealthIndicator(SkipjackWorker worker) {
    return new SkipjackHealthIndicator(worker);
  }
}
