package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.testkit.engine.EventConditions.container;
import static org.junit.platform.testkit.engine.EventConditions.event;
import static org.junit.platform.testkit.engine.EventConditions.finishedWithFailure;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.instanceOf;
import static org.junit.platform.testkit.engine.TestExecutionResultConditions.message;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

class QueueTestExtensionIT {

  /** What the example classes below saw; they run one after the other in this thread. */
  private static final List<QueueDatabase> SEEN = new ArrayList<>();

  @Test
  void methodsShareOneDatabaseThatIsEmptyAtTheStartOfEachAndGoneInTheEnd() {
    EngineExecutionResults results = run(Sharing.class);

    results.testEvents().assertStatistics(counts -> counts.succeeded(3).failed(0));
    assertThat(SEEN).hasSizeGreaterThan(3).containsOnly(SEEN.get(0));
    String url = SEEN.get(0).jdbcUrl();
    assertThat(catchThrowable(() -> DriverManager.getConnection(url)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("does not exist");
  }

  @Test
  void tablesAreKeptWhereTheClassSaysSoAndEmptiedWhereANestedOneDoes() {
    run(Keeping.class).testEvents().assertStatistics(counts -> counts.succeeded(2).failed(0));
  }

  @Test
  void oneInstanceForTheClassGetsItInItsConstructor() {
    run(OneInstance.class).testEvents().assertStatistics(counts -> counts.succeeded(1).failed(0));
    assertThat(SEEN).hasSize(2).containsOnly(SEEN.get(0));
  }

  @Test
  void connectionThatWasNotGivenBackFailsTheClass() {
    run(Leaking.class)
        .containerEvents()
        .assertThatEvents()
        .haveExactly(
            1,
            event(
                container(Leaking.class),
                finishedWithFailure(
                    instanceOf(AssertionError.class),
                    message(text -> text.contains("1 connection(s)")))));
  }

  private static EngineExecutionResults run(Class<?> example) {
    SEEN.clear();
    return EngineTestKit.engine("junit-jupiter").selectors(selectClass(example)).execute();
  }

  private static void insert(QueueDatabase database) throws SQLException {
    SEEN.add(database);
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO skipjack.jobs (queue, kind, payload) VALUES ('q', 'k', '{}')");
    }
  }

  private static long jobs(QueueDatabase database) throws SQLException {
    SEEN.add(database);
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM skipjack.jobs")) {
      assertThat(result.next()).isTrue();
      return result.getLong(1);
    }
  }

  @QueueTest
  static class Sharing {

    @BeforeAll
    static void fillTooEarly(QueueDatabase database) throws SQLException {
      insert(database);
    }

    @BeforeEach
    void tablesAreEmpty(QueueDatabase database) throws SQLException {
      assertThat(jobs(database)).isZero();
    }

    @Test
    void first(QueueDatabase database) throws SQLException {
      insert(database);
    }

    @Test
    void second(QueueDatabase database) throws SQLException {
      insert(database);
    }

    @Nested
    class Inside {

      @Test
      void third(QueueDatabase database) throws SQLException {
        insert(database);
      }
    }
  }

  @QueueTest(truncate = false)
  static class Keeping {

    @BeforeAll
    static void fill(QueueDatabase database) throws SQLException {
      insert(database);
    }

    @Test
    void keeps(QueueDatabase database) throws SQLException {
      assertThat(jobs(database)).isOne();
    }

    @Nested
    @QueueTest
    class Inside {

      @Test
      void empties(QueueDatabase database) throws SQLException {
        assertThat(jobs(database)).isZero();
      }
    }
  }

  @QueueTest
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  static class OneInstance {

    private final QueueDatabase database;

    OneInstance(QueueDatabase database) {
      this.database = database;
    }

    @Test
    void same(QueueDatabase parameter) throws SQLException {
      assertThat(jobs(parameter)).isZero();
      assertThat(jobs(database)).isZero();
    }
  }

  @QueueTest
  static class Leaking {

    @Test
    void leaks(QueueDatabase database) throws SQLException {
      Connection kept = database.connection();
      assertThat(kept.isClosed()).isFalse();
    }
  }
}
