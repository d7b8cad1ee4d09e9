package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Measures the cost of a test class's database. The guide to testing quotes the figures that this
 * test prints.
 */
class TemplateCopyIT {

  private static final int COPIES = Integer.getInteger("skipjack.test.copies", 1);
  private static final int AT_ONCE = 4;

  @Test
  void theTimeOfACopyIsMeasuredAndPrinted() throws SQLException {
    TestServer server = TestServer.running();
    List<Double> copies = new ArrayList<>();
    List<Double> ready = new ArrayList<>();
    List<Double> drops = new ArrayList<>();
    String version = "";
    for (int i = 0; i < COPIES; i++) {
      long begin = System.nanoTime();
      server.dropDatabase(timed(copies, server));
      drops.add(millisSince(begin) - copies.get(i));

      begin = System.nanoTime();
      try (QueueDatabase database = QueueDatabase.create();
          Connection connection = database.connection()) {
        ready.add(millisSince(begin));
        version = connection.getMetaData().getDatabaseProductVersion();
        QueueAssertions.assertThat(database).hasNoJobs();
      }
    }
    assertThat(ready).hasSize(COPIES);
    System.out.printf(
        Locale.ROOT,
        "PostgreSQL %s, median of %d: a copy %.0f ms (%.0f to %.0f), with its pool and the first login %.0f ms; dropped in %.0f ms%n",
        version,
        COPIES,
        median(copies),
        Collections.min(copies),
        Collections.max(copies),
        median(ready),
        median(drops));
  }

  @Test
  void copiesAreMadeForSeveralClassesAtOnce() throws Exception {
    ExecutorService classes = Executors.newFixedThreadPool(AT_ONCE);
    try {
      List<Callable<String>> work = Collections.nCopies(AT_ONCE, TemplateCopyIT::useOne);
      List<String> urls = new ArrayList<>();
      for (Future<String> url : classes.invokeAll(work)) {
        urls.add(url.get());
      }
      assertThat(urls).doesNotHaveDuplicates();
    } finally {
      classes.shutdownNow();
    }
  }

  private static String useOne() throws SQLException {
    try (QueueDatabase database = QueueDatabase.create()) {
      Jobs.insert(database, "welcome", "{}");
      QueueAssertions.assertThat(database).hasExactly(1);
      return database.jdbcUrl();
    }
  }

  private static String timed(List<Double> times, TestServer server) {
    long begin = System.nanoTime();
    String name = server.createDatabase();
    times.add(millisSince(begin));
    return name;
  }

  private static double millisSince(long begin) {
    return (System.nanoTime() - begin) / 1e6;
  }

  private static double median(List<Double> times) {
    return times.stream().sorted().toList().get(times.size() / 2);
  }
}
