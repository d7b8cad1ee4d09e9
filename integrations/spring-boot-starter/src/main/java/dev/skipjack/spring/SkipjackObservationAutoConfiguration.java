package dev.skipjack.spring;

import dev.skipjack.observation.CarriedContext;
import dev.skipjack.observation.ContextCarrier;
import dev.skipjack.observation.EnqueueConvention;
import dev.skipjack.observation.JobObservations;
import dev.skipjack.observation.LinkingTracingHandler;
import dev.skipjack.observation.ProcessConvention;
import dev.skipjack.store.jooq.JobQueue;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Reports enqueues and attempts as observations, and carries context to handlers, if {@code
 * skipjack-observation} is on the class path.
 */
@AutoConfiguration(
    after = SkipjackAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.actuate.autoconfigure.observation.ObservationAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
      "org.springframework.boot.actuate.autoconfigure.tracing.MicrometerTracingAutoConfiguration",
      "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration"
    })
@ConditionalOnClass(name = "dev.skipjack.observation.JobObservations")
@ConditionalOnBean(JobQueue.class)
public class SkipjackObservationAutoConfiguration {

  /** Precedes interceptors of the application, so that these run inside the observation. */
  private static final int OBSERVATION_ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

  /** Follows the observation, so that the context is restored inside it. */
  private static final int CONTEXT_ORDER = Ordered.HIGHEST_PRECEDENCE + 200;

  /** Precedes Spring Boot's own tracing handler for receivers, whose order is 1000. */
  private static final int LINKING_ORDER = 900;

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "io.micrometer.observation.ObservationRegistry")
  static class Observations {

    @Bean
    @Order(OBSERVATION_ORDER)
    @ConditionalOnBean(ObservationRegistry.class)
    @ConditionalOnMissingBean
    JobObservations skipjackObservations(
        ObservationRegistry registry,
        ObjectProvider<EnqueueConvention> enqueues,
        ObjectProvider<ProcessConvention> attempts,
        SkipjackProperties properties) {
      JobObservations observations =
          JobObservations.of(registry).childWithin(properties.observation().childWithin());
      EnqueueConvention enqueue = enqueues.getIfAvailable();
      if (enqueue != null) {
        observations = observations.convention(enqueue);
      }
      ProcessConvention process = attempts.getIfAvailable();
      return process == null ? observations : observations.convention(process);
    }
  }

  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = {
        "io.micrometer.observation.ObservationRegistry",
        "io.micrometer.tracing.propagation.Propagator"
      })
  static class Tracing {

    // Declared after Spring Boot's handler, which is not created if there is another one of its
    // class.
    @Bean
    @Order(LINKING_ORDER)
    @ConditionalOnBean({Tracer.class, Propagator.class})
    @ConditionalOnMissingBean
    LinkingTracingHandler skipjackLinkingTracingHandler(Tracer tracer, Propagator propagator) {
      return new LinkingTracingHandler(tracer, propagator);
    }
  }

  @Bean
  @Order(CONTEXT_ORDER)
  @ConditionalOnBean(ContextCarrier.class)
  @ConditionalOnMissingBean
  CarriedContext skipjackCarriedContext(ObjectProvider<ContextCarrier> carriers) {
    return CarriedContext.of(carriers.orderedStream().toList());
  }
}
