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

  @Test
  void documentsNameTheLease() {
    long lease = WorkerConfig.defaults().lease().toSeconds();

    assertThat(ROOT.resolve("docs/guides/deployment.md"))
        .content()
        .contains("its default, %d s, as long as a whole lease".formatted(lease))
        .contains("The default, %d s, leaves %d s for each".formatted(lease, lease / 3));
    assertThat(ROOT.resolve("docs/guides/spring-boot.md"))
        .content()
        .containsPattern("`skipjack.worker.lease` .* `%ds` \\|".formatted(lease));
    assertThat(ROOT.resolve("CONTRIBUTING.md"))
        .content()
        .containsPattern("rescue the\\s+job\\. Default %d s\\.".formatted(lease));
  }

  @Test
  void documentsNameTheDrainTimeoutAndTheDeadlinesBehindIt() {
    long drain = WorkerConfig.defaults().drainTimeout().toSeconds();

    assertThat(ROOT.resolve("docs/guides/deployment.md"))
        .content()
        .contains("the default `drainTimeout` of %d s fits".formatted(drain))
        .contains("`terminationGracePeriodSeconds` of %d".formatted(drain + 5))
        .contains(
            "terminationGracePeriodSeconds: %d     # drainTimeout (%d s) and 5 s"
                .formatted(drain + 5, drain));
    assertThat(ROOT.resolve("docs/guides/spring-boot.md"))
        .content()
        .containsPattern("`skipjack.worker.drain-timeout` .* `%ds` \\|".formatted(drain))
        .contains("With a drain timeout above %d s".formatted(drain));
  }

  @Test
  void documentsNameThePollInterval() {
    long poll = WorkerConfig.defaults().pollInterval().toMillis();

    assertThat(ROOT.resolve("docs/guides/transactions.md"))
        .content()
        .contains("polling (every %s s by default)".formatted(poll / 1_000.0));
    assertThat(ROOT.resolve("docs/guides/spring-boot.md"))
        .content()
        .containsPattern("`skipjack.worker.poll-interval` .* `%dms` \\|".formatted(poll));
  }
}
