package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Headers;
import dev.skipjack.api.spi.Suspension;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Presents an {@link Attempt} to its handler. */
final class AttemptContext implements JobContext, AttemptExtension {

  private static final String SERIALIZATION_FAILURE = "40001";

  private final Attempt attempt;
  private final @Nullable Long deadline;
  private final WorkerId worker;
  private final QueueAccess access;
  private final Reporter reporter;

  /** The objects of modules, by class. */
  private final Map<Class<?>, Object> parts = new ConcurrentHashMap<>();

  private volatile @Nullable String noSuspension;

  /**
   * @param deadline the nanoTime of the timeout, or null for none
   */
  AttemptContext(
      Attempt attempt,
      @Nullable Long deadline,
      WorkerId worker,
      QueueAccess access,
      Reporter reporter) {
    this.attempt = attempt;
    this.deadline = deadline;
    this.worker = worker;
    this.access = access;
    this.reporter = reporter;
  }

  @Override
  public JobId jobId() {
    return attempt.execution().jobId();
  }

  @Override
  public ExecutionId executionId() {
    return attempt.execution().id();
  }

  @Override
  public String queue() {
    return attempt.job().queue();
  }

  @Override
  public String kind() {
    return attempt.job().kind();
  }

  @Override
  public int attempt() {
    return attempt.job().attempt();
  }

  @Override
  public int uncountedAttempts() {
    return attempt.job().uncountedAttempts();
  }

  @Override
  public int maxAttempts() {
    return attempt.job().maxAttempts();
  }

  @Override
  public Instant scheduledAt() {
    return attempt.job().scheduledAt();
  }

  @Override
  public Instant startedAt() {
    return attempt.job().startedAt();
  }

  @Override
  public WorkerId worker() {
    return worker;
  }

  @Override
  public Optional<Duration> timeLeft() {
    return deadline == null
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(deadline - System.nanoTime()));
  }

  @Override
  public Optional<Instant> scheduledFor() {
    return attempt.job().fire().map(ScheduledFire::at);
  }

  @Override
  public Optional<String> schedule() {
    return attempt.job().fire().map(ScheduledFire::schedule);
  }

  @Override
  public Optional<String> orderingKey() {
    return Optional.ofNullable(attempt.execution().orderingKey());
  }

  @Override
  public Optional<String> traceparent() {
    return Optional.ofNullable(attempt.job().traceparent());
  }

  @Override
  public Map<String, String> headers() {
    return Headers.withoutReserved(attempt.job().headers());
  }

  @Override
  public void completeIn(Connection connection) {
    completeIn(connection, null);
  }

  @Override
  public void completeIn(Connection connection, @Nullable Object result) {
    String written = result == null ? null : access.encodeResult(kind(), result);
    try {
      if (written == null) {
        access.store().completeIn(connection, attempt.execution());
      } else {
        access.store().completeIn(connection, attempt.execution(), written);
      }
      attempt.completion().noteWritten();
    } catch (LeaseLostException lost) {
      // The handler may be repeating a transaction that has already committed the completion.
      if (!attempt.completion().isWritten() && attempt.lose()) {
        reporter.lost(attempt, lost.heldBy().orElse(null));
      }
      throw lost;
    } catch (StoreException refused) {
      if (refused.sqlState().filter(SERIALIZATION_FAILURE::equals).isPresent()) {
        attempt.snapshotTooOld();
      } else if (refused.isTransient()) {
        attempt.completion().notePostponed(refused);
      }
      throw refused;
    }
  }

  @Override
  public JobEnqueuer enqueueIn(Connection connection) {
    JobEnqueuer enqueuer = access.in(connection);
    Map<String, String> headers = headers();
    return headers.isEmpty() ? enqueuer : new InheritingEnqueuer(enqueuer, headers);
  }

  @Override
  public void progress(int percent, @Nullable String message) {
    attempt.progress(percent, message);
  }

  @Override
  public boolean throttle(Duration retryAfter) {
    return access.store().throttle(attempt.execution(), false, retryAfter);
  }

  @Override
  public boolean throttleGroup(Duration retryAfter) {
    return access.store().throttle(attempt.execution(), true, retryAfter);
  }

  @Override
  public boolean isCancelled() {
    return attempt.isCancelled();
  }

  @Override
  public boolean isLeaseLost() {
    return attempt.isLeaseLost();
  }

  @Override
  public AttemptExtension extension() {
    return this;
  }

  @Override
  public Execution execution() {
    return attempt.execution();
  }

  @Override
  public QueueAccess queueAccess() {
    return access;
  }

  @Override
  public <T> T part(Class<T> type, Supplier<T> creation) {
    return type.cast(parts.computeIfAbsent(type, unused -> creation.get()));
  }

  @Override
  public void markSteps() {
    attempt.markSteps();
  }

  @Override
  public void lose() {
    if (attempt.lose()) {
      reporter.lost(attempt, null);
    }
  }

  @Override
  public Error suspend(Suspension suspension) {
    attempt.suspend(suspension);
    return new SuspendedError(suspension.awaits());
  }

  @Override
  public void requireSuspendable() {
    String refused = noSuspension;
    if (refused != null) {
      throw new IllegalStateException(refused);
    }
  }

  @Override
  public void refuseSuspension(String reason) {
    noSuspension = reason;
  }
}
