package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A store with jobs and a worker's claimed attempts, for tests of the flusher and the heartbeat.
 */
final class Held {

  final MemoryStore store = new MemoryStore();
  final EventLog events = new EventLog();
  final RunningJobs running = new RunningJobs();
  final OutcomeFlusher flusher;
  final HeartbeatTask heartbeat;

  private final Duration lease;
  private final Reporter reporter;

  Held(Duration lease) {
    this.lease = lease;
    this.reporter = new Reporter(List.of(events));
    OutcomeWriter writer =
        new OutcomeWriter(store, lease, running, reporter, new SplittableRandom(1));
    flusher = new OutcomeFlusher(writer, running, new Wakeup(), Duration.ZERO);
    heartbeat = heartbeat(Duration.ofMillis(10));
  }

  /** Returns a heartbeat that renews leases at this interval. */
  HeartbeatTask heartbeat(Duration interval) {
    WorkerConfig config = WorkerConfig.builder().lease(lease).heartbeatInterval(interval).build();
    return new HeartbeatTask(store, store, config, running, Attempt::cancel, reporter);
  }

  /** Adds the given number of jobs, claims them and registers their attempts as held. */
  List<Attempt> claim(int jobs) {
    store.addAll(jobs, job().payload("payload"));
    List<Attempt> claimed =
        Claimers.of(store, "k", lease, LowWaterMarks.FAST, System::nanoTime, "q")
            .claim(Map.of("q", jobs), jobs);
    claimed.forEach(running::add);
    store.calls.clear();
    return claimed;
  }
}
