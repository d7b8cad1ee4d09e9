package dev.skipjack.spring;

import dev.skipjack.micrometer.MicrometerMetrics;
import dev.skipjack.worker.WorkerMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Publishes the worker's metrics if there is a {@code MeterRegistry}. */
@AutoConfiguration(
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
    })
@ConditionalOnClass(name = "io.micrometer.core.instrument.MeterRegistry")
@Conditional(OnEnabled.Starter.class)
public class SkipjackMetricsAutoConfiguration {

  @Bean
  @ConditionalOnBean(MeterRegistry.class)
  @ConditionalOnMissingBean(WorkerMetrics.class)
  MicrometerMetrics skipjackWorkerMetrics(MeterRegistry registry) {
    return new MicrometerMetrics(registry);
  }
}
