package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class EndingTest {

  private static final Ending.Failed FAILED =
      new Ending.Failed(JobError.of(new IllegalStateException("no")), Duration.ZERO, false);

  private static final List<Ending> ALL =
      List.of(
          Ending.Completed.PLAIN,
          new Ending.Cancelled("obsolete"),
          FAILED,
          new Ending.Snoozed(Duration.ZERO, null),
          Ending.Released.after(Duration.ZERO),
          new Ending.CompletedByHandler(FAILED, true));

  @Test
  void everyEndingIsWrittenAndRecognizedInTheAudit() {
    assertThat(ALL)
        .extracting(Object::getClass)
        .map(Class::getName)
        .containsExactlyInAnyOrderElementsOf(
            Stream.of(Ending.class.getPermittedSubclasses()).map(Class::getName).toList());
    assertThat(ALL)
        .allSatisfy(
            ending -> {
              assertThat(ending.statement()).isNotNull();
              assertThat(Stream.of(ExecutionStatus.values()).filter(ending::isWrittenAs))
                  .isNotEmpty()
                  .doesNotContain(ExecutionStatus.RUNNING);
            });
  }

  @Test
  void completionsWithAndWithoutAResultNeedDifferentStatements() {
    assertThat(Ending.Completed.PLAIN.statement()).isEqualTo(Ending.Statement.COMPLETE);
    assertThat(new Ending.Completed("{}").statement()).isEqualTo(Ending.Statement.END_WITH_DATA);
  }
}
