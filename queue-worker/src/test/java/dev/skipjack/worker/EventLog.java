package dev.skipjack.worker;

import dev.skipjack.api.JobId;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the events of a worker. */
final class EventLog implements WorkerListener {

  private final List<WorkerEvent> events = new CopyOnWriteArrayList<>();

  @Override
  public void on(WorkerEvent event) {
    events.add(event);
  }

  /** Returns the Claimed, Started and Succeeded events of one job. */
  List<WorkerEvent> of(JobId job) {
    return events.stream()
        .filter(
            event ->
                (event instanceof WorkerEvent.Claimed claimed
                        && claimed.attempt().jobId().equals(job))
                    || (event instanceof WorkerEvent.Started started
                        && started.attempt().jobId().equals(job))
                    || (event instanceof WorkerEvent.Succeeded succeeded
                        && succeeded.attempt().jobId().equals(job)))
        .toList();
  }

  <E extends WorkerEvent> List<E> all(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }
}
