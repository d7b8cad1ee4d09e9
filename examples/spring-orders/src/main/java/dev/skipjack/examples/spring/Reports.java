package dev.skipjack.examples.spring;

import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobSchedule;
import dev.skipjack.worker.JobContext;
import java.time.ZoneOffset;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Writes the daily report. */
@Component
class Reports {
  private final JdbcClient database;

  Reports(JdbcClient database) {
    this.database = database;
  }

  @JobHandler(kind = "report", transactional = true)
  @JobSchedule(cron = "${orders.report.cron:0 7 * * *}", zone = "Europe/Berlin")
  void report(JobContext context) {
    database
        .sql(
            "INSERT INTO reports (planned_at, cents) SELECT :planned, coalesce(sum(cents), 0) FROM"
                + " charges")
        .param("planned", context.scheduledFor().orElseThrow().atOffset(ZoneOffset.UTC))
        .update();
  }
}
