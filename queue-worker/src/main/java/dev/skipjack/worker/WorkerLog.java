package dev.skipjack.worker;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Provides the logger that all parts of a worker share. Users configure it by its name. */
final class WorkerLog {

  static final Logger LOG = LoggerFactory.getLogger("dev.skipjack.worker.Worker");

  private WorkerLog() {}
}
