package dev.skipjack.spring;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The component {@code skipjack} of Spring Boot 4's health endpoint. */
final class SkipjackHealthBoot4Indicator extends AbstractHealthIndicator {

  private final SkipjackWorker lifecycle;

  SkipjackHealthBoot4Indicator(SkipjackWorker lifecycle) {
    this.lifecycle = lifecycle;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    HealthReport report = HealthReport.of(lifecycle);
    builder.status(report.status()).withDetails(report.details());
  }
}
