package dev.skipjack.worker.faults;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the events of a worker. */
final class EventLog implements WorkerListener {

  private final List<WorkerEvent> events = new CopyOnWriteArrayList<>();

  @Override
  public void on(WorkerEvent event) {
    events.add(event);
  }

  <E extends WorkerEvent> List<E> all(Class<E> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** Returns whether the worker has reported a failure of this loop. */
  boolean hasFailed(String loop) {
    return all(WorkerEvent.LoopFailed.class).stream()
        .anyMatch(failed -> failed.loop().equals(loop));
  }
}
