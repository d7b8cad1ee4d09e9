package dev.skipjack.spring;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.worker.JobContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The application in the guide. */
final class SignUps {

  private SignUps() {}

  record SendWelcome(String user) {}

  // snippet: handler
  @Component
  static class Mails {
    static final JobType<SendWelcome> SEND_WELCOME =
        JobType.of("send-welcome", SendWelcome.class).onQueue("emails").maxAttempts(8);

    private final List<String> sent = new CopyOnWriteArrayList<>();

    @JobHandler("send-welcome")
    void send(SendWelcome mail, JobContext context) {
      sent.add(mail.user());
    }

    List<String> sent() {
      return sent;
    }
  }

  // end of snippet

  // snippet: enqueue
  @Service
  static class Registration {
    private final JdbcTemplate database;
    private final Jobs jobs;

    Registration(JdbcTemplate database, Jobs jobs) {
      this.database = database;
      this.jobs = jobs;
    }

    @Transactional
    public JobId signUp(String user) {
      database.update("INSERT INTO users (name) VALUES (?)", user);
      return jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome(user));
    }
  }

  // end of snippet

  /** Enqueues in transactions that fail, are read-only, or are missing. */
  @Service
  static class Attempts {
    private final Registration registration;
    private final JdbcTemplate database;
    private final Jobs jobs;

    Attempts(Registration registration, JdbcTemplate database, Jobs jobs) {
      this.registration = registration;
      this.database = database;
      this.jobs = jobs;
    }

    @Transactional
    public void signUpAndFail(String user, boolean jobFirst) {
      if (jobFirst) {
        jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome(user));
        database.update("INSERT INTO users (name) VALUES (?)", user);
      } else {
        registration.signUp(user);
      }
      throw new IllegalStateException("no more users");
    }

    @Transactional(readOnly = true)
    public void readOnly(String user) {
      jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome(user));
    }

    public JobId withoutTransaction(String user) {
      return jobs.enqueue(Mails.SEND_WELCOME, new SendWelcome(user));
    }
  }
}
