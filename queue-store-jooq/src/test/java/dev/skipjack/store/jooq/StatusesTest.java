package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the API, the schema, all queries and the documents have all statuses. */
@QueueTest
class StatusesTest {

  private static final Pattern LITERAL = Pattern.compile("'([a-z]+)'");

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  static Stream<JobStatus> live() {
    return Arrays.stream(JobStatus.values()).filter(JobStatus::isLive);
  }

  @Test
  void theDomainsOfTheSchemaHaveTheValuesOfTheEnums() {
    assertThat(domain("job_status")).isEqualTo(live().map(JobStatus::literal).toList());
    assertThat(domain("job_end_status"))
        .isEqualTo(
            Arrays.stream(JobStatus.values())
                .filter(status -> !status.isLive())
                .map(JobStatus::literal)
                .toList());
    assertThat(domain("job_execution_status"))
        .isEqualTo(Arrays.stream(ExecutionStatus.values()).map(ExecutionStatus::literal).toList());
    assertThat(domain("job_unique_until"))
        .isEqualTo(Arrays.stream(UniqueUntil.values()).map(UniqueUntil::literal).toList());
  }

  private List<String> domain(String name) {
    String check =
        fixture.value(
            "SELECT pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN pg_type t ON t.oid = c.contypid"
                + " WHERE t.oid = '@"
                + name
                + "'::regtype AND c.contype = 'c'");
    return LITERAL.matcher(check).results().map(literal -> literal.group(1)).toList();
  }

  @ParameterizedTest
  @MethodSource("live")
  void aLiveJobOfEachStatusIsListedAndCounted(JobStatus status) {
    JobId id = insert(status);

    assertThat(fixture.queue.reader().list(JobQuery.live().status(status)).jobs())
        .extracting(JobSummary::id)
        .containsExactly(id);
    assertThat(fixture.queue.reader().counts())
        .containsExactly(new JobCount("default", "work", status, 1, false));
  }

  /** The result BUSY would mean that a later call may succeed. */
  @ParameterizedTest
  @MethodSource("live")
  void cancelHasAFinalResultForALiveJobOfEachStatus(JobStatus status) {
    assertThat(fixture.queue.admin().cancel(List.of(insert(status))))
        .doesNotContain(CancelResult.BUSY, CancelResult.GONE);
  }

  @ParameterizedTest
  @MethodSource("live")
  void theHolderOfAUniqueKeyHasAStatusForEachLiveStatus(JobStatus status) {
    assertThat(HolderStatus.of(status, false)).hasToString(status.name());
  }

  private JobId insert(JobStatus status) {
    String execution = status == JobStatus.RUNNING ? "1" : "NULL";
    return new JobId(
        Long.parseLong(
            fixture.value(
                "INSERT INTO @jobs (kind, payload, status, ordering_key, started_at, lease_expires_at, current_execution_id)"
                    + " VALUES ('work', '{}', '%s', 'key', now(), now() + interval '1 hour', %s) RETURNING id"
                        .formatted(status.literal(), execution))));
  }

  @Test
  void theLifecyclePageNamesEveryStatus() throws IOException {
    String page = Files.readString(Path.of("../docs/job-lifecycle.md"));
    List<String> named =
        Pattern.compile("`([a-z]+)`").matcher(page).results().map(word -> word.group(1)).toList();

    assertThat(named)
        .containsAll(Arrays.stream(JobStatus.values()).map(JobStatus::literal).toList())
        .containsAll(
            Arrays.stream(ExecutionStatus.values()).map(ExecutionStatus::literal).toList());
    int start = page.indexOf("stateDiagram");
    String diagram = page.substring(start, page.indexOf("```", start));
    assertThat(Pattern.compile("[a-z]+(?= (?:-->|:))").matcher(diagram).results())
        .extracting(state -> state.group())
        .containsAll(Arrays.stream(JobStatus.values()).map(JobStatus::literal).toList());
  }
}
