package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@QueueTest
@EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "Java 17 has no virtual threads")
class VirtualThreadsTest {

  private static final int PATIENCE_SECONDS = 60;

  private final QueueDatabase database;

  VirtualThreadsTest(QueueDatabase database) {
    this.database = database;
  }

  static class Errands {
    static final JobType<String> RUN_ERRAND = JobType.of("run-errand", String.class);

    private final CompletableFuture<Thread> ran = new CompletableFuture<>();

    @JobHandler("run-errand")
    void run(String errand) {
      ran.complete(Thread.currentThread());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "spring.threads.virtual.enabled=true, true",
    "spring.threads.virtual.enabled=false, false",
    "skipjack.worker.enabled=true, true"
  })
  void springBootsPropertyDecidesOnWhichThreadsHandlersRun(String property, boolean virtual) {
    Contexts.on(database)
        .withBean(Errands.class)
        .withPropertyValues(property)
        .run(
            context -> {
              context.getBean(Jobs.class).enqueue(Errands.RUN_ERRAND, "post office");
              Thread thread =
                  context.getBean(Errands.class).ran.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
              assertThat(Thread.class.getMethod("isVirtual").invoke(thread)).isEqualTo(virtual);
            });
  }
}
