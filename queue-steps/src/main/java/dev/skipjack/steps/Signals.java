package dev.skipjack.steps;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/**
 * Sends signals to jobs that wait for them with {@link Steps#await} or {@link Steps#awaitKey}. A
 * signal may be sent before, during or after the wait begins, and is delivered once. Each signal is
 * sent in its own transaction. Use {@link #in} to send it in a caller's transaction. The schema's
 * function {@code signal} does the same in SQL.
 *
 * <p>Immutable and safe for any number of threads.
 */
public final class Signals {

  private Signals() {}

  /**
   * {@return an instance that sends signals to jobs of {@code queue}} Create one instance and share
   * it.
   *
   * @param queue the queue
   */
  public static Signals on(JobQueue queue) {
    throw new UnsupportedOperationException();
  }

  /**
   * {@return an instance that sends signals in the transaction that is open on {@code transaction}}
   * Until the transaction ends, it holds a lock on the row of the job that gets the signal.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   */
  public Signals in(Connection transaction) {
    throw new UnsupportedOperationException();
  }

  /**
   * {@return an instance that sends signals in the transaction that is open on {@code transaction}}
   *
   * @param transaction the context of the caller's transaction
   */
  public Signals in(DSLContext transaction) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends a signal to a job.
   *
   * @param job the job
   * @param name the name for which the job waits, or will wait
   * @param payload what the job receives, as for a payload; not null
   * @return what happened to the signal
   * @throws PayloadException if the payload cannot be encoded
   * @throws StoreException if the database rejected the signal or could not be reached
   */
  public SignalResult send(JobId job, String name, Object payload) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends a signal to a job, with options.
   *
   * @param job the job
   * @param name the name for which the job waits, or will wait
   * @param payload what the job receives
   * @param options sets the options
   * @return what happened to the signal
   */
  public SignalResult send(
      JobId job, String name, Object payload, UnaryOperator<SignalOptions> options) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends a signal to the job that waits for a key. If several wait, one of them gets it.
   *
   * @param key the key, 1 to 512 bytes in UTF-8
   * @param name the name for which the job waits, or will wait
   * @param payload what the job receives
   * @return what happened to the signal; never {@link SignalResult#ENDED}
   */
  public SignalResult sendToKey(String key, String name, Object payload) {
    throw new UnsupportedOperationException();
  }

  /**
   * Sends a signal to the job that waits for a key, with options.
   *
   * @param key the key
   * @param name the name for which the job waits, or will wait
   * @param payload what the job receives
   * @param options sets the options
   * @return what happened to the signal
   */
  public SignalResult sendToKey(
      String key, String name, Object payload, UnaryOperator<SignalOptions> options) {
    throw new UnsupportedOperationException();
  }

  /**
   * {@return links that send signals when they are opened, for approvals by mail}
   *
   * @param secret the key of the signatures, at least 32 random bytes, the same in all processes
   * @throws IllegalArgumentException if the secret is shorter
   */
  public SignalLinks links(byte[] secret) {
    throw new UnsupportedOperationException();
  }
}
