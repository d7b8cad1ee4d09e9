package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Checks the defaults that the documentation states. If a default changes, the failure lists the
 * pages to change.
 */
class DocumentedDefaultsTest {

  private static final Path ROOT = Path.of("..");

  @Test
  void documentsNameTheShareOfReservedSlots() {
    assertThat(LaneOrder.fair().reserve()).isEqualTo(LaneOrder.Reserve.A_TENTH);
    assertThat(LaneOrder.Reserve.A_TENTH.interval()).isEqualTo(10);

    assertThat(List.of("README.md", "docs/guides/order.md"))
        .allSatisfy(
            page ->
                assertThat(ROOT.resolve(page))
                    .content()
                    .containsPattern("(?i)every\\s+tenth\\s+(slot|job)"));
  }
}
