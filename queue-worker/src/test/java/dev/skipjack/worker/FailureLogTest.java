package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Tests that the log shows why a job failed, and stays readable during a burst of failures. */
@Timeout(30)
class FailureLogTest {

  private static final JobType<String> TYPE =
      JobType.of("k", String.class).maxAttempts(2).retry(Backoff.fixed(Duration.ZERO));

  private static final Handler<String> UNREACHABLE =
      (payload, context) -> {
        throw new IOException("mail server", new ConnectException("refused"));
      };

  @Nested
  class OfAWorker {

    @Test
    void aFailedAttemptIsAWarningWithItsCauseAndADeadJobAnErrorWithItsStack() {
      List<String> log = run(UNREACHABLE, worker -> worker);

      assertThat(log)
          .filteredOn(line -> line.contains("Job attempt failed"))
          .singleElement()
          .asString()
          .contains("WARN")
          .contains("queue=q kind=k jobId=1 executionId=1 attempt=1 maxAttempts=2 retryInMs=0")
          .contains("error=java.io.IOException message=\"mail server\"")
          .contains("cause=\"java.net.ConnectException: refused\"")
          .contains("at=\"dev.skipjack.worker.FailureLogTest.lambda$static$");
      assertThat(log)
          .filteredOn(line -> line.contains("Job is dead"))
          .singleElement()
          .asString()
          .contains("ERROR")
          .contains("attempt=2")
          .contains("error=java.io.IOException message=\"mail server\"");
      assertThat(log)
          .anyMatch(line -> line.startsWith("    java.io.IOException: mail server"))
          .anyMatch(line -> line.startsWith("    Caused by: java.net.ConnectException: refused"))
          .anyMatch(line -> line.startsWith("        at dev.skipjack.worker.FailureLogTest"));
    }

    @Test
    void reasonOfAnOutcomeIsLogged() {
      assertThat(run((payload, context) -> Outcome.dead("user 5 has no row"), worker -> worker))
          .filteredOn(line -> line.contains("Job is dead"))
          .singleElement()
          .asString()
          .endsWith("attempt=1 maxAttempts=2 reason=\"user 5 has no row\"");
      assertThat(
              run(
                  (payload, context) -> Outcome.retry(Duration.ZERO, "not \"yet\""),
                  worker -> worker))
          .filteredOn(line -> line.contains("Job attempt failed"))
          .singleElement()
          .asString()
          .endsWith("retryInMs=0 reason=\"not \\\"yet\\\"\"");
      assertThat(run(FailureLogTest::nothing, worker -> worker))
          .anyMatch(line -> line.contains("reason=\"Handler of kind 'k' returned null."));
    }

    @Test
    void errorTextCannotStartANewLine() {
      List<String> log =
          run(
              (payload, context) -> {
                throw new IllegalStateException("x\nERROR forged\u2028ERROR forged\u001b[2K");
              },
              worker -> worker);

      assertThat(log)
          .anyMatch(line -> line.contains("message=\"x\\nERROR forged\\u2028ERROR forged\\u001b["))
          .noneMatch(line -> line.startsWith("ERROR forged"))
          .noneMatch(line -> line.contains("\u2028") || line.contains("\u001b"));
    }

    @Test
    void everythingHasPassedTheRedactor() {
      assertThat(
              run(
                  (payload, context) -> {
                    throw new IOException("secret-1", new IOException("secret-2"));
                  },
                  worker ->
                      worker
                          .redactor(text -> text.replace("secret", "***"))
                          .failureLog(FailureLog.standard().withStack())))
          .noneMatch(line -> line.contains("secret-"))
          .anyMatch(line -> line.contains("message=\"***-1\""))
          .anyMatch(line -> line.startsWith("    Caused by: java.io.IOException: ***-2"));
    }

