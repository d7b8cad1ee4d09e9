package dev.skipjack.spring.first;

// snippet: first-job
import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.spring.Jobs;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class Welcomes {
  record SendWelcome(String email) {}

  static final JobType<SendWelcome> SEND_WELCOME = JobType.of("send-welcome", SendWelcome.class);

  private final Jobs jobs;

  Welcomes(Jobs jobs) {
    this.jobs = jobs;
  }

  @Transactional // the job is committed together with your rows
  public void signUp(String email) {
    jobs.enqueue(SEND_WELCOME, new SendWelcome(email));
  }

  @JobHandler("send-welcome")
  void send(SendWelcome job) {
    System.out.println("Welcome, " + job.email());
  }
}
// end of snippet
