package dev.skipjack.spring;

import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerHealth;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The health of the worker, for the health indicators of each version of Spring Boot. An
 * application without a worker is up, because it can enqueue jobs. Does not use the database.
 *
 * @param status {@code UP} or {@code DOWN}
 */
record HealthReport(String status, Map<String, Object> details) {

  /** Reports whether the worker can find, run and end jobs. */
  static HealthReport readiness(ObjectProvider<SkipjackWorker> lifecycle) {
    return of(lifecycle, WorkerHealth::ready);
  }

  /** Reports whether the worker is working, or can recover without a restart. */
  static HealthReport liveness(ObjectProvider<SkipjackWorker> lifecycle) {
    return of(lifecycle, WorkerHealth::alive);
  }

  private static HealthReport of(
      ObjectProvider<SkipjackWorker> lifecycle, Predicate<WorkerHealth> isUp) {
    Optional<WorkerHealth> health =
        Optional.ofNullable(lifecycle.getIfAvailable())
            .flatMap(SkipjackWorker::worker)
            .map(Worker::health);
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("worker", health.isPresent() ? "started" : "none");
    health.ifPresent(
        found -> {
          details.put("alive", found.alive());
          details.put("lagMillis", found.lag().toMillis());
          if (!found.reasons().isEmpty()) {
            details.put("reasons", found.reasons());
          }
        });
    return new HealthReport(health.map(isUp::test).orElse(true) ? "UP" : "DOWN", details);
  }
}
