package dev.skipjack.store.jooq.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QueueTest
class AuditWeeksTest {

  @ParameterizedTest
  @CsvSource({
    "2024-03-04T00:00:00Z, 2024-03-04T00:00:00Z, 2024-03-04, 2024-03-11",
    "2024-03-10T23:59:59.999999Z, 2024-03-04T00:00:00Z, 2024-03-04, 2024-03-11",
    "2024-03-10T23:59:59.999999Z, 2024-03-11T00:00:00Z, 2024-03-04, 2024-03-18",
    "2024-12-31T12:00:00Z, 2025-01-06T12:00:00Z, 2024-12-30, 2025-01-13"
  })
  void weeksAreThoseInWhichTheAttemptsBegan(Instant one, Instant other, String from, String until) {
    assertThat(AuditWeeks.of(List.of(begun(one), begun(other))))
        .isEqualTo(
            new AuditWeeks(
                Instant.parse(from + "T00:00:00Z"), Instant.parse(until + "T00:00:00Z")));
  }

  @Test
  void weekIsThatOfTheOnlyAttempt() {
    assertThat(AuditWeeks.of(begun(Instant.parse("2024-03-10T23:59:59.999999Z"))))
        .isEqualTo(
            new AuditWeeks(
                Instant.parse("2024-03-04T00:00:00Z"), Instant.parse("2024-03-11T00:00:00Z")));
  }

  @Test
  void weeksAreAllForAttemptsFarApart() {
    assertThat(
            AuditWeeks.of(
                List.of(
                    begun(Instant.parse("2024-03-04T00:00:00Z")),
                    begun(Instant.parse("2024-03-18T00:00:00Z")))))
        .isEqualTo(AuditWeeks.ALL);
  }

  private static Execution begun(Instant at) {
    return new Execution(new JobId(1), new ExecutionId(1), at);
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "0 1", "0 5", "0 1 5"})
  void auditRowsOfAttemptsThatBeganWeeksAgoAreClosed(String weeksAgo, QueueDatabase database) {
    Fixture fixture = new Fixture(database);
    List<Execution> attempts = new ArrayList<>();
    for (String weeks : weeksAgo.split(" ", -1)) {
      fixture.enqueue(1);
      Execution claimed = fixture.claim(1).get(0).execution();
      attempts.add(begunEarlier(fixture, claimed, Integer.parseInt(weeks)));
    }

    assertThat(fixture.store.complete(attempts))
        .isEqualTo(Collections.nCopies(attempts.size(), Verdict.DONE));

    assertThat(fixture.value("SELECT string_agg(DISTINCT status, ' ') FROM @job_executions"))
        .isEqualTo("succeeded");
    assertThat(fixture.value("SELECT count(*) FROM @job_executions"))
        .isEqualTo(String.valueOf(attempts.size()));
  }

  private static Execution begunEarlier(Fixture fixture, Execution claimed, int weeks) {
    String ago = "- interval '%d days'".formatted(7 * weeks);
    fixture.execute("SELECT @create_partition('job_executions', now() %s)".formatted(ago));
    fixture.execute(
        "UPDATE @jobs SET started_at = started_at %s WHERE id = %d"
            .formatted(ago, claimed.jobId().value()));
    fixture.execute(
        "UPDATE @job_executions SET started_at = started_at %s WHERE id = %d"
            .formatted(ago, claimed.id().value()));
    return new Execution(
        claimed.jobId(), claimed.id(), claimed.startedAt().minusSeconds(weeks * 7L * 86_400));
  }
}
