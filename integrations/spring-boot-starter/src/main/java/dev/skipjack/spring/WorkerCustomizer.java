package dev.skipjack.spring;

import dev.skipjack.worker.Worker;

/**
 * Changes the worker before it is started, for settings without a property and for handlers that
 * are registered in code. All beans of this type are called, in their order.
 */
@FunctionalInterface
public interface WorkerCustomizer {

  /**
   * Changes the builder, which already has the settings, handlers, schedules and queues.
   *
   * @param worker the builder of the worker
   */
  void customize(Worker.Builder worker);
}
