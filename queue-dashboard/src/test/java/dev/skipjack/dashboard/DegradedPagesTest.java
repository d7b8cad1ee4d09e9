package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the pages of a dashboard whose database is slow or unavailable. */
@QueueTest
class DegradedPagesTest {

  @Test
  void withoutADatabaseEveryPageSaysSo(QueueDatabase database) {
    HikariDataSource closed = database.newDataSource(1);
    closed.close();
    try (Dashboard dashboard = Dashboard.on(JobQueue.on(closed)).access(Fixture::access).build()) {
      Browser browser = new Browser(dashboard, Fixture.ADMIN);

      for (Route route : Routes.all()) {
        if (readsTheDatabase(route)) {
          Response response = browser.get(route.path() + "?name=emails&action=redrive");
          assertThat(response.status()).as("%s", route).isEqualTo(200);
          assertThat(response.text())
              .as("%s", route)
              .contains("The database could not be reached")
              .doesNotContain("Hikari");
        }
      }
      assertThat(browser.get("/jobs/1").status()).isEqualTo(503);
      assertThat(browser.get("/jobs/1").text()).doesNotContain("Hikari");
    }
  }

  @Test
  void numbersThatWereNotReadAreNotShownAsZero(QueueDatabase database) {
    HikariDataSource closed = database.newDataSource(1);
    closed.close();
    try (Dashboard dashboard = Dashboard.on(JobQueue.on(closed)).access(Fixture::access).build()) {
      assertThat(new Browser(dashboard, Fixture.ADMIN).page("/"))
          .containsPattern("(?s)(<span class=\"tile-number\">\\?</span>.*){5}")
          .doesNotContain("none is due", "no slots");
    }
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> RuntimeException sneak(Throwable failure) throws T {
    throw (T) failure;
  }

  private static boolean readsTheDatabase(Route route) {
    return route.method().equals("GET")
        && !route.path().contains("{id}")
        && !List.of("/new", OpenApi.PATH).contains(route.path());
  }

  @Test
  void theMessageOfAFailedAccessRuleIsNotShown(QueueDatabase database) {
    for (Throwable failure :
        List.of(new IllegalArgumentException("secret"), new AssertionError("secret"))) {
      try (Dashboard dashboard =
          Dashboard.on(JobQueue.on(database.dataSource()))
              .access(
                  request -> {
                    throw DegradedPagesTest.<RuntimeException>sneak(failure);
                  })
              .build()) {
        Response response = new Browser(dashboard, Fixture.ADMIN).get("/queues");

        assertThat(response.status()).isEqualTo(500);
        assertThat(response.text()).doesNotContain("secret");
      }
    }
  }

  @Test
  void statementsOfTheDashboardHaveATimeLimit(QueueDatabase database) throws SQLException {
    TimedDataSource timed = new TimedDataSource(database.dataSource(), Dashboard.QUERY_SECONDS);
    try (Connection connection = timed.getConnection();
        Statement statement = connection.createStatement();
        Statement prepared = connection.prepareStatement("SELECT 1")) {
      assertThat(statement.getQueryTimeout()).isEqualTo(2);
      assertThat(prepared.getQueryTimeout()).isEqualTo(2);
    }
  }

  @Test
  void aSchemaWithoutTablesIsExplained(QueueDatabase database) {
    try (Dashboard dashboard =
        Dashboard.on(JobQueue.builder(database.dataSource()).schema("elsewhere").build())
            .access(Fixture::access)
            .build()) {
      assertThat(new Browser(dashboard, Fixture.ADMIN).page("/queues"))
          .contains("Run the migrations");
    }
  }

  @Test
  void aChangeWithoutADatabaseSaysWhetherItHappened(QueueDatabase database) {
    HikariDataSource pool = database.newDataSource(4);
    try (Dashboard dashboard = Dashboard.on(JobQueue.on(pool)).access(Fixture::access).build()) {
      JobQueue.on(database.dataSource()).enqueue(Fixture.type("mail", "emails"), Map.of());
      Browser browser = new Browser(dashboard, Fixture.ADMIN);
      Map<String, List<String>> form =
          new HashMap<>(browser.fields(browser.page("/queue?name=emails"), "/queue/pause"));
      form.put("for", List.of("HOUR"));
      pool.close();

      Response response = browser.send("POST", "/queue/pause", form);

      assertThat(response.status()).isEqualTo(503);
      assertThat(response.text()).contains("Nothing was changed.").doesNotContain("Hikari");
    }
  }
}
