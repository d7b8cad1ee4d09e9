package dev.skipjack.observation;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the last steps of reports. At that time, the jobs have been enqueued or the handler has
 * ended. An exception of a tracer or an exporter must not undo or repeat that.
 */
final class Reports {

  private static final Logger LOG = LoggerFactory.getLogger(Reports.class);

  private Reports() {}

  /**
   * Runs every step, even if an earlier one fails. Throws nothing: failures are logged.
   *
   * @param operation the operation that is reported, for the log
   * @param queue the queue of the operation, for the log
   */
  static void end(String operation, String queue, Runnable... steps) {
    for (Runnable step : steps) {
      try {
        step.run();
      } catch (Throwable failed) {
        LOG.warn("Not reported operation={} queue={}", operation, queue, failed);
      }
    }
  }
}
