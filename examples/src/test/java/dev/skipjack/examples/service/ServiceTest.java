package dev.skipjack.examples.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.testkit.QueueDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(120)
@DisabledOnOs(OS.WINDOWS) // no signals
class ServiceTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void aReportThatTakesLongerThanTheStopIsReleased() {
    try (QueueDatabase empty = QueueDatabase.create()) {
      String url = empty.jdbcUrl();
      JobId job;
      try (ForkedJvm service = ForkedJvm.of(Service.class).arguments(url, "1", "0").start()) {
        String begun = service.awaitLine("begun", PATIENCE);
        job = new JobId(Long.parseLong(begun.replaceAll("\\D", "")));
        service.terminate();
        assertThat(service.awaitExit(PATIENCE)).isEqualTo(143);
        service.awaitLine("job " + job + " released", PATIENCE);
        service.awaitLine("stopped", PATIENCE);
      }
      assertThat(ExampleDatabase.audit(empty.dataSource(), job))
          .containsExactly("attempt 1: released");
    }
  }

  /** The first signal alone would wait for an hour. */
  @Test
  void aSecondSignalStopsAtOnce() {
    try (QueueDatabase empty = QueueDatabase.create()) {
      String url = empty.jdbcUrl();
      JobId job;
      try (ForkedJvm service = ForkedJvm.of(Service.class).arguments(url, "3600", "0").start()) {
        String begun = service.awaitLine("begun", PATIENCE);
        job = new JobId(Long.parseLong(begun.replaceAll("\\D", "")));
        service.terminate();
        service.awaitLine("stopping", PATIENCE);

        service.terminate();

        assertThat(service.awaitExit(PATIENCE)).isEqualTo(143);
        service.awaitLine("stopped", PATIENCE);
      }
      assertThat(ExampleDatabase.audit(empty.dataSource(), job))
          .containsExactly("attempt 1: released");
    }
  }

  @Test
  void withoutADatabaseTheServiceIsAliveButNotReady() {
    EmbeddedPostgres server =
        EmbeddedPostgres.builder().purpose("examples").setting("fsync", "off").fresh(true).start();
    try (ForkedJvm service =
        ForkedJvm.of(Service.class).arguments(server.jdbcUrl("postgres"), "1", "0").start()) {
      String probes = service.awaitLine("probes on port", PATIENCE);
      int port = Integer.parseInt(probes.replaceAll("\\D", ""));
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(ask(port, "/ready").statusCode()).isEqualTo(200));

      server.close();

      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                HttpResponse<String> ready = ask(port, "/ready");
                assertThat(ready.statusCode()).isEqualTo(503);
                assertThat(ready.body()).contains("The database has been unavailable");
              });
      assertThat(ask(port, "/live").statusCode()).isEqualTo(200);
    } finally {
      server.close();
    }
  }

  @Test
  void missingArgumentsPrintTheUsage() {
    for (String[] arguments :
        List.of(new String[0], new String[] {"jdbc:postgresql:x", "1m", "0"})) {
      try (ForkedJvm service = ForkedJvm.of(Service.class).arguments(arguments).start()) {
        assertThat(service.awaitExit(PATIENCE)).isEqualTo(2);
        assertThat(service.lines())
            .anyMatch(line -> line.contains("JDBC_URL DRAIN_SECONDS PROBE_PORT"));
      }
    }
  }

  private static HttpResponse<String> ask(int port, String path) {
    URI probe = URI.create("http://localhost:%d%s".formatted(port, path));
    try {
      return HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(probe).build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException failed) {
      throw new AssertionError(failed);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
      throw new AssertionError(stop);
    }
  }
}
