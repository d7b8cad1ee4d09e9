package dev.skipjack.worker;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Suspension;
import java.util.function.Supplier;

/**
 * The parts of an attempt on which modules build what a handler can do with its job, for instance
 * durable steps. Not intended for applications. Safe for any number of threads.
 */
public interface AttemptExtension {

  /** {@return the execution, which fences the writes of the module} */
  Execution execution();

  /** {@return the queue of the worker} */
  QueueAccess queueAccess();

  /**
   * {@return the object of a module for this attempt} The first call creates it, and all others
   * return the same one.
   *
   * @param <T> the type of the object
   * @param type the class of the object
   * @param creation creates the object; must not call this method
   */
  <T> T part(Class<T> type, Supplier<T> creation);

  /**
   * Records that the job has durable steps, so that the statement that ends the job also ends its
   * steps.
   */
  void markSteps();

  /** Records that the attempt has lost its job, because the database rejected a fenced write. */
  void lose();

  /**
   * Suspends the job when the handler ends, whatever the handler then returns or throws.
   *
   * @param suspension for what the job waits, and until when
   * @return the error that the caller throws to end the handler
   */
  Error suspend(Suspension suspension);

  /**
   * Checks whether the job can be suspended.
   *
   * @throws IllegalStateException if {@link #refuseSuspension} was called
   */
  void requireSuspendable();

  /**
   * Records that the job must not be suspended.
   *
   * @param reason a sentence with the reason and the fix
   */
  void refuseSuspension(String reason);
}
