package dev.skipjack.spring.test.shop;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.spring.Jobs;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** Writes a row in the transaction that completes the job. */
@Component
class Payments {

  static final JobType<Charge> CHARGE =
      JobType.of("charge", Charge.class).onQueue("payments").maxAttempts(1);

  private final JdbcTemplate database;
  private final Jobs jobs;

  Payments(JdbcTemplate database, Jobs jobs) {
    this.database = database;
    this.jobs = jobs;
  }

  @JobHandler(value = "charge", transactional = true)
  Outcome charge(Charge charge) {
    database.update("INSERT INTO charges (number) VALUES (?)", charge.number());
    jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome("payer-of-" + charge.number()));
    return switch (charge.result()) {
      case "declined" -> Outcome.dead("card is declined");
      case "fails" -> throw new IllegalStateException("bank is closed");
      default -> Outcome.completed();
    };
  }

  long count() {
    Long count = database.queryForObject("SELECT count(*) FROM charges", Long.class);
    return count == null ? 0 : count;
  }
}
