package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests which threads handlers run on, on the Java version that runs the tests. */
@Timeout(30)
class VirtualThreadsTest {

  private static final JobType<String> TYPE = JobType.of("k", String.class);

  static Stream<HandlerThreads> virtual() {
    return Stream.of(HandlerThreads.virtual(), HandlerThreads.automatic());
  }

  @ParameterizedTest
  @MethodSource("virtual")
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "Virtual threads require Java 21")
  void theHandlerRunsOnAVirtualThreadWithTheWorkersName(HandlerThreads threads) throws Exception {
    Thread ran = threadOfAHandlerOn(threads);

    assertThat(isVirtual(ran)).isTrue();
    assertThat(ran.getName()).startsWith("queue-virtual-handler-");
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "Virtual threads require Java 21")
  void platformThreadsAreNotVirtual() throws Exception {
    assertThat(isVirtual(threadOfAHandlerOn(HandlerThreads.platform()))).isFalse();
  }

  @Test
  @EnabledForJreRange(max = JRE.JAVA_20, disabledReason = "This Java has virtual threads")
  void virtualThreadsBeforeJava21AreRefused() {
    assertThatThrownBy(HandlerThreads::virtual)
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage(
            "Java %d has no virtual threads. Run on Java 21 or later, or use platform().",
            Runtime.version().feature());
  }

  private static Thread threadOfAHandlerOn(HandlerThreads threads) throws Exception {
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    MemoryStore store = new MemoryStore();
    store.add(job().maxAttempts(1));
    try (Worker worker =
        Worker.on(store)
            .handle(
                TYPE,
                (payload, context) -> {
                  ran.complete(Thread.currentThread());
                  return Outcome.completed();
                })
            .queue("q", 1)
            .name("virtual")
            .handlerThreads(threads)
            .start()) {
      assertThat(worker.status().started()).isTrue();
      return ran.get(10, TimeUnit.SECONDS);
    }
  }

  /** Uses reflection, because the tests are compiled for Java 17. */
  private static boolean isVirtual(Thread thread) throws ReflectiveOperationException {
    return (boolean) Thread.class.getMethod("isVirtual").invoke(thread);
  }
}
