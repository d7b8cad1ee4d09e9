package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Retention;
import dev.skipjack.api.spi.ContinuedOperations;
import dev.skipjack.api.spi.CreatedPartitions;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.RemovedPartitions;
import dev.skipjack.api.spi.WorkerInstructions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OperationContinuerTest {

  private static final ContinuedOperations UNFINISHED =
      new ContinuedOperations(List.of(), true, List.of());

  private final Calls calls = new Calls();
  private final Wakeup wakeup = new Wakeup();
  private final OperationContinuer continuer =
      new OperationContinuer(calls, wakeup, new Reporter(List.of()));

  private static final class Calls implements Maintenance {

    private final Deque<ContinuedOperations> results = new ArrayDeque<>();
    private int made;

    @Override
    public ContinuedOperations continueOperations() {
      made++;
      if (results.isEmpty()) {
        throw new IllegalStateException("broken");
      }
      return results.remove();
    }

    @Override
    public CreatedPartitions createPartitions(Duration ahead) {
      throw new UnsupportedOperationException();
    }

    @Override
    public RemovedPartitions removePartitions(Retention retention) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Pruned prune() {
      throw new UnsupportedOperationException();
    }
  }

  private void instruct(boolean operationsDue) {
    continuer.instructed(
        new WorkerInstructions(Set.of(), 1, WorkerInstructions.UTF8, null, false, operationsDue));
  }

  @Test
  void withoutAnOperationTheDatabaseIsNotAsked() {
    assertThat(continuer.run()).isEqualTo(Long.MAX_VALUE);
    instruct(false);
    assertThat(continuer.run()).isEqualTo(Long.MAX_VALUE);

    assertThat(calls.made).isZero();
    assertThat(continuer.asked()).isFalse();
  }

  @Test
  void anOperationIsContinuedUntilNoneIsLeft() throws InterruptedException {
    calls.results.addAll(List.of(UNFINISHED, UNFINISHED, ContinuedOperations.NONE));

    instruct(true);

    assertThat(wakeup.awaitRaise(1)).isTrue();
    assertThat(continuer.run()).isEqualTo(1);
    assertThat(continuer.run()).isEqualTo(1);
    assertThat(continuer.run()).isEqualTo(Long.MAX_VALUE);
    assertThat(continuer.run()).isEqualTo(Long.MAX_VALUE);
    assertThat(calls.made).isEqualTo(3);
  }

  @Test
  void aFailureIsNotRepeatedBeforeTheNextInstructions() {
    instruct(true);
    assertThatThrownBy(continuer::run).hasMessage("broken");

    assertThat(continuer.run()).isEqualTo(Long.MAX_VALUE);

    instruct(true);
    assertThatThrownBy(continuer::run).hasMessage("broken");
    assertThat(calls.made).isEqualTo(2);
  }
}
