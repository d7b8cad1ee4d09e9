package dev.skipjack.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Runs the shop as a process, and kills it while customers order and jobs run. */
@QueueTest
class SpringOrdersIT {

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int CUSTOMERS = 4;
  private static final int ORDERS_BEFORE_A_KILL = 40;
  private static final int TERMINATED = 128 + 15;
  private static final Pattern PORT = Pattern.compile("port (\\d+)");
  private static final Pattern ID = Pattern.compile("\"id\":\"([0-9a-f-]{36})\"");

  private final HttpClient http = HttpClient.newHttpClient();
  private final Set<UUID> acknowledged = ConcurrentHashMap.newKeySet();
  private final Set<String> unexpected = ConcurrentHashMap.newKeySet();
  private final QueueDatabase database;
  private final JdbcClient sql;

  SpringOrdersIT(QueueDatabase database) {
    this.database = database;
    this.sql = JdbcClient.create(database.dataSource());
  }

  @Test
  void afterKillsOrdersAndJobsAgreeAndEachOrderIsChargedOnce() throws Exception {
    orderUntil(ForkedJvm::kill);
    orderUntil(this::killWhileAHandlerRuns);

    try (ForkedJvm shop = start()) {
      URI address = address(shop);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(count("FROM orders WHERE status <> 'PAID'")).isZero());
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> assertThat(count("FROM shop.jobs WHERE kind LIKE '%-order'")).isZero());
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(count("FROM reports")).isPositive());
      assertThat(get(address.resolve("/orders/" + acknowledged.iterator().next())))
          .contains("\"status\":\"PAID\"");
      assertThat(get(address.resolve("/actuator/health")))
          .contains("\"skipjack\":{\"status\":\"UP\"");
      anOperatorPausesAQueue(address.resolve("/actuator/skipjack/"));
      shop.terminate();
      assertThat(shop.awaitExit(PATIENCE)).isEqualTo(TERMINATED);
    }

    long orders = count("FROM orders");
    assertThat(orders).isGreaterThanOrEqualTo(acknowledged.size());
    assertThat(sql.sql("SELECT id FROM orders").query(UUID.class).list()).containsAll(acknowledged);
    assertThat(count("FROM shop.jobs_archive WHERE kind = 'charge-order' AND status = 'completed'"))
        .as("completed charges")
        .isEqualTo(orders);
    assertThat(
            count(
                "FROM orders WHERE id::text NOT IN (SELECT payload ->> 'orderId' FROM"
                    + " shop.jobs_archive WHERE kind = 'charge-order')"))
        .as("orders without a job")
        .isZero();
    assertThat(count("FROM charges")).as("charges").isEqualTo(orders);
    assertThat(sql.sql("SELECT count(DISTINCT order_id) FROM charges").query(Long.class).single())
        .as("charged orders")
        .isEqualTo(orders);
    assertThat(
            count("FROM shop.jobs_archive WHERE kind = 'confirm-order' AND status = 'completed'"))
        .as("completed confirmations")
        .isEqualTo(orders);
    assertThat(
            sql.sql("SELECT count(DISTINCT order_id) FROM confirmations")
                .query(Long.class)
                .single())
        .as("confirmed orders")
        .isEqualTo(orders);
    assertThat(sql.sql("SELECT count(DISTINCT planned_at) FROM reports").query(Long.class).single())
        .as("planned times with a report")
        .isEqualTo(count("FROM reports"));
    assertThat(count("FROM shop.jobs_archive WHERE kind = 'report' AND status = 'completed'"))
        .as("completed reports")
        .isEqualTo(count("FROM reports"));
    assertThat(count("FROM shop.job_executions WHERE status = 'lost'"))
        .as("attempts that a kill interrupted")
        .isPositive();
  }

  private void anOperatorPausesAQueue(URI endpoint) throws IOException, InterruptedException {
    await() // the worker starts after the web server
        .atMost(PATIENCE)
        .until(() -> get(endpoint.resolve("queues")).contains("\"name\":\"mails\""));
    assertThat(post(endpoint.resolve("pause/mails"), "{\"reason\":\"New templates\"}"))
        .contains("\"paused\":true", "\"pauseReason\":\"New templates\"");
    assertThat(get(endpoint.resolve("queues"))).contains("New templates");
    assertThat(post(endpoint.resolve("resume/mails"), "{}")).contains("\"paused\":false");
    assertThat(get(endpoint.resolve("queues")))
        .contains("\"name\":\"mails\"")
        .doesNotContain("New templates");
    assertThat(get(endpoint.resolve("why/0")))
        .contains("{\"message\":\"Job id '0' is not a positive number.\"}");
  }

  /** Lets customers order, and ends the shop while requests and jobs are running. */
  private void orderUntil(Ending ending) throws Exception {
    try (ForkedJvm shop = start()) {
      List<Thread> customers = customers(address(shop));
      int enough = acknowledged.size() + ORDERS_BEFORE_A_KILL;
      await().atMost(PATIENCE).until(() -> acknowledged.size() >= enough);
      ending.end(shop);
      for (Thread customer : customers) {
        customer.join();
      }
      assertThat(unexpected).as("responses to customers").isEmpty();
    }
  }

  private interface Ending {
    void end(ForkedJvm shop) throws SQLException;
  }

  private void killWhileAHandlerRuns(ForkedJvm shop) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "LOCK TABLE charges IN SHARE MODE"); // lets handlers wait before their commit
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  count(
                          "FROM pg_stat_activity WHERE datname = current_database() AND"
                              + " wait_event_type = 'Lock' AND query ILIKE 'insert into charges%'")
                      > 0);
      shop.kill();
      connection.rollback();
    }
  }

  private ForkedJvm start() {
    return ForkedJvm.of(SpringOrders.class)
        .arguments(
            "--server.port=0",
            "--spring.datasource.url=" + database.jdbcUrl(),
            "--skipjack.schema=shop",
            "--skipjack.worker.lease=2s",
            "--orders.report.cron=*/2 * * * * *")
        .start();
  }

  private static URI address(ForkedJvm shop) {
    Matcher port = PORT.matcher(shop.awaitLine("Tomcat started on port", PATIENCE));
    assertThat(port.find()).isTrue();
    return URI.create("http://localhost:%s/orders".formatted(port.group(1)));
  }

  /** Starts customers who order until the shop is killed. */
  private List<Thread> customers(URI address) {
    List<Thread> customers = new ArrayList<>();
    for (int i = 0; i < CUSTOMERS; i++) {
      Thread customer = new Thread(() -> order(address), "customer-" + i);
      customer.start();
      customers.add(customer);
    }
    return customers;
  }

  private void order(URI address) {
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .header("Content-Type", "application/json")
            .timeout(PATIENCE)
            .POST(BodyPublishers.ofString("{\"customer\":\"ada\",\"cents\":1999}"))
            .build();
    while (true) {
      HttpResponse<String> response;
      try {
        response = http.send(request, BodyHandlers.ofString());
      } catch (IOException | InterruptedException shopIsDead) {
        return;
      }
      Matcher id = ID.matcher(response.body());
      if (!id.find()) {
        unexpected.add(response.body());
        return;
      }
      acknowledged.add(UUID.fromString(id.group(1)));
    }
  }

  private String get(URI address) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
  }

  private String post(URI address, String body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(address)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  private long count(String from) {
    return sql.sql("SELECT count(*) " + from).query(Long.class).single();
  }
}
