package dev.skipjack.spring;

import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerHealth;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Whether the worker can find, run and end jobs, for the health indicators of each version of
 * Spring Boot. An application without a worker is up, because it can enqueue jobs. Does not use the
 * database.
 *
 * @param status {@code UP} or {@code DOWN}
 */
record HealthReport(String status, Map<String, Object> details) {

  static HealthReport of(SkipjackWorker lifecycle) {
    Optional<WorkerHealth> health = lifecycle.worker().map(Worker::health);
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
    return new HealthReport(health.map(WorkerHealth::ready).orElse(true) ? "UP" : "DOWN", details);
  }
}
