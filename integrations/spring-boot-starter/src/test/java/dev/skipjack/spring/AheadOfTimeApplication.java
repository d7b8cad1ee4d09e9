package dev.skipjack.spring;

import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobSchedule;
import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.Registration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.springframework.aop.support.AopUtils;
import org.springframework.aot.AotDetector;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** An application that a test processes ahead of time, and then runs as a process of its own. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Mails.class, Registration.class, AheadOfTimeApplication.Accounts.class})
class AheadOfTimeApplication {

  /** The line that {@link #main} prints when its jobs have run. */
  static final String DONE = "All jobs have run";

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  record Address(String city) {}

  record OpenAccount(String owner, List<Address> addresses) {}

  record Account(int number, Address home) {}

  /** Handlers of a bean that Spring wraps in a proxy, which is a subclass of its class. */
  @Component
  static class Accounts {

    private final JdbcTemplate database;
    private final CountDownLatch opened = new CountDownLatch(1);
    private final CountDownLatch counted = new CountDownLatch(1);

    Accounts(JdbcTemplate database) {
      this.database = database;
    }

    @JobHandler(kind = "open-account", transactional = true)
    @Transactional
    Account open(OpenAccount job) {
      database.update("INSERT INTO accounts (owner) VALUES (?)", job.owner());
      opened.countDown();
      return new Account(1, job.addresses().get(0));
    }

    @JobHandler(kind = "count-accounts")
    @JobSchedule(every = "1s")
    @Transactional(readOnly = true)
    void count() {
      counted.countDown();
    }

    boolean worked() throws InterruptedException {
      return opened.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)
          && counted.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
  }

  /** Enqueues jobs, waits for them and prints {@link #DONE}. */
  public static void main(String[] args) throws InterruptedException {
    try (ConfigurableApplicationContext context =
        SpringApplication.run(AheadOfTimeApplication.class, args)) {
      require(AotDetector.useGeneratedArtifacts(), "the context was not processed ahead of time");
      context.getBean(Registration.class).signUp("ada");
      context
          .getBean(Jobs.class)
          .enqueue(
              JobType.of("open-account", OpenAccount.class),
              new OpenAccount("ada", List.of(new Address("London"))));
      Accounts accounts = context.getBean(Accounts.class);
      require(AopUtils.isCglibProxy(accounts), "the handlers have no proxy");
      require(accounts.worked(), "a handler was not called");
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> context.getBean(Mails.class).sent().equals(List.of("ada")));
    }
    System.out.println(DONE);
  }

  private static void require(boolean met, String otherwise) {
    if (!met) {
      throw new IllegalStateException(otherwise);
    }
  }
}
