package dev.skipjack.store.jooq.internal.steps;

import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import java.util.function.Function;
import org.jooq.DSLContext;

/**
 * The parts of a worker's store with which a module runs statements of its own about the jobs of
 * that worker. The store of every {@code JobQueue} implements this interface.
 */
public interface StoreParts {

  /** Returns the transactions that run the statements: the worker's, or those of the caller. */
  OwnTransactions transactions();

  /** Returns the jOOQ context that renders statements for {@link #transactions}. */
  Lazy<DSLContext> dialect();

  /** Returns the factory that creates jobs from types and payloads. */
  JobFactory jobFactory();

  /**
   * Returns the object of a module for this store, for instance its rendered statements. The first
   * call creates it, and all others return the same one.
   */
  <T> T part(Class<T> type, Function<StoreParts, T> creation);
}
