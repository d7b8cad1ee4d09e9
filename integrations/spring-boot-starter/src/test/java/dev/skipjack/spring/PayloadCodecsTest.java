package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.jackson3.Jackson3Codec;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import tools.jackson.databind.json.JsonMapper;

/** Tests which codec converts payloads, depending on the versions of Jackson on the class path. */
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
  void withoutAMapperThePayloadsAreThoseOfJackson2() {
    contexts.run(context -> assertThatPayloadsAreThoseOfJackson2(context));
  }

  @Test
  void withAMapperOfJackson2ThePayloadsAreThoseOfJackson2() {
    contexts
        .withBean(ObjectMapper.class)
        .run(context -> assertThatPayloadsAreThoseOfJackson2(context));
  }

  @Test
  void withAMapperOfJackson3ThePayloadsAreThoseOfJackson3() {
    contexts
        .withBean(JsonMapper.class)
        .run(context -> assertThatPayloadsAreThoseOfJackson3(context));
  }

  @Test
  void withBothMappersThePayloadsAreThoseOfJackson3() {
    contexts
        .withBean(ObjectMapper.class)
        .withBean(JsonMapper.class)
        .run(context -> assertThatPayloadsAreThoseOfJackson3(context));
  }

  @Test
  void withoutJackson3ThePayloadsAreThoseOfJackson2() {
    contexts
        .withClassLoader(new FilteredClassLoader("tools.jackson"))
        .run(context -> assertThatPayloadsAreThoseOfJackson2(context));
  }

  @Test
  void withoutJackson2ThePayloadsAreThoseOfJackson3() {
    contexts
        .withClassLoader(new FilteredClassLoader("com.fasterxml.jackson.databind"))
        .run(context -> assertThatPayloadsAreThoseOfJackson3(context));
  }

  private static void assertThatPayloadsAreThoseOfJackson2(ApplicationContext context) {
    assertThat(context.getBeansOfType(PayloadCodec.class)).isEmpty();
    assertThat(greeted(context)).isEqualTo("Ada");
  }

  private static void assertThatPayloadsAreThoseOfJackson3(ApplicationContext context) {
    assertThat(context.getBean(JobQueue.class).codec()).isInstanceOf(Jackson3Codec.class);
    assertThat(greeted(context)).isEqualTo("Ada");
  }

  @Test
  void aBeanOfTheApplicationTakesPrecedence() {
    contexts
        .withBean(PayloadCodec.class, Reversing::new)
        .run(context -> assertThat(greeted(context)).isEqualTo("adA"));
  }

  @Test
  void withoutAnyJacksonTheMessageNamesTheDependencies() {
    contexts
        .withClassLoader(new FilteredClassLoader("tools.jackson", "com.fasterxml.jackson.databind"))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("com.fasterxml.jackson.core:jackson-databind")
                    .hasMessageContaining("tools.jackson.core:jackson-databind"));
  }

  private static String greeted(ApplicationContext context) {
    Greetings greetings = context.getBean(Greetings.class);
    context.getBean(Jobs.class).enqueue(Greetings.GREET, new Greeting("Ada"));
    await().atMost(Duration.ofSeconds(60)).until(() -> !greetings.names.isEmpty());
    return greetings.names.get(0);
  }
}
