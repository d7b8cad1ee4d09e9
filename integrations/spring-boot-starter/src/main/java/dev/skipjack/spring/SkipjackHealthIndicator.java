package dev.skipjack.spring;

import java.util.function.Supplier;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** A component of Spring Boot 3's health endpoint. */
final class SkipjackHealthIndicator extends AbstractHealthIndicator {

  private final Supplier<HealthReport> reports;

  SkipjackHealthIndicator(Supplier<HealthReport> reports) {
    this.reports = reports;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    HealthReport report = reports.get();
    builder.status(report.status()).withDetails(report.details());
  }
}
