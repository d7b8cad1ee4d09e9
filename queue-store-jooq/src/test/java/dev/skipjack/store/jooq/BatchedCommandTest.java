package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PartialResultException;
import dev.skipjack.api.StoreException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class BatchedCommandTest {

  private static final int JOBS = 2 * BatchedCommand.LARGEST + 10;

  private final List<JobId> ids = LongStream.rangeClosed(1, JOBS).mapToObj(JobId::new).toList();
  private final List<Integer> calls = new ArrayList<>();

  private List<String> answer(List<JobId> batch) {
    calls.add(batch.size());
    return batch.stream().map(id -> "done " + id.value()).toList();
  }

  private static StoreException failure(String state) {
    return new StoreException("no", new SQLException("no", state));
  }

  @Test
  void aFailureCarriesTheResultsOfTheBatchesBefore() {
    assertThatThrownBy(
            () ->
                BatchedCommand.run(
                    ids,
                    batch -> {
                      if (calls.size() == 1) {
                        throw failure("08006");
                      }
                      return answer(batch);
                    },
                    result -> result.equals("done 7")))
        .isInstanceOfSatisfying(
            PartialResultException.class,
            partial -> {
              assertThat(partial.results())
                  .hasSize(BatchedCommand.LARGEST - 1)
                  .containsEntry(new JobId(1), "done 1")
                  .doesNotContainKey(new JobId(7));
              assertThat(partial.sqlState()).contains("08006");
              assertThat(partial)
                  .hasMessage("no (%d of %d jobs have a result, see results())", 499, JOBS);
            });
  }

  @Test
  void committedHalfOfAFailedBatchCountsToo() {
    assertThatThrownBy(
            () ->
                BatchedCommand.run(
                    ids.subList(0, 8),
                    batch -> {
                      if (batch.size() > 4) {
                        throw failure("40P01");
                      }
                      if (batch.contains(new JobId(8))) {
                        throw failure("08006");
                      }
                      return answer(batch);
                    },
                    result -> false))
        .isInstanceOfSatisfying(
            PartialResultException.class,
            partial ->
                assertThat(partial.results().keySet())
                    .containsExactlyElementsOf(ids.subList(0, 4)));
  }

  @Test
  void failureOfTheFirstBatchIsThrownUnchanged() {
    StoreException first = failure("08006");

    assertThatThrownBy(
            () ->
                BatchedCommand.run(
                    ids,
                    batch -> {
                      throw first;
                    },
                    result -> false))
        .isSameAs(first);
  }

  @Test
  void busyJobsAreRetriedTogether() {
    List<String> results =
        BatchedCommand.run(
            ids,
            batch -> calls.size() < 3 ? busy(answer(batch)) : answer(batch),
            result -> result.equals("busy"));

    assertThat(results).hasSize(JOBS).doesNotContain("busy").startsWith("done 1", "done 2");
    assertThat(calls).containsExactly(500, 500, 10, 500, 409);
  }

  private static List<String> busy(List<String> answers) {
    return answers.stream().map(answer -> answer.endsWith("0") ? answer : "busy").toList();
  }
}
