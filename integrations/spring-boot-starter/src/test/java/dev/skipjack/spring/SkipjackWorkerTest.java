package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.spring.SignUps.Mails;
import dev.skipjack.spring.SignUps.SendWelcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.transaction.annotation.Transactional;

@QueueTest
class SkipjackWorkerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final QueueDatabase database;
  private final ApplicationContextRunner contexts;

  SkipjackWorkerTest(QueueDatabase database) {
    this.database = database;
    this.contexts = Contexts.on(database);
  }

  @Test
  void workerRunsTheJobsOfHandlerBeans() {
    contexts
        .withBean(Mails.class)
        .run(
            context -> {
              context.getBean(Jobs.class).enqueue(Mails.SEND_WELCOME, new SendWelcome("ada"));
              awaitCompleted(Mails.SEND_WELCOME);
              assertThat(context.getBean(Mails.class).sent()).containsExactly("ada");
            });
  }

  static class Proxied {
    private final List<String> names = new CopyOnWriteArrayList<>();

    @Transactional
    @JobHandler("greet")
    void greet(SendWelcome welcome) {
      names.add(welcome.user());
    }

    List<String> names() {
      return names;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Programmatic {
    static final JobType<SendWelcome> GREET = JobType.of("greet", SendWelcome.class);

    @Bean
    JobType<SendWelcome> greet() {
      return GREET;
    }

    @Bean
    Schedule everyHour() {
      return Schedule.every(Duration.ofHours(1))
          .named("greet-hourly")
          .enqueue(GREET, new SendWelcome("everyone"));
    }
  }

  @Test
  void handlerIsCalledThroughTheProxyOfItsBean() {
    contexts
        .withBean(Proxied.class)
        .withUserConfiguration(Programmatic.class)
        .run(
            context -> {
              Proxied bean = context.getBean(Proxied.class);
              assertThat(bean.getClass()).isNotEqualTo(Proxied.class);
              context.getBean(Jobs.class).enqueue(Programmatic.GREET, new SendWelcome("ada"));
              awaitCompleted(Programmatic.GREET);
              assertThat(bean.names()).containsExactly("ada");
            });
  }

  static class Scoped {
    static final AtomicInteger CREATED = new AtomicInteger();

    Scoped() {
      CREATED.incrementAndGet();
    }

    @JobHandler("greet")
    void greet(SendWelcome welcome) {}
  }

  @Configuration(proxyBeanMethods = false)
  static class ScopedByProxy {
    @Bean
    @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    Scoped scoped() {
      return new Scoped();
    }
  }

  @Test
  void workerCallsAHandlerThroughAScopedProxy() {
    contexts
        .withUserConfiguration(ScopedByProxy.class, Programmatic.class)
        .run(
            context -> {
              Jobs jobs = context.getBean(Jobs.class);
              int created = Scoped.CREATED.get();
              jobs.enqueue(Programmatic.GREET, new SendWelcome("ada"));
              awaitCompleted(Programmatic.GREET);
              assertThat(Scoped.CREATED).hasValueGreaterThan(created);
            });
  }

  @Test
  void declaresTheSchedulesOfBeans() {
    contexts
        .withBean(Proxied.class)
        .withUserConfiguration(Programmatic.class)
        .run(
            context ->
                await()
                    .atMost(PATIENCE)
                    .untilAsserted(
                        () ->
                            assertThat(context.getBean(JobQueue.class).schedules().list())
                                .extracting(schedule -> schedule.name())
                                .contains("greet-hourly")));
  }

  @Test
  void aScheduleWithoutAHandlerIsRefused() {
    contexts
        .withUserConfiguration(Programmatic.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith("Schedule 'greet-hourly' cannot be declared"));
  }

  static class Final {
    @Transactional
    @JobHandler("greet")
    final void greet(SendWelcome welcome) {}

    @Transactional
    public void other() {}
  }

  @Test
  void aFinalHandlerBehindAProxyIsRefused() {
    contexts
        .withBean("final", Final.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("Final.greet of bean 'final' is final"));
  }

  @Test
  void customizersRegisterHandlersInCode() {
    CountDownLatch ran = new CountDownLatch(1);
    contexts
        .withBean(
            WorkerCustomizer.class,
            () ->
                worker ->
                    worker
                        .queue(JobType.DEFAULT_QUEUE, 1)
                        .handle(
                            Programmatic.GREET,
                            (payload, context) -> {
                              ran.countDown();
                              return Outcome.completed();
                            }))
        .run(
            context -> {
              context.getBean(Jobs.class).enqueue(Programmatic.GREET, new SendWelcome("ada"));
              assertThat(ran.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            });
  }

  /** A handler that runs until another bean is stopped or the worker interrupts it. */
  static class Slow {
    final CountDownLatch started = new CountDownLatch(1);
    final CountDownLatch finish = new CountDownLatch(1);
    final List<String> events = new CopyOnWriteArrayList<>();

    @JobHandler(kind = "slow")
    void run(SendWelcome welcome) throws InterruptedException {
      started.countDown();
      finish.await();
      events.add("handler ended");
    }
  }

  /**
   * Stands for a web server, whose phase is earlier than the worker's: it starts before the worker,
   * and stops after it.
   */
  static class WebServer implements SmartLifecycle {
    private final List<String> events;
    private boolean running;

    WebServer(Slow slow) {
      this.events = slow.events;
    }

    @Override
    public void start() {
      running = true;
    }

    @Override
    public void stop() {
      running = false;
      events.add("web server stopped");
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public int getPhase() {
      return DEFAULT_PHASE - 1024;
    }
  }

  @Test
  void workerStopsBeforeTheWebServerAndThePool() {
    JobType<SendWelcome> slowType = JobType.of("slow", SendWelcome.class);
    contexts
        .withBean(Slow.class)
        .withBean(WebServer.class)
        .withPropertyValues("skipjack.worker.drain-timeout=10m")
        .run(
            context -> {
              Slow slow = context.getBean(Slow.class);
              HikariDataSource pool = (HikariDataSource) context.getBean(DataSource.class);
              JobId job = context.getBean(Jobs.class).enqueue(slowType, new SendWelcome("ada"));
              assertThat(slow.started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
              Thread closing = new Thread(context.getSourceApplicationContext()::close);
              closing.start();
              await()
                  .atMost(PATIENCE)
                  .until(() -> !context.getBean(SkipjackWorker.class).isRunning());
              assertThat(slow.events).isEmpty();
              assertThat(pool.isClosed()).isFalse();
              slow.finish.countDown();
              closing.join(PATIENCE.toMillis());
              assertThat(slow.events).containsExactly("handler ended", "web server stopped");
              assertThat(pool.isClosed()).isTrue();
              QueueAssertions.assertThatJob(database, job).isCompleted();
            });
  }

  /** Uses Spring Boot's task executor. */
  static class Delegating {
    private final CountDownLatch started = new CountDownLatch(1);
    private final CountDownLatch finish = new CountDownLatch(1);
    private final AsyncTaskExecutor tasks;

    Delegating(AsyncTaskExecutor tasks) {
      this.tasks = tasks;
    }

    @JobHandler(kind = "delegating")
    void run(SendWelcome welcome) throws Exception {
      started.countDown();
      finish.await();
      tasks.submit(() -> {}).get();
    }
  }

  @Test
  void handlersCanUseSpringBootsTaskExecutorWhileTheContextCloses() {
    contexts
        .withConfiguration(AutoConfigurations.of(TaskExecutionAutoConfiguration.class))
        .withBean(Delegating.class)
        .withPropertyValues("skipjack.worker.drain-timeout=10m")
        .run(
            context -> {
              Delegating delegating = context.getBean(Delegating.class);
              JobId job =
                  context
                      .getBean(Jobs.class)
                      .enqueue(JobType.of("delegating", SendWelcome.class), new SendWelcome("ada"));
              assertThat(delegating.started.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
              Thread closing = new Thread(context.getSourceApplicationContext()::close);
              closing.start();
              await()
                  .atMost(PATIENCE)
                  .until(() -> !context.getBean(SkipjackWorker.class).isRunning());
              delegating.finish.countDown();
              closing.join(PATIENCE.toMillis());
              QueueAssertions.assertThatJob(database, job).isCompleted();
            });
  }

  @Test
  void aContextThatIsStartedAgainGetsANewWorker() {
    contexts
        .withBean(Mails.class)
        .run(
            context -> {
              SkipjackWorker worker = context.getBean(SkipjackWorker.class);
              Worker first = worker.worker().orElseThrow();
              context.getSourceApplicationContext().stop();
              assertThat(worker.worker()).isEmpty();
              context.getSourceApplicationContext().start();
              assertThat(worker.worker().orElseThrow()).isNotSameAs(first);
              context.getBean(Jobs.class).enqueue(Mails.SEND_WELCOME, new SendWelcome("ada"));
              awaitCompleted(Mails.SEND_WELCOME);
            });
  }

  private void awaitCompleted(JobType<?> type) {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                QueueAssertions.assertThat(database)
                    .hasEnqueued(type)
                    .inStatus(JobStatus.COMPLETED)
                    .times(1));
  }
}
