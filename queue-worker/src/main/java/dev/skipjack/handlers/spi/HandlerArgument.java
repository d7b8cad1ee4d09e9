package dev.skipjack.handlers.spi;

import dev.skipjack.handlers.JobHandler;
import dev.skipjack.worker.JobContext;
import java.util.Optional;

/**
 * A parameter that {@link JobHandler} methods can take besides the payload. {@link
 * java.util.ServiceLoader} finds the implementations on the class path. They are safe for any
 * number of threads.
 *
 * @param <T> the class of the parameter
 */
public interface HandlerArgument<T> {

  /** {@return the class of the parameter, which must be exactly this one} */
  Class<T> type();

  /**
   * {@return the argument for an attempt} An exception fails the attempt.
   *
   * @param job the context of the attempt
   */
  T of(JobContext job);

  /**
   * {@return the reason why a transactional handler cannot take the parameter, as a sentence with
   * the fix, or empty if it can}
   */
  default Optional<String> refusalInTransaction() {
    return Optional.empty();
  }
}
