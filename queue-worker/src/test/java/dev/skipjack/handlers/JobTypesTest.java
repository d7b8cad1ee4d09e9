package dev.skipjack.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.skipjack.api.JobType;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests where a handler finds the type with which its jobs are enqueued. */
@SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // The methods are found by reflection.
class JobTypesTest {

  record Work(String what) {}

  record Letter(String to) {
    static final JobType<Letter> WRITE = JobType.of("write", Letter.class).onQueue("letters");
  }

  interface Types {
    JobType<Work> WORK = JobType.of("work", Work.class).onQueue("works");
  }

  static final JobType<Work> DIG = JobType.of("dig", Work.class).onQueue("gardens");

  static class Digger {
    @JobHandler("dig")
    void dig(Work work) {}
  }

  static class Writer {
    @JobHandler("write")
    void write(Letter letter) {}
  }

  static class Named {
    @JobHandler(value = "work", types = Types.class)
    void work(Work work) {}
  }

  static class Implementing implements Types {
    @JobHandler("work")
    void work(Work work) {}
  }

  static class Extending extends Implementing {}

  static class Forgotten {
    @JobHandler("work")
    void work(Work work) {}
  }

  static class ByAttribute {
    @JobHandler(value = "work", queue = "works")
    void work(Work work) {}
  }

  static class ByKind {
    @JobHandler(kind = "work")
    void work(Work work) {}
  }

  static class Elsewhere {
    @JobHandler(value = "rest", types = Types.class)
    void rest(Work work) {}
  }

  static final class Broken {
    static final JobType<Work> WORK = fail();

    private static JobType<Work> fail() {
      throw new IllegalStateException("no settings");
    }
  }

  static class OfBroken {
    @JobHandler(value = "work", types = Broken.class)
    void work(Work work) {}
  }

  private static JobType<?> typeOf(Object handlers) {
    return JobHandlers.of(handlers).types().get(0);
  }

  @Test
  void aConstantOfAnEnclosingClassIsTheType() {
    assertThat(typeOf(new Digger())).isSameAs(DIG);
  }

  @Test
  void aConstantOfThePayloadClassIsTheType() {
    assertThat(typeOf(new Writer())).isSameAs(Letter.WRITE);
  }

  @Test
  void aConstantOfANamedClassIsTheType() {
    assertThat(typeOf(new Named())).isSameAs(Types.WORK);
  }

  @Test
  void aConstantOfAnImplementedInterfaceIsTheType() {
    assertThat(typeOf(new Implementing())).isSameAs(Types.WORK);
    assertThat(typeOf(new Extending())).isSameAs(Types.WORK);
    assertThat(JobHandlers.constantsReadBy(Extending.class)).contains(Types.class);
  }

  @Test
  void constantOfTheHandlersClassPrecedesThoseOfClassesAroundIt() {
    class Own {
      static final JobType<Work> DIG = JobType.of("dig", Work.class).onQueue("fields");

      @JobHandler("dig")
      void dig(Work work) {}
    }

    assertThat(typeOf(new Own())).isSameAs(Own.DIG);
  }

  @Test
  void aKindWithoutATypeIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(new Forgotten()))
        .withMessageStartingWith(
            "Handler dev.skipjack.handlers.JobTypesTest$Forgotten.work(Work) of kind 'work' finds"
                + " no job type of the kind")
        .withMessageContaining("types = JobTypes.class")
        .withMessageEndingWith("@JobHandler(kind = \"work\").");
  }

  @Test
  void anAttributeOrTheAttributeKindDefinesTheType() {
    assertThat(typeOf(new ByAttribute()).queue()).isEqualTo("works");
    assertThat(typeOf(new ByKind()).queue()).isEqualTo(JobType.DEFAULT_QUEUE);
  }

  @Test
  void aNamedClassMustDeclareTheKind() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(new Elsewhere()))
        .withMessageContaining("of kind 'rest' names the classes " + Types.class.getName())
        .withMessageContaining("none of them declares a job type of the kind");
  }

  @Test
  void aClassThatCannotBeInitializedIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(new OfBroken()))
        .withMessageContaining("Field " + Broken.class.getName() + ".WORK cannot be read")
        .withMessageContaining("no settings");
  }

  @Test
  void twoConstantsOfTheKindAreRefused() {
    class Twice {
      static final JobType<Work> ONE = JobType.of("work", Work.class);
      static final JobType<Work> TWO = JobType.of("work", Work.class).onQueue("works");

      @JobHandler("work")
      void work(Work work) {}
    }

    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobHandlers.of(new Twice()))
        .withMessageContaining("Twice declares a second job type of kind 'work'. Declare one.");
  }

  @Test
  void theClassesToReadAreKnownInAdvance() {
    assertThat(List.copyOf(JobHandlers.constantsReadBy(Named.class)))
        .contains(Named.class, Types.class, Work.class, JobTypesTest.class);
  }
}
