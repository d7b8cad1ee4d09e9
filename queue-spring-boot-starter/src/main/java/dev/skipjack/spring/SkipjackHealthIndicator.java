package dev.skipjack.spring;

import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerHealth;
import java.util.Optional;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/**
 * Reports whether the worker can find, run and end jobs. An application without a worker is up,
 * because it can enqueue jobs. Does not use the database.
 */
final class SkipjackHealthIndicator extends AbstractHealthIndicator {

  private final SkipjackWorker lifecycle;

  SkipjackHealthIndicator(SkipjackWorker lifecycle) {
    this.lifecycle = lifecycle;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    Optional<WorkerHealth> health = lifecycle.worker().map(Worker::health);
    builder.status(health.map(WorkerHealth::ready).orElse(true) ? "UP" : "DOWN");
    builder.withDetail("worker", health.isPresent() ? "started" : "none");
    health.ifPresent(
        found -> {
          builder.withDetail("alive", found.alive());
          builder.withDetail("lagMillis", found.lag().toMillis());
          if (!found.reasons().isEmpty()) {
            builder.withDetail("reasons", found.reasons());
          }
        });
  }
}
