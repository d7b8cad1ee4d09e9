package dev.skipjack.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds queues whose due jobs wait because long-running handlers occupy all slots. */
final class Saturation {

  /** The minimum wait that is reported. Shorter waits are normal in a busy queue. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Collection<ServedQueue> queues;
  private final Vitals vitals;
  private final Reporter reporter;
  private final Set<String> told = new HashSet<>(); // used by the watchdog only

  Saturation(Collection<ServedQueue> queues, Vitals vitals, Reporter reporter) {
    this.queues = List.copyOf(queues);
    this.vitals = vitals;
    this.reporter = reporter;
  }

  /** Returns one sentence for each queue whose jobs wait. */
  List<String> reasons() {
    List<String> reasons = new ArrayList<>();
    queues.forEach(queue -> reasonOf(queue).ifPresent(reasons::add));
    return reasons;
  }

  /** Returns one sentence for each queue in which stuck handlers occupy all slots. */
  List<String> stuck() {
    return queues.stream()
        .filter(ServedQueue::isStuck)
        .map(
            queue ->
                "All slots of queue '%s' are taken by handlers that do not end. Restart the process, and find out what they wait for."
                    .formatted(queue.name()))
        .toList();
  }

  /**
   * Logs a warning for each queue whose jobs wait. The warning is repeated only if the queue's jobs
   * have stopped waiting in the meantime.
   */
  void warn() {
    for (ServedQueue queue : queues) {
      Optional<String> reason = reasonOf(queue);
      if (reason.isEmpty()) {
        told.remove(queue.name());
      } else if (told.add(queue.name())) {
        reporter.saturated(reason.get());
      }
    }
  }

  private Optional<String> reasonOf(ServedQueue queue) {
    Duration taken = queue.takenFor().orElse(Duration.ZERO);
    if (taken.compareTo(PATIENCE) < 0) {
      return Optional.empty();
    }
    Duration waited = vitals.lag(queue.name());
    return waited.compareTo(PATIENCE) < 0
        ? Optional.empty()
        : Optional.of(
            "All %d slots of queue '%s' have been taken for %s; the oldest due job has waited %s."
                .formatted(queue.concurrency(), queue.name(), taken, waited));
  }
}
