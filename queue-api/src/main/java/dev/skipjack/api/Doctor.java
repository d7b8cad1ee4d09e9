package dev.skipjack.api;

import java.util.List;

/**
 * Checks the queue, its database and its workers for problems.
 *
 * <p>The checks only read. They run on a standby too, and with any role that may use the queue: a
 * check whose facts the role may not read says so. Implementations are thread-safe.
 */
public interface Doctor {

  /**
   * Runs all checks, each in a short transaction of its own. The number of rows that a check reads
   * is limited and does not depend on the size of the tables.
   *
   * @return one finding for each check, always in the same order
   * @throws StoreException if the database cannot be reached
   */
  List<Finding> run();
}
