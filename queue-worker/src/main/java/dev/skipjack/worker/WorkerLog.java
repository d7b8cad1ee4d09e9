package dev.skipjack.worker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one logger of a worker. Users configure it by this name, so all parts share it. */
final class WorkerLog {

  /** By name, because the parts of a {@link Worker} do not depend on it. */
  static final Logger LOG = LoggerFactory.getLogger("dev.skipjack.worker.Worker");

  private WorkerLog() {}
}
