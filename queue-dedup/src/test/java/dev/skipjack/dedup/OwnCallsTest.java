package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.StoreException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnCallsTest {

  private final List<Integer> calls = new ArrayList<>();

  /** Runs a call that fails with each SQLSTATE in turn and then succeeds. */
  private String run(int rows, List<String> states) {
    return OwnCalls.run(
        rows,
        given -> {
          calls.add(given);
          if (calls.size() <= states.size()) {
            throw failure(states.get(calls.size() - 1));
          }
          return "done";
        });
  }

  private static StoreException failure(String state) {
    return new StoreException("no", new SQLException("no", state));
  }

  @Test
  void repeatsTheCallWithAsManyRowsAfterADeadlock() {
    assertThat(run(1, List.of("40P01", "40P01"))).isEqualTo("done");
    assertThat(calls).containsExactly(1, 1, 1);
  }

  @Test
  void halvesTheNumberOfRowsAfterATimeout() {
    assertThat(run(9, List.of("57014", "40P01", "55P03"))).isEqualTo("done");
    assertThat(calls).containsExactly(9, 4, 4, 2);
  }

  @Test
  void callFailsAfterTenDeadlocks() {
    assertThatThrownBy(
            () ->
                OwnCalls.run(
                    5,
                    rows -> {
                      calls.add(rows);
                      throw failure("40P01");
                    }))
        .isInstanceOfSatisfying(
            StoreException.class, failure -> assertThat(failure.sqlState()).contains("40P01"));
    assertThat(calls).hasSize(10);
  }

  @ParameterizedTest
  @ValueSource(strings = {"57014", "55P03", "08006", "23514"})
  void otherFailuresOfASingleRowAreNotRepeated(String state) {
    assertThatThrownBy(() -> run(1, List.of(state))).isInstanceOf(StoreException.class);
    assertThat(calls).hasSize(1);
  }

  @Test
  void anInterruptedThreadGivesUpAndStaysInterrupted() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> run(1, List.of("40P01"))).isInstanceOf(StoreException.class);

    assertThat(Thread.interrupted()).isTrue();
    assertThat(calls).hasSize(1);
  }
}
