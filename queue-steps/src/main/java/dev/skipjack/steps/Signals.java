package dev.skipjack.steps;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.steps.internal.WakeWaitingStatement;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Sends signals to jobs that wait for them with {@link Steps#await} or {@link Steps#awaitKey}. A
 * signal may be sent before, during or after the wait begins, and is delivered once. Each signal is
 * sent in its own transaction. Use {@link #in} to send it in a caller's transaction. The schema's
 * function {@code signal} does the same in SQL.
 *
 * <p>A job that waits is woken when the transaction commits. A job that begins to wait for a key
 * while the caller's transaction is open is woken within seconds after the commit, by a running
 * worker with this module.
 *
 * <p>Immutable and safe for any number of threads.
 */
public final class Signals {

  private final JobQueue queue;
  private final Statement<SignalStatement.Request, SignalResult> signal;
  private final Statement<WakeWaitingStatement.Request, WakeWaitingStatement.Woken> wake;
  private final Sender sender;

  private Signals(
      JobQueue queue,
      Statement<SignalStatement.Request, SignalResult> signal,
      Statement<WakeWaitingStatement.Request, WakeWaitingStatement.Woken> wake,
      @Nullable Sender sender) {
    this.queue = queue;
    this.signal = signal;
    this.wake = wake;
    this.sender = sender == null ? this::sendAlone : sender;
  }

  /** Sends a signal. */
  @FunctionalInterface
  interface Sender {
    SignalResult send(SignalStatement.Request request);
  }

  /**
   * {@return an instance that sends signals to jobs of {@code queue}} Create one instance and share
   * it.
   *
   * @param queue the queue
   */
  public static Signals on(JobQueue queue) {
    QueueExtension extension = queue.extension();
    return new Signals(
        queue,
        Statement.lazily(() -> SignalStatement.of(extension.dialect().get())),
        Statement.lazily(() -> WakeWaitingStatement.ofOne(extension.dialect().get())),
        null);
  }

  /**
   * {@return an instance that sends signals in the transaction that is open on {@code transaction}}
   * Until the transaction ends, it holds a lock on the row of the job that gets the signal.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   */
  public Signals in(Connection transaction) {
    return with(
        request -> {
          try {
            return send(transaction, request);
          } catch (SQLException failure) {
            throw OwnTransactions.refused(failure);
          }
        });
  }

  /**
   * {@return an instance that sends signals in the transaction that is open on {@code transaction}}
   * Database errors are thrown as jOOQ's exceptions.
   *
   * @param transaction the context of the caller's transaction
   */
  public Signals in(DSLContext transaction) {
    return with(request -> transaction.connectionResult(connection -> send(connection, request)));
  }

  private Signals with(Sender bound) {
    return new Signals(queue, signal, wake, bound);
  }

  private SignalResult send(Connection transaction, SignalStatement.Request request)
      throws SQLException {
    Session.requireTransaction(transaction);
    return signal.run(transaction, request).get(0);
  }

  /**
   * Sends a signal in its own transaction. A job that began to wait for a key during that
   * transaction is found after the commit, or by the next sweep.
   */
  private SignalResult sendAlone(SignalStatement.Request request) {
    OwnTransactions transactions = queue.extension().transactions();
    SignalResult result = transactions.run(signal, request).get(0);
    if (result == SignalResult.STORED && request.address().startsWith("key/")) {
      boolean woken =
          transactions
              .run(wake, new WakeWaitingStatement.Request(request.address(), request.name(), 0))
              .stream()
              .anyMatch(each -> each.job() != null);
      return woken ? SignalResult.WOKEN : result;
    }
    return result;
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
    return send(job, name, payload, UnaryOperator.identity());
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
    return sendTo("job/" + job, name, payload, options);
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
    return sendToKey(key, name, payload, UnaryOperator.identity());
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
    return sendTo("key/" + StepNames.require("Key", key), name, payload, options);
  }

  private SignalResult sendTo(
      String address, String name, Object payload, UnaryOperator<SignalOptions> options) {
    SignalOptions chosen = options.apply(SignalOptions.DEFAULTS);
    return sender.send(
        new SignalStatement.Request(
            address,
            StepNames.require("Signal name", name),
            encode(name, payload),
            chosen.sentBy(),
            chosen.expiresAfter(),
            null));
  }

  /** Sends the signal of a link. */
  SignalResult send(SignalStatement.Request request) {
    return sender.send(request);
  }

  /** Returns a payload as JSON. */
  String encode(String name, Object payload) {
    return queue.encodeResult("signal '" + name + "'", payload);
  }

  /**
   * {@return links that send signals when they are opened, for approvals by mail} They send them as
   * this instance does.
   *
   * @param secret the key of the signatures, at least 32 random bytes, the same in all processes
   * @throws IllegalArgumentException if the secret is shorter
   */
  public SignalLinks links(byte[] secret) {
    return new SignalLinks(this, secret);
  }
}
