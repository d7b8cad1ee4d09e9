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
  void databaseIsLostAfterAFailureWithoutASqlState() {
    assertThat(database.failed("claim-loop", failure(null))).isTrue();
    assertThat(database.isLost()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"08006", "28P01", "3D000", "53300", "57P03", "25006"})
  void databaseIsLostIfTheServerAcceptsNoWork(String state) {
    assertThat(database.failed("claim-loop", failure(state))).isTrue();
    assertThat(database.lastError()).isEqualTo("failed with " + state);
  }

  @ParameterizedTest
  @ValueSource(strings = {"listener", "maintainer"})
  void databaseIsNotLostIfOnlyAnOptionalLoopFails(String loop) {
    assertThat(database.failed(loop, failure("08001"))).isFalse();
    assertThat(database.failed(loop, failure("25006"))).isFalse();
    assertThat(database.isLost()).isFalse();
    assertThat(database.readOnlyMet()).isZero();

    AtomicInteger woken = new AtomicInteger();
    database.whenBack(woken::incrementAndGet);
    database.failed("claim-loop", failure("08001"));
    assertThat(database.worked("claim-loop")).isTrue();
    assertThat(database.worked(loop)).isFalse();
    assertThat(woken).hasValue(2); // others may be waiting for the same server
  }

  /** For example, polls succeed on a server whose disk is full. */
  @Test
  void databaseStaysLostWhileOneLoopFails() {
    AtomicInteger back = new AtomicInteger();
    database.whenBack(back::incrementAndGet);
    assertThat(database.failed("flusher", failure("53100"))).isTrue();

    for (int i = 0; i < 3; i++) {
      assertThat(database.worked("claim-loop")).isFalse();
      assertThat(database.failed("flusher", failure("53100"))).isFalse();
    }
    assertThat(database.isLost()).isTrue();
    assertThat(back).hasValue(0);

    assertThat(database.worked("flusher")).isTrue();
    assertThat(back).hasValue(1);
  }

  @Test
  void firstLoopThatRecoversWakesTheOthersBeforeTheOutageEnds() {
    AtomicInteger woken = new AtomicInteger();
    database.whenBack(woken::incrementAndGet);
    database.failed("claim-loop", failure("08006"));
    database.failed("rescuer", failure("08006"));

    assertThat(database.worked("claim-loop")).isFalse();
    assertThat(woken).hasValue(1);
    assertThat(database.isLost()).isTrue();
    assertThat(database.worked("rescuer")).isTrue();
  }

  @Test
  void loopThatNeedsNoStatementNoLongerProlongsTheOutage() {
    database.failed("flusher", failure("08006"));
    database.failed("heartbeat", failure("08006"));

    database.askedNothing("flusher");
    database.failed("heartbeat", failure("42501"));
    assertThat(database.isLost()).isTrue(); // until a loop succeeds
    assertThat(database.worked("listener")).isFalse(); // may come from another server
    assertThat(database.worked("claim-loop")).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"42501", "40P01", "57014", "42P01"})
  void databaseIsNotLostIfItRejectsOneStatement(String state) {
    assertThat(database.failed("claim-loop", failure(state))).isFalse();
    assertThat(database.isLost()).isFalse();
  }

  /** While the driver searches for a new primary, other errors occur, but the reason remains. */
  @Test
  void readOnlyServerStaysTheReasonUntilTheOutageEnds() {
    AtomicInteger back = new AtomicInteger();
    database.whenBack(back::incrementAndGet);
    database.failed("claim-loop", failure("25006"));
    database.failed("claim-loop", failure("08001"));

    assertThat(database.isReadOnly()).isTrue();
    assertThat(database.readOnlyMet()).isEqualTo(1);
    assertThat(database.lastError()).isEqualTo("failed with 08001");

    assertThat(database.worked("claim-loop")).isTrue();
    assertThat(database.worked("claim-loop")).isFalse();
    assertThat(back).hasValue(1);
    assertThat(database.isReadOnly()).isFalse();
    database.failed("claim-loop", failure("08001"));
    assertThat(database.isReadOnly()).isFalse();
  }

  private static StoreException failure(@Nullable String state) {
    return new StoreException("failed with " + state, new SQLException("failed", state));
  }
}
