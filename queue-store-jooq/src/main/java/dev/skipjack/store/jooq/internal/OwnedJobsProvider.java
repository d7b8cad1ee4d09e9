package dev.skipjack.store.jooq.internal;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jooq.DSLContext;
import org.slf4j.LoggerFactory;

/**
 * Creates the checks that follow the end of a job with an owner. {@link ServiceLoader} finds the
 * implementation of a module on the class path. Without one, nothing is checked.
 */
public interface OwnedJobsProvider {

  /**
   * {@return the checks of a queue}
   *
   * @param queue the parts of the queue that the checks use
   */
  OwnedJobs create(Parts queue);

  /**
   * The parts of a queue that the checks use.
   *
   * @param transactions runs each statement in its own transaction, or in that of the caller
   * @param writer inserts jobs as the queue itself does
   * @param waker wakes workers as the queue itself does
   * @param cancel cancels jobs as an operator would
   */
  record Parts(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      QueueExtension.Writer writer,
      QueueExtension.Waker waker,
      Cancel cancel) {}

  /** Cancels jobs. */
  @FunctionalInterface
  interface Cancel {
    /** Cancels pending and waiting jobs, and requests the cancellation of running ones. */
    List<CancelResult> cancel(List<JobId> jobs);
  }

  /** {@return the implementation on the class path, if there is one that can be loaded} */
  static Optional<OwnedJobsProvider> find() {
    try {
      Iterator<OwnedJobsProvider> found =
          ServiceLoader.load(OwnedJobsProvider.class, OwnedJobsProvider.class.getClassLoader())
              .iterator();
      return found.hasNext() ? Optional.of(found.next()) : Optional.empty();
    } catch (ServiceConfigurationError | LinkageError broken) {
      LoggerFactory.getLogger(OwnedJobsProvider.class)
          .error(
              "Batches and joins do not finish, because their implementation could not be loaded",
              broken);
      return Optional.empty();
    }
  }
}
