package dev.skipjack.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.JobContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // The methods are found by reflection.
class JobHandlersTest {

  record Mail(String to) {}

  record Other(String to) {}

  static class ByAttributes {
    @JobHandler(kind = "send", queue = "emails", maxAttempts = 8, timeout = "30s")
    void send(Mail mail) {}
  }

  static class ByConstant {
    private static final JobType<Mail> SEND = JobType.of("send", Mail.class).onQueue("letters");

    @JobHandler("send")
    void send(Mail mail) {}
  }

  static class Overriding extends ByAttributes {
    @Override
    @JobHandler(kind = "send-later")
    void send(Mail mail) {}

    @JobHandler(kind = "count")
    int count(long number) {
      return Long.signum(number);
    }
  }

  @Test
  void attributesAndParameterDefineTheType() {
    JobType<?> type = JobHandlers.of(new ByAttributes()).types().get(0);

    assertThat(type.kind()).isEqualTo("send");
    assertThat(type.payloadClass()).isEqualTo(Mail.class);
    assertThat(type.queue()).isEqualTo("emails");
    assertThat(type.maxAttempts()).hasValue(8);
    assertThat(type.timeout()).contains(Duration.ofSeconds(30));
  }

  @Test
  void aConstantOfTheClassIsTheType() {
    assertThat(types(JobHandlers.of(new ByConstant()))).containsExactly(ByConstant.SEND);
  }

  @Test
  void aTypeDeclaredElsewhereIsTheType() {
    JobType<Mail> declared = JobType.of("receive", Mail.class).onQueue("inbox");

    JobHandlers handlers =
        JobHandlers.builder()
            .type(declared)
            .scan(
                new Object() {
                  @JobHandler("receive")
                  void receive(Mail mail) {}
                })
            .build();

    assertThat(types(handlers)).containsExactly(declared);
  }

  @Test
  void anOverriddenMethodNeedsTheAnnotationAgain() {
    assertThat(types(JobHandlers.of(new Overriding())))
        .extracting(JobType::kind)
        .containsExactly("count", "send-later");
  }

  abstract static class ForAnyPayload<T> {
    @JobHandler(kind = "send")
    Object send(T payload) {
      return payload;
    }
  }

  static class ForMail extends ForAnyPayload<Mail> {
    @Override
    @JobHandler(kind = "send")
    String send(Mail mail) {
      return mail.to();
    }
  }

  @Test
  void aMethodThatOverridesAGenericOneIsTheHandler() {
    assertThat(types(JobHandlers.of(new ForMail())))
        .singleElement()
        .satisfies(type -> assertThat(type.payloadClass()).isEqualTo(Mail.class));
  }

  // The class is not public, so that the compiler writes a bridge to its method.
  abstract static class NotPublic {
    @JobHandler(kind = "send")
    public void send(Mail mail) {}
  }

  public static class Public extends NotPublic {
    @JobHandler(kind = "send-other")
    public void send(Other other) {}
  }

  @Test
  void anInheritedMethodWithABridgeIsAHandler() {
    assertThat(types(JobHandlers.of(new Public())))
        .extracting(JobType::kind)
        .containsExactly("send", "send-other");
  }

  @Test
  void aPrimitivePayloadIsDecodedToItsWrapper() {
    assertThat(JobHandlers.of(new Overriding()).types().get(0).payloadClass())
        .isEqualTo(Long.class);
  }

