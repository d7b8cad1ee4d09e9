package dev.skipjack.examples.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.testkit.faults.ForkedJvm;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.postgresql.ds.PGSimpleDataSource;

@Timeout(120)
@DisabledOnOs(OS.WINDOWS) // no signals
class ServiceTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void aReportThatTakesLongerThanTheStopIsGivenBack() {
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder().purpose("examples").fresh(true).start()) {
      String url = server.jdbcUrl("postgres");
      JobId job;
      try (ForkedJvm service = ForkedJvm.of(Service.class).arguments(url, "1").start()) {
        String begun = service.awaitLine("begun", PATIENCE);
        job = new JobId(Long.parseLong(begun.replaceAll("\\D", "")));
        service.terminate();
        assertThat(service.awaitExit(PATIENCE)).isEqualTo(143);
        service.awaitLine("job " + job + " given back", PATIENCE);
        service.awaitLine("stopped", PATIENCE);
      }
      PGSimpleDataSource database = new PGSimpleDataSource();
      database.setURL(url);
      assertThat(ExampleDatabase.audit(database, job)).containsExactly("attempt 1: released");
    }
  }

  /** The first stop would wait for an hour. */
  @Test
  void aSecondSignalIsQuick() {
    try (EmbeddedPostgres server =
        EmbeddedPostgres.builder().purpose("examples").fresh(true).start()) {
      String url = server.jdbcUrl("postgres");
      JobId job;
      try (ForkedJvm service = ForkedJvm.of(Service.class).arguments(url, "3600").start()) {
        String begun = service.awaitLine("begun", PATIENCE);
        job = new JobId(Long.parseLong(begun.replaceAll("\\D", "")));
        service.terminate();
        service.awaitLine("stopping", PATIENCE);

        service.terminate();

        assertThat(service.awaitExit(PATIENCE)).isEqualTo(143);
        service.awaitLine("stopped", PATIENCE);
      }
      PGSimpleDataSource database = new PGSimpleDataSource();
      database.setURL(url);
      assertThat(ExampleDatabase.audit(database, job)).containsExactly("attempt 1: released");
    }
  }
}
