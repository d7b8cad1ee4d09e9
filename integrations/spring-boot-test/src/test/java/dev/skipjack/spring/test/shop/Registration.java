package dev.skipjack.spring.test.shop;

import dev.skipjack.api.JobId;
import dev.skipjack.spring.Jobs;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Registration {

  private final JdbcTemplate database;
  private final Jobs jobs;

  Registration(JdbcTemplate database, Jobs jobs) {
    this.database = database;
    this.jobs = jobs;
  }

  @Transactional
  public JobId signUp(String user) {
    JobId job = jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome(user));
    database.update("INSERT INTO users (name) VALUES (?)", user);
    return job;
  }

  long count() {
    Long count = database.queryForObject("SELECT count(*) FROM users", Long.class);
    return count == null ? 0 : count;
  }
}
