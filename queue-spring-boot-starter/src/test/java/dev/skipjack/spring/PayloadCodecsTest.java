package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The module's tests on Spring Boot 3.5 have Jackson 2 alone, and those on 4 also Jackson 3. */
@QueueTest
class PayloadCodecsTest {

  record Greeting(String name) {}

  static class Greetings {
    static final JobType<Greeting> GREET = JobType.of("greet", Greeting.class);

    private final List<String> names = new CopyOnWriteArrayList<>();

    @JobHandler("greet")
    void greet(Greeting greeting) {
      names.add(greeting.name());
    }
  }

  static class Reversing implements PayloadCodec {
    @Override
    public String encode(Object payload) {
      return "\"" + new StringBuilder(((Greeting) payload).name()).reverse() + "\"";
    }

    @Override
    public <T> T decode(String json, Class<T> payloadClass) {
      return payloadClass.cast(new Greeting(json.substring(1, json.length() - 1)));
    }
  }

  private final ApplicationContextRunner contexts;

  PayloadCodecsTest(QueueDatabase database) {
    this.contexts = Contexts.on(database).withBean(Greetings.class);
  }

  @Test
  void theModuleForJackson3DecidesTheCodec() {
    boolean boot4 = SpringBootVersion.getVersion().startsWith("4.");
    contexts.run(
        context -> {
          assertThat(context.getBean(JobQueue.class).codec().getClass().getSimpleName())
              .isEqualTo(boot4 ? "Jackson3Codec" : "JacksonCodec");
          assertThat(greeted(context.getBean(Jobs.class), context.getBean(Greetings.class)))
              .isEqualTo("Ada");
        });
  }

  @Test
  void withoutTheModuleThePayloadsAreThoseOfJackson2() {
    contexts
        .withClassLoader(new FilteredClassLoader("dev.skipjack.jackson3"))
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(PayloadCodec.class);
              assertThat(greeted(context.getBean(Jobs.class), context.getBean(Greetings.class)))
                  .isEqualTo("Ada");
            });
  }

  @Test
  void aBeanOfTheApplicationTakesPrecedence() {
    contexts
        .withBean(PayloadCodec.class, Reversing::new)
        .run(
            context ->
                assertThat(greeted(context.getBean(Jobs.class), context.getBean(Greetings.class)))
                    .isEqualTo("adA"));
  }

  @Test
  void withoutAnyJacksonTheMessageNamesTheDependencies() {
    contexts
        .withClassLoader(
            new FilteredClassLoader("dev.skipjack.jackson3", "com.fasterxml.jackson.databind"))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("com.fasterxml.jackson.core:jackson-databind")
                    .hasMessageContaining("dev.skipjack:skipjack-queue-jackson3"));
  }

  @Test
  void theConditionsForJackson3NeedNoJackson2() {
    contexts
        .withClassLoader(new FilteredClassLoader("com.fasterxml.jackson.databind"))
        .run(
            context -> {
              if (SpringBootVersion.getVersion().startsWith("4.")) {
                assertThat(context).hasNotFailed().hasSingleBean(PayloadCodec.class);
              } else {
                assertThat(context).hasFailed();
              }
            });
  }

  private static String greeted(Jobs jobs, Greetings greetings) {
    jobs.enqueue(Greetings.GREET, new Greeting("Ada"));
    await().atMost(Duration.ofSeconds(60)).until(() -> !greetings.names.isEmpty());
    return greetings.names.get(0);
  }
}
