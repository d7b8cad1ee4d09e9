package dev.skipjack.spring;

import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** The component {@code skipjack} of Spring Boot 3's health endpoint. */
final class SkipjackHealthIndicator extends AbstractHealthIndicator {

  private final SkipjackWorker lifecycle;

  SkipjackHealthIndicator(SkipjackWorker lifecycle) {
    this.lifecycle = lifecycle;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    HealthReport report = HealthReport.of(lifecycle);
    builder.status(report.status()).withDetails(report.details());
  }
}
