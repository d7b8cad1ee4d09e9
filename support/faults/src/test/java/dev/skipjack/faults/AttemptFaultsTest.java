package dev.skipjack.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class AttemptFaultsTest {

  private final AttemptFaults faults = new AttemptFaults();

  @Test
  void theNextAttemptsFailAsRequestedAndTheOthersRun() throws Exception {
    faults.failNext(2, () -> new IOException("busy"));
    faults.failNext(1);

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> faults.around(() -> "done"))
          .isInstanceOf(IOException.class)
          .hasMessage("busy");
    }
    assertThat(faults.left()).isOne();
    assertThatThrownBy(() -> faults.around(() -> "done")).isInstanceOf(IllegalStateException.class);
    assertThat(faults.around(() -> "done")).isEqualTo("done");
  }

  @Test
  void errorsAreThrownAsTheyAre() {
    faults.failNext(1, () -> new NoClassDefFoundError("Mailer"));

    assertThatThrownBy(() -> faults.around(() -> "done")).isInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void afterAResetNoAttemptFails() throws Exception {
    faults.failNext(5);
    faults.reset();

    assertThat(faults.around(() -> "done")).isEqualTo("done");
    assertThat(faults.left()).isZero();
  }

  @Test
  void zeroFailuresAreRejected() {
    assertThatThrownBy(() -> faults.failNext(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
