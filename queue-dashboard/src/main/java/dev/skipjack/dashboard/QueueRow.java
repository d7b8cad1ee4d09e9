package dev.skipjack.dashboard;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A queue with its numbers.
 *
 * @param name the queue
 * @param pending its pending jobs
 * @param running its running jobs
 * @param waiting its jobs that wait for their ordering key
 * @param dead its dead jobs
 * @param oldest how long its oldest pending job has been due; null if there is none
 * @param nextDue when that job is or was due; null if there is none
 * @param workers how many living workers serve it
 * @param slots how many of its jobs these workers can run at a time
 * @param limit the limit that binds its jobs; null for none
 * @param pausedAt when it was paused; null if it is not paused
 * @param pausedUntil when the pause ends by itself; null if it does not
 * @param pausedBy who paused it; null if unknown
 * @param pauseReason why it is paused; null if unknown
 */
record QueueRow(
    String name,
    Amount pending,
    Amount running,
    Amount waiting,
    Amount dead,
    @Nullable Duration oldest,
    @Nullable Instant nextDue,
    int workers,
    int slots,
    @Nullable String limit,
    @Nullable Instant pausedAt,
    @Nullable Instant pausedUntil,
    @Nullable String pausedBy,
    @Nullable String pauseReason) {

  /** Collects the queues, by name. */
  static List<QueueRow> of(
      List<JobCount> counts,
      List<PendingAge> ages,
      List<QueueState> states,
      List<ServingWorker> workers) {
    Map<String, Collected> queues = new TreeMap<>();
    counts.stream()
        .filter(count -> !count.isOthers())
        .forEach(count -> of(queues, count.queue()).counts.add(count));
    ages.forEach(age -> of(queues, age.queue()).age = age);
    states.forEach(state -> of(queues, state.queue()).state = state);
    workers.stream()
        .filter(ServingWorker::isAlive)
        .forEach(
            worker -> {
              worker
                  .queues()
                  .forEach(queue -> of(queues, queue).serve(worker.slots().getOrDefault(queue, 0)));
            });
    return queues.entrySet().stream().map(entry -> entry.getValue().row(entry.getKey())).toList();
  }

  private static Collected of(Map<String, Collected> queues, String name) {
    return queues.computeIfAbsent(name, unknown -> new Collected());
  }

  boolean isPaused() {
    return pausedAt != null;
  }

  boolean isDue() {
    return oldest != null && !oldest.isZero();
  }

  /** Whether jobs are due that no living worker will run. */
  boolean isStuck() {
    return isDue() && workers == 0 && !isPaused();
  }

  /** Collects the numbers of a queue. */
  private static final class Collected {
    private final Collection<JobCount> counts = new ArrayList<>();
    private @Nullable PendingAge age;
    private @Nullable QueueState state;
    private int workers;
    private int slots;

    void serve(int more) {
      workers++;
      slots += more;
    }

    private Amount amount(JobStatus status) {
      return Amount.of(counts.stream().filter(count -> count.status() == status).toList());
    }

    QueueRow row(String name) {
      PendingAge oldest = age;
      QueueState set = state;
      return new QueueRow(
          name,
          amount(JobStatus.PENDING),
          amount(JobStatus.RUNNING),
          amount(JobStatus.WAITING),
          amount(JobStatus.DEAD),
          oldest == null ? null : oldest.age(),
          oldest == null ? null : oldest.scheduledAt(),
          workers,
          slots,
          set == null ? null : set.limit(),
          set == null ? null : set.pausedAt(),
          set == null ? null : set.pausedUntil(),
          set == null ? null : set.pausedBy(),
          set == null ? null : set.pauseReason());
    }
  }
}