  @Test
  void handlersOfOneKindAreRefusedWithBothNames() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(new ByAttributes(), new ByConstant()))
        .withMessage(
            "Kind 'send' has two handlers:"
                + " dev.skipjack.handlers.JobHandlersTest$ByAttributes.send(Mail) and"
                + " dev.skipjack.handlers.JobHandlersTest$ByConstant.send(Mail). Keep one, or give"
                + " the other a kind of its own.");
  }

  @Test
  void twoTypesOfOneKindAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                JobHandlers.builder()
                    .type(JobType.of("send", Mail.class))
                    .type(JobType.of("send", Other.class)))
        .withMessageContaining("Kind 'send' has two job types");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                JobHandlers.builder()
                    .type(JobType.of("send", Mail.class))
                    .scan(new ByConstant())
                    .build())
        .withMessageContaining("ByConstant.send(Mail)")
        .withMessageEndingWith("Declare the kind once.");
  }

  static Stream<Arguments> misuses() {
    return Stream.of(
        misuse(new Object(), "has no method with @JobHandler. Annotate one"),
        misuse(
            new Object() {
              @JobHandler
              void run(Mail mail) {}
            },
            "run(Mail) has no kind. Name it"),
        misuse(
            new Object() {
              @JobHandler(value = "a", kind = "b")
              void run(Mail mail) {}
            },
            "run(Mail) sets both value = \"a\" and kind = \"b\""),
        misuse(
            new Object() {
              @JobHandler("a")
              void run() {}
            },
            "run() of kind 'a' takes no payload, and the kind has no declared job type. Take the"
                + " payload"),
        misuse(
            new Object() {
              @JobHandler("a")
              void run(JobContext context) {}
            },
            "run(JobContext) of kind 'a' takes no payload, and the kind has no declared job type"),
        misuse(
            new Object() {
              @JobHandler("a")
              void run(JobContext context, JobContext again) {}
            },
            "takes two parameters of class JobContext. Take one"),
        misuse(
            new Object() {
              @JobHandler("a")
              void run(Mail mail, Other other) {}
            },
            "has 2 parameters. Take the payload"),
        misuse(
            new Object() {
              @JobHandler("a")
              void run(List<Mail> mails) {}
            },
            "takes the generic type java.util.List<dev.skipjack"),
        misuse(
            new Object() {
              @JobHandler("a")
              Object run(Mail mail) {
                return mail;
              }
            },
            "returns java.lang.Object, from which the outcome of the job cannot be determined"),
        misuse(
            new Object() {
              @JobHandler("a")
              Future<Outcome> run(Mail mail) {
                return new CompletableFuture<>();
              }
            },
            "returns java.util.concurrent.Future, from which"),
        misuse(
            new Object() {
              @JobHandler("a")
              Flow.Publisher<Outcome> run(Mail mail) {
                return subscriber -> {};
              }
            },
            "returns java.util.concurrent.Flow$Publisher, from which"),
        misuse(
            new Object() {
              @JobHandler("a")
              CompletionStage<Integer> run(Mail mail) {
                return CompletableFuture.completedFuture(1);
              }
            },
            "Return CompletionStage<Outcome>; convert a value with thenApply(Outcome::completed)"),
        misuse(
            new Object() {
              @JobHandler(kind = "a", transactional = true)
              void run(Mail mail) {}
            },
            "run(Mail) of kind 'a' is transactional, but no transactions are configured. Pass"
                + " them"),
        misuse(
            new Object() {
              @JobHandler(kind = "a", transactional = true)
              CompletionStage<Outcome> run(Mail mail) {
                return CompletableFuture.completedFuture(Outcome.completed());
              }
            },
            "run(Mail) of kind 'a' is transactional, but returns a CompletionStage"),
        misuse(new PrivateMethod(), "is private or static. Make it an instance method"),
        misuse(new StaticMethod(), "is private or static. Make it an instance method"),
        misuse(
            new Object() {
              @JobHandler(kind = "a", timeout = "soon")
              void run(Mail mail) {}
            },
            "run(Mail) of kind 'a' has an invalid attribute"),
        misuse(
            new Object() {
              @JobHandler("No kind")
              void run(Mail mail) {}
            },
            "run(Mail) of kind 'No kind' has an invalid attribute"),
        misuse(
            new ByConstant() {
              @JobHandler("send")
              void sendOther(Other other) {}
            },
            "takes a payload of class dev.skipjack.handlers.JobHandlersTest$Other, but the job type"
                + " declares dev.skipjack.handlers.JobHandlersTest$Mail"),
        misuse(
            new ByConstant() {
              @JobHandler(kind = "send", queue = "emails")
              void again(Mail mail) {}
            },
            "again(Mail) of kind 'send' sets queue, maxAttempts or timeout"));
  }

  private static Arguments misuse(Object object, String message) {
    return Arguments.of(object, message);
  }

  static class PrivateMethod {
    @JobHandler("a")
    private void run(Mail mail) {}
  }

  static class StaticMethod {
    @JobHandler("a")
    static void run(Mail mail) {}
  }

  @ParameterizedTest
  @MethodSource("misuses")
  void misusesAreRefusedWithTheFix(Object object, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(object))
        .withMessageContaining(message)
        .withMessageContaining(object.getClass() == Object.class ? "Object" : "JobHandlersTest$");
  }

  @Test
  void durationsAreWrittenWithUnitsOrInIsoFormat() {
    assertThat(DurationText.parse("250ms")).isEqualTo(Duration.ofMillis(250));
    assertThat(DurationText.parse("2m")).isEqualTo(Duration.ofMinutes(2));
    assertThat(DurationText.parse("3h")).isEqualTo(Duration.ofHours(3));
    assertThat(DurationText.parse("1d")).isEqualTo(Duration.ofDays(1));
    assertThat(DurationText.parse("PT1M30S")).isEqualTo(Duration.ofSeconds(90));
  }

  /** Hides the wildcard, so that AssertJ infers one element type. */
  private static List<JobType<?>> types(JobHandlers handlers) {
    return handlers.types();
  }
}
