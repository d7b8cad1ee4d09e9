package dev.skipjack.spring;

import java.util.function.Supplier;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** A component of Spring Boot 4's health endpoint. */
final class SkipjackHealthBoot4Indicator extends AbstractHealthIndicator {

  private final Supplier<HealthReport> reports;

  SkipjackHealthBoot4Indicator(Supplier<HealthReport> reports) {
    this.reports = reports;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    HealthReport report = reports.get();
    builder.status(report.status()).withDetails(report.details());
  }
}