    @Test
    void logLevelAndDetailCanBeChanged() {
      assertThat(run(UNREACHABLE, worker -> worker.failureLog(FailureLog.off())))
          .noneMatch(line -> line.contains("Job attempt failed") || line.contains("Job is dead"));
      assertThat(
              run(
                  UNREACHABLE,
                  worker -> worker.failureLog(FailureLog.standard().level(Level.DEBUG))))
          .noneMatch(line -> line.contains("Job attempt failed"))
          .anyMatch(line -> line.contains("Job is dead"));
      assertThat(run(UNREACHABLE, worker -> worker.failureLog(FailureLog.standard().classOnly())))
          .anyMatch(line -> line.endsWith("retryInMs=0 error=java.io.IOException"))
          .anyMatch(line -> line.endsWith("maxAttempts=2 error=java.io.IOException"))
          .noneMatch(line -> line.contains("mail server"));
      assertThat(
              run(UNREACHABLE, worker -> worker.failureLog(FailureLog.standard().withoutStack())))
          .anyMatch(line -> line.endsWith("message=\"mail server\""))
          .noneMatch(line -> line.startsWith("    "));
      assertThat(run(UNREACHABLE, worker -> worker.failureLog(FailureLog.standard().withStack())))
          .filteredOn(line -> line.startsWith("    java.io.IOException: mail server"))
          .hasSize(2);
    }
  }

  @Nested
  class InAStorm {

    private final AtomicLong now = new AtomicLong();
    private final FailureLogger failures =
        new FailureLogger(FailureLog.standard(), LoggerFactory.getLogger(Worker.class), now::get);

    @Test
    void failuresOfOneKindAndClassAreLimitedToAFewLinesPerMinute() {
      List<String> first =
          logged(
              () -> {
                fail("a", "E1", 100);
                fail("a", "E2", 1);
                fail("b", "E1", 1);
                failures.reportLeftOut();
              });
      assertThat(first).hasSize(FailureLogger.LINES + 2).allMatch(line -> line.contains("jobId="));

      now.addAndGet(FailureLogger.WINDOW.toNanos());
      assertThat(logged(failures::reportLeftOut))
          .singleElement()
          .asString()
          .contains("WARN")
          .endsWith("left out of the log kind=a error=E1 count=95 inMs=60000");
      assertThat(logged(() -> fail("a", "E1", 1))).hasSize(1);
    }

    @Test
    void stopReportsTheLinesThatWereLeftOut() {
      logged(() -> fail("a", "E1", 7));
      assertThat(logged(failures::close))
          .singleElement()
          .asString()
          .endsWith("kind=a error=E1 count=2 inMs=0");
      assertThat(logged(failures::close)).isEmpty();
    }

    @Test
    void everyDeadJobHasItsLineAndAFewHaveTheirStack() {
      List<String> log =
          logged(
              () -> {
                for (int i = 0; i < 20; i++) {
                  failures.dead(attempt("a"), new JobError("E", "m", "E: m\n\tat frame"));
                }
              });
      assertThat(log).filteredOn(line -> line.contains("Job is dead")).hasSize(20);
      assertThat(log).filteredOn(line -> line.equals("    E: m")).hasSize(FailureLogger.LINES);
    }

    /** Classes of exceptions that are generated at run time must not fill the heap. */
    @Test
    void unlimitedNumberOfClassesSharesOneLimit() {
      List<String> log =
          logged(
              () -> {
                for (int i = 0; i < 3_000; i++) {
                  fail("a", "E" + i, 1);
                }
              });
      assertThat(log).hasSizeBetween(1_000, 1_010);
    }

    private void fail(String kind, String errorClass, int times) {
      for (int i = 0; i < times; i++) {
        failures.failed(attempt(kind), new JobError(errorClass, "m", null), Duration.ZERO);
      }
    }

    private static AttemptInfo attempt(String kind) {
      return new AttemptInfo(new JobId(1), new ExecutionId(1), "q", kind, 1, 2);
    }
  }

  @SuppressWarnings("NullAway") // handlers may return null
  private static Outcome nothing(String payload, JobContext context) {
    return null;
  }

  /** Returns what is logged while a job runs until it is dead. */
  private static List<String> run(Handler<String> handler, UnaryOperator<Worker.Builder> settings) {
    MemoryStore store = new MemoryStore();
    store.add(job().maxAttempts(2));
    Worker worker = settings.apply(Worker.on(store).handle(TYPE, handler).queue("q", 1)).build();
    return logged(worker::runUntilIdle);
  }

  private static List<String> logged(Runnable action) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(before);
    }
    return log.toString(UTF_8).lines().toList();
  }
}
