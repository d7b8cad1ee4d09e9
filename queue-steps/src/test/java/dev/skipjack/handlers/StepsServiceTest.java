package dev.skipjack.handlers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.skipjack.steps.Steps;
import java.lang.reflect.Method;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that steps are not taken for a payload if their service file was lost. */
class StepsServiceTest {

  @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // found by reflection
  private static void flow(Steps steps) {}

  @Test
  void stepsWithoutTheirServiceAreRejected() throws NoSuchMethodException {
    Method flow = StepsServiceTest.class.getDeclaredMethod("flow", Steps.class);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HandlerParameters.of(flow, Map.of()))
        .withMessageStartingWith("takes Steps, but the service file of skipjack-steps is missing.");
    assertThat(HandlerParameters.of(flow, HandlerParameters.available()).payload()).isNull();
  }
}
