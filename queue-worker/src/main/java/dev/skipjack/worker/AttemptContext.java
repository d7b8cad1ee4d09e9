package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.JobStore;
import java.sql.Connection;
import java.time.Instant;

/** What a handler sees of its {@link Attempt}. */
final class AttemptContext implements JobContext {

  private final Attempt attempt;
  private final WorkerId worker;
  private final JobStore store;
  private final Reporter reporter;

  AttemptContext(Attempt attempt, WorkerId worker, JobStore store, Reporter reporter) {
    this.attempt = attempt;
    this.worker = worker;
    this.store = store;
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
  public void completeIn(Connection connection) {
    try {
      store.completeIn(connection, attempt.execution());
      attempt.completionWritten();
    } catch (LeaseLostException lost) {
      // A handler that repeats a transaction whose commit seemed to fail meets its own completion.
      if (!attempt.isCompletionWritten() && attempt.lose()) {
        reporter.lost(attempt);
      }
      throw lost;
    }
  }

  @Override
  public boolean isCancelled() {
    return attempt.isCancelled();
  }

  @Override
  public boolean isLeaseLost() {
    return attempt.isLeaseLost();
  }
}
