package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.spring.first.Welcomes;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests that the bean of the README enqueues and handles its job. */
@QueueTest
@ExtendWith(OutputCaptureExtension.class)
class FirstJobTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  void theBeanOfTheReadmeRunsItsJob(QueueDatabase database, CapturedOutput output) {
    try (HikariDataSource pool = Contexts.pool(database)) {
      Contexts.withoutDataSource()
          .withBean(DataSource.class, () -> pool)
          .withBean(Welcomes.class)
          .run(
              context -> {
                context.getBean(Welcomes.class).signUp("ada@example.org");
                await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(output).contains("Welcome, ada@example.org"));
              });
    }
  }
}
