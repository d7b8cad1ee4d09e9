package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lists the writes that concern an attempt, so that their common guarantees can be tested for each.
 */
enum AttemptWrite {
  HEARTBEAT(JobStatus.RUNNING, ExecutionStatus.RUNNING) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return fixture.store().heartbeat(executions, AttemptFixture.LEASE).stream()
          .map(Renewal::verdict)
          .toList();
    }
  },
  PROGRESS(JobStatus.RUNNING, ExecutionStatus.RUNNING) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return fixture
          .store()
          .progress(
              executions.stream()
                  .map(execution -> new Progress(execution, 42, "half way"))
                  .toList());
    }
  },
  COMPLETE(JobStatus.COMPLETED, ExecutionStatus.SUCCEEDED) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return fixture.store().complete(executions);
    }
  },
  COMPLETE_IN(JobStatus.COMPLETED, ExecutionStatus.SUCCEEDED) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) throws SQLException {
      return completeIn(fixture, executions, null);
    }
  },
  COMPLETE_IN_WITH_RESULT(JobStatus.COMPLETED, ExecutionStatus.SUCCEEDED) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) throws SQLException {
      return completeIn(fixture, executions, "1");
    }
  },
  END_AS_COMPLETED(JobStatus.COMPLETED, ExecutionStatus.SUCCEEDED) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return fixture
          .store()
          .endWithData(
              executions.stream()
                  .map(execution -> FinalOutcome.completed(execution, "{\"n\": 1}"))
                  .toList());
    }
  },
  END_AS_CANCELLED(JobStatus.CANCELLED, ExecutionStatus.CANCELLED) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return fixture
          .store()
          .endWithData(
              executions.stream()
                  .map(execution -> FinalOutcome.cancelled(execution, "no use"))
                  .toList());
    }
  },
  FAIL(JobStatus.PENDING, ExecutionStatus.FAILED) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return verdicts(fixture.fail(executions, false));
    }
  },
  FAIL_FOR_GOOD(JobStatus.DEAD, ExecutionStatus.DEAD) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return verdicts(fixture.fail(executions, true));
    }
  },
  SNOOZE(JobStatus.PENDING, ExecutionStatus.SNOOZED) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return requeue(fixture, executions, ExecutionStatus.SNOOZED);
    }
  },
  RELEASE(JobStatus.PENDING, ExecutionStatus.RELEASED) {
    @Override
    List<Verdict> write(AttemptFixture fixture, List<Execution> executions) {
      return requeue(fixture, executions, ExecutionStatus.RELEASED);
    }
  };

  private final JobStatus leadsTo;
  private final ExecutionStatus auditSays;

  AttemptWrite(JobStatus leadsTo, ExecutionStatus auditSays) {
    this.leadsTo = leadsTo;
    this.auditSays = auditSays;
  }

  /**
   * Performs the write, in one batch if the store supports it, and returns a result for each
   * execution.
   */
  abstract List<Verdict> write(AttemptFixture fixture, List<Execution> executions)
      throws SQLException;

  Verdict writeOne(AttemptFixture fixture, Execution execution) throws SQLException {
    List<Verdict> verdicts = write(fixture, List.of(execution));
    assertThat(verdicts).hasSize(1);
    return verdicts.get(0);
  }

  /** Returns the status of the job after the write if it has attempts left. */
  JobStatus leadsTo() {
    return leadsTo;
  }

  /** Returns the status of the attempt in the audit after the write. */
  ExecutionStatus auditSays() {
    return auditSays;
  }

  /** Returns whether the write ends the attempt. */
  boolean isEnd() {
    return auditSays != ExecutionStatus.RUNNING;
  }

  private static List<Verdict> completeIn(
      AttemptFixture fixture, List<Execution> executions, @Nullable String result)
      throws SQLException {
    List<Verdict> verdicts = new ArrayList<>();
    for (Execution execution : executions) {
      try (Connection transaction = fixture.transaction()) {
        if (result == null) {
          fixture.store().completeIn(transaction, execution);
        } else {
          fixture.store().completeIn(transaction, execution, result);
        }
        transaction.commit();
        verdicts.add(Verdict.DONE);
      } catch (LeaseLostException refused) {
        verdicts.add(Verdict.LOST);
      }
    }
    return verdicts;
  }

  private static List<Verdict> requeue(
      AttemptFixture fixture, List<Execution> executions, ExecutionStatus as) {
    return verdicts(
        fixture
            .store()
            .requeue(
                executions.stream()
                    .map(execution -> new Requeue(execution, as, Duration.ZERO))
                    .toList()));
  }

  private static List<Verdict> verdicts(List<Ended> answers) {
    assertThat(answers)
        .allSatisfy(
            answer ->
                assertThat(answer.status() != null).isEqualTo(answer.verdict() == Verdict.DONE));
    return answers.stream().map(Ended::verdict).toList();
  }
}
