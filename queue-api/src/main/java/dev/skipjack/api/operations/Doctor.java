package dev.skipjack.api.operations;

import dev.skipjack.api.StoreException;
import java.util.List;

/**
 * Checks the queue, its database and its workers for problems.
 *
 * <p>The checks write nothing, so they can also run on a standby. Any role that may use the queue
 * can run them. If the role may not read the data that a check needs, the check returns {@link
 * Finding.Level#NOT_CHECKED}. Implementations are thread-safe.
 */
public interface Doctor {

  /**
   * Runs all checks, each in its own short transaction. The number of rows that a check reads is
   * limited and does not depend on the size of the tables.
   *
   * @return one finding for each check, always in the same order
   * @throws StoreException if the database cannot be reached or accepts no connection
   */
  List<Finding> run();
}
