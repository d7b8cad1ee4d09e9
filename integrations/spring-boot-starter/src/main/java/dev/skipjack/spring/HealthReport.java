package dev.skipjack.spring;

import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerHealth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;

/**
 * The health of the worker or of the relay, for the health indicators of each version of Spring
 * Boot. An application without a worker or a relay is up, because it can enqueue jobs and record
 * events. Does not use the database.
 *
 * @param status {@code UP} or {@code DOWN}
 */
record HealthReport(String status, Map<String, Object> details) {

  /**
   * The health of a relay. Does not refer to the classes of {@code queue-outbox}, which are
   * optional.
   */
  record RelayState(boolean alive, boolean ready, List<String> reasons) {}

  /** Returns the health of the relay. */
  @FunctionalInterface
  interface RelaySource {
    /** Returns empty if there is no relay. */
    Optional<RelayState> state();
  }

  /** Reports whether the worker can find, run and end jobs. */
  static HealthReport ofWorker(ObjectProvider<SkipjackWorker> lifecycle) {
    Optional<WorkerHealth> worker = health(lifecycle);
    return of(worker.map(WorkerHealth::ready).orElse(true), describe(worker));
  }

  /** Reports whether the relay can read and publish events. */
  static HealthReport ofRelay(ObjectProvider<RelaySource> lifecycle) {
    Optional<RelayState> relay = state(lifecycle);
    Map<String, Object> details = describeRelay(relay);
    addReasons(relay.map(RelayState::reasons).orElse(List.of()), details);
    return of(relay.map(RelayState::ready).orElse(true), details);
  }

  /** Reports whether worker and relay are working, or can recover without a restart. */
  static HealthReport liveness(
      ObjectProvider<SkipjackWorker> workers, ObjectProvider<RelaySource> relays) {
    Optional<WorkerHealth> worker = health(workers);
    Optional<RelayState> relay = state(relays);
    Map<String, Object> details = describe(worker);
    if (relay.isPresent()) {
      details.putAll(describeRelay(relay));
      List<String> reasons = new ArrayList<>(worker.map(WorkerHealth::reasons).orElse(List.of()));
      reasons.addAll(relay.get().reasons());
      addReasons(reasons, details);
    }
    return of(
        worker.map(WorkerHealth::alive).orElse(true) && relay.map(RelayState::alive).orElse(true),
        details);
  }

  private static HealthReport of(boolean isUp, Map<String, Object> details) {
    return new HealthReport(isUp ? "UP" : "DOWN", details);
  }

  private static Optional<WorkerHealth> health(ObjectProvider<SkipjackWorker> lifecycle) {
    return Optional.ofNullable(lifecycle.getIfAvailable())
        .flatMap(SkipjackWorker::worker)
        .map(Worker::health);
  }

  private static Optional<RelayState> state(ObjectProvider<RelaySource> lifecycle) {
    return Optional.ofNullable(lifecycle.getIfAvailable()).flatMap(RelaySource::state);
  }

  private static Map<String, Object> describe(Optional<WorkerHealth> health) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("worker", health.isPresent() ? "started" : "none");
    health.ifPresent(
        found -> {
          details.put("alive", found.alive());
          details.put("lagMillis", found.lag().toMillis());
          addReasons(found.reasons(), details);
        });
    return details;
  }

  private static Map<String, Object> describeRelay(Optional<RelayState> state) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("relay", state.isPresent() ? "started" : "none");
    state.ifPresent(found -> details.put("relayAlive", found.alive()));
    return details;
  }

  private static void addReasons(List<String> reasons, Map<String, Object> details) {
    if (!reasons.isEmpty()) {
      details.put("reasons", reasons);
    }
  }
}
