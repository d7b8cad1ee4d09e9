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
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

class QueueTestExtensionIT {

  /** The databases that the example classes below received. */
  private static final List<QueueDatabase> SEEN = new CopyOnWriteArrayList<>();

  @Test
  void methodsShareADatabaseThatIsEmptiedBeforeEachAndDroppedAtTheEnd() {
    EngineExecutionResults results = run(Sharing.class);

    results.testEvents().assertStatistics(counts -> counts.succeeded(3).failed(0));
    assertThat(SEEN).hasSizeGreaterThan(3).containsOnly(SEEN.get(0));
    String url = SEEN.get(0).jdbcUrl();
    assertThat(catchThrowable(() -> DriverManager.getConnection(url)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("does not exist");
  }

  @Test
  void aNestedClassCanOverrideTruncate() {
    run(Keeping.class).testEvents().assertStatistics(counts -> counts.succeeded(2).failed(0));
  }

  @Test
  void aSharedTestInstanceReceivesTheDatabaseInItsConstructor() {
    run(OneInstance.class).testEvents().assertStatistics(counts -> counts.succeeded(1).failed(0));
    assertThat(SEEN).hasSize(2).containsOnly(SEEN.get(0));
  }

  @Test
  void connectionThatWasNotClosedFailsTheClass() {
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

  @Test
  void aLeakShowsWhereTheConnectionWasBorrowed() {
    run(Leaking.class)
        .containerEvents()
        .assertThatEvents()
        .haveExactly(
            1,
            event(
                container(Leaking.class),
                finishedWithFailure(
                    message(text -> text.contains(Leaking.class.getName() + ".leaks(")))));
  }

  @Test
  void aClassThatCannotBeConstructedLeavesNoDatabase() {
    run(Unconstructed.class)
        .containerEvents()
        .assertThatEvents()
        .haveExactly(
            1,
            event(container(Unconstructed.class), finishedWithFailure(message("not constructed"))));

    assertThat(SEEN).hasSize(1);
    String url = SEEN.get(0).jdbcUrl();
    assertThat(catchThrowable(() -> DriverManager.getConnection(url)))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("does not exist");
  }

  @Test
  void methodsRunOneAfterAnotherWhileClassesRunInParallel() {
    SEEN.clear();
    EngineTestKit.engine("junit-jupiter")
        .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
        .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
        .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
        .configurationParameter("junit.jupiter.execution.parallel.config.fixed.parallelism", "4")
        .selectors(selectClass(OneOfTwo.class), selectClass(OtherOfTwo.class))
        .execute()
        .testEvents()
        .assertStatistics(counts -> counts.succeeded(8).failed(0));
    assertThat(Crowd.BOTH.getCount()).isZero();
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
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  static class Unconstructed {

    Unconstructed(QueueDatabase database) {
      SEEN.add(database);
      throw new IllegalStateException("not constructed");
    }

    @Test
    void neverRun() {}
  }

  /**
   * Checks that methods of a class run one after another, but two classes run in parallel: the
   * first method of each waits for the other class.
   */
  abstract static class Crowd {

    static final CountDownLatch BOTH = new CountDownLatch(2);

    private final AtomicInteger here;

    Crowd(AtomicInteger here) {
      this.here = here;
    }

    void alone(QueueDatabase database) throws SQLException, InterruptedException {
      assertThat(here.incrementAndGet()).isOne();
      BOTH.countDown();
      assertThat(BOTH.await(30, TimeUnit.SECONDS)).as("another class runs meanwhile").isTrue();
      for (int i = 0; i < 20; i++) {
        insert(database);
      }
      assertThat(jobs(database)).isEqualTo(20);
      assertThat(here.decrementAndGet()).isZero();
    }

    @Test
    void first(QueueDatabase database) throws SQLException, InterruptedException {
      alone(database);
    }

    @Test
    void second(QueueDatabase database) throws SQLException, InterruptedException {
      alone(database);
    }

    @Test
    void third(QueueDatabase database) throws SQLException, InterruptedException {
      alone(database);
    }
  }

  @QueueTest
  static class OneOfTwo extends Crowd {

    private static final AtomicInteger HERE = new AtomicInteger();

    OneOfTwo() {
      super(HERE);
    }

    @Nested
    class Inside {

      @Test
      void fourth(QueueDatabase database) throws SQLException, InterruptedException {
        alone(database);
      }
    }
  }

  @QueueTest
  static class OtherOfTwo extends Crowd {

    private static final AtomicInteger HERE = new AtomicInteger();

    OtherOfTwo() {
      super(HERE);
    }

    @Nested
    class Inside {

      @Test
      void fourth(QueueDatabase database) throws SQLException, InterruptedException {
        alone(database);
      }
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
