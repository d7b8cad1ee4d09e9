package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.StoreException;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseWatchTest {

  private final DatabaseWatch database = new DatabaseWatch();

  @Test
  void aFailureWithoutAStateSaysThatItIsLostUnlessItIsOfTheListenerAlone() {
    assertThat(database.failed("listener", failure(null))).isFalse();
    assertThat(database.isLost()).isFalse();

    assertThat(database.failed("fetcher", failure(null))).isTrue();
    assertThat(database.isLost()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"08006", "28P01", "3D000", "53300", "57P03", "25006"})
  void isLostWhereTheServerLetsNobodyWork(String state) {
    assertThat(database.failed("listener", failure(state))).isTrue();
    assertThat(database.lastError()).isEqualTo("failed with " + state);
  }

  @ParameterizedTest
  @ValueSource(strings = {"42501", "40P01", "57014", "42P01"})
  void isNotLostWhereItRefusesOneStatement(String state) {
    assertThat(database.failed("fetcher", failure(state))).isFalse();
    assertThat(database.isLost()).isFalse();
  }

  /** Once a new primary is looked for, other errors are met: the reason stays. */
  @Test
  void aReadOnlyServerStaysTheReasonUntilItIsBack() {
    AtomicInteger back = new AtomicInteger();
    database.whenBack(back::incrementAndGet);
    database.failed("fetcher", failure("25006"));
    database.failed("fetcher", failure("08001"));

    assertThat(database.isReadOnly()).isTrue();
    assertThat(database.readOnlyMet()).isEqualTo(1);
    assertThat(database.lastError()).isEqualTo("failed with 08001");

    assertThat(database.worked()).isTrue();
    assertThat(database.worked()).isFalse();
    assertThat(back).hasValue(1);
    assertThat(database.isReadOnly()).isFalse();
    database.failed("fetcher", failure("08001"));
    assertThat(database.isReadOnly()).isFalse();
  }

  private static StoreException failure(@Nullable String state) {
    return new StoreException("failed with " + state, new SQLException("failed", state));
  }
}
